import assert from "node:assert/strict";
import { parse } from "yaml";
import { giveUpVariable } from "../../../../provider/contract/give-up";
import { unknownValue } from "../../../../provider/contract/values";
import { accountObjects, clusterRules, namespaceRules } from "../../../../provider/vim";
import { neededRights } from "../../../../provider/vim/account";
import { noteSigningKeys, type SigningKeys, unmade } from "../../../../provider/vim/signing-keys";
import { vim } from "../../../../provider/vim/vim";
import type { VimInputs } from "../../../../provider/vim/vim-inputs";
import { runClockFast } from "../../../support/fast-clock";
import { endRun, listener } from "../support/cluster";
import { FakeApi } from "./fake-api";
import { vimInputs } from "./sample-inputs";

describe("a VIM", () => {
    runClockFast();
    let api: FakeApi;
    const inputs = (changes: Partial<VimInputs> = {}) => vimInputs(api, changes);

    beforeEach(async () => {
        api = await FakeApi.start();
    });
    afterEach(() => api.stop());

    it("is a service account with its own rights, its token, and a kubeconfig that has it", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        assert.equal(id, "core");
        assert.equal(outs.serverVersion, "v1.34.4");
        assert.ok(api.tokens.has(outs.bearerToken));
        const kubeconfig = parse(outs.kubeconfig);
        assert.deepEqual(kubeconfig.users[0].user, { token: outs.bearerToken });
        assert.equal(kubeconfig.clusters[0].cluster.server, api.endpoint);
        assert.deepEqual(outs.vimConnectionInfo.accessInfo, { bearer_token: outs.bearerToken });
        assert.deepEqual(outs.vimConnectionInfo.interfaceInfo, { endpoint: api.endpoint, ssl_ca_cert: api.ca });
        const kinds = [...api.objects.values()].map(object => object.kind);
        assert.deepEqual(kinds, [
            "Namespace",
            "ServiceAccount",
            "ClusterRole",
            "ClusterRole",
            "ClusterRoleBinding",
            "RoleBinding",
            "Secret",
        ]);
        assert.equal(kubeconfig.contexts[0].context.namespace, "nfv", "where it may work");
        assert.equal(vim.diff(id, outs, inputs()).changes, false);
    });

    it("does not hand out cluster-admin unless that is said", () => {
        const rolesOf = (spec: object) =>
            accountObjects(spec, 1, "o").bindings.map(({ object }) => (object.roleRef as { name: string }).name);
        assert.deepEqual(rolesOf({}), ["pulumi-nfv:kube-system:nfv-vim", "pulumi-nfv:kube-system:nfv-vim:namespace"]);
        assert.deepEqual(rolesOf({ clusterAdmin: true }), ["cluster-admin"]);
        assert.deepEqual(rolesOf({ clusterRole: "view" }), ["view"]);
    });

    it("has nothing by default that leads to cluster-admin: verbs by name, secrets and pods in its own namespaces only", () => {
        const all = [...clusterRules, ...namespaceRules];
        const words = all.flatMap(({ apiGroups = [], resources = [], verbs }) => [
            ...apiGroups,
            ...resources,
            ...verbs,
        ]);
        for (const word of ["*", "impersonate", "escalate", "bind", "nodes/proxy", "serviceaccounts/token"]) {
            assert.ok(!words.includes(word), word);
        }
        assert.ok(clusterRules.every(({ verbs }) => verbs.every(verb => ["get", "list", "watch"].includes(verb))));
        const wide = clusterRules.flatMap(({ resources = [] }) => resources);
        assert.ok(wide.every(resource => !/^(secrets|pods|configmaps|serviceaccounts|roles)/.test(resource)));
        const local = accountObjects({ namespaces: ["a", "b"] }, 1, "o").bindings.slice(1);
        assert.deepEqual(
            local.map(({ path }) => path.split("/")[5]),
            ["a", "b"],
        );
    });

    it("writes network attachments only where that is said, as Multus runs their plugins as root on nodes", () => {
        const verbsOf = (spec: object) =>
            accountObjects(spec, 1, "o")
                .roles.flatMap(({ object }) => object.rules as { resources?: string[]; verbs: string[] }[])
                .filter(({ resources }) => resources?.includes("network-attachment-definitions"))
                .flatMap(({ verbs }) => verbs);
        assert.deepEqual(verbsOf({}), ["get", "list", "watch"]);
        assert.ok(verbsOf({ networkAttachments: true }).includes("create"));
    });

    it("limits each of its namespaces by the quota that the program gives, and no longer when it gives none", async () => {
        const quota = { pods: 50, "requests.memory": "64Gi" };
        const limited = inputs({ serviceAccount: { namespaces: ["a", "b"], quota } });
        const { id, outs } = await vim.create(limited, listener());
        const path = (namespace: string) => `/api/v1/namespaces/${namespace}/resourcequotas/pulumi-nfv-nfv-vim`;
        for (const namespace of ["a", "b"]) {
            assert.deepEqual(api.objects.get(path(namespace))?.["spec"], { hard: quota });
        }
        const free = inputs({ serviceAccount: { namespaces: ["a", "b"] } });
        assert.equal(vim.diff(id, outs, free).changes, true);
        await vim.update(id, outs, free, listener());
        assert.ok(!api.objects.has(path("a")) && !api.objects.has(path("b")));
        assert.ok(neededRights(limited.serviceAccount!).some(({ resource }) => resource === "resourcequotas"));
    });

    it("makes its namespaces so that pods cannot take over nodes; of one that was there it only warns, and leaves it", async () => {
        const theirs = { kind: "Namespace", metadata: { name: "theirs" } };
        api.objects.set("/api/v1/namespaces/theirs", theirs);
        const context = listener();
        const account = { serviceAccount: { namespaces: ["ours", "theirs"] } };
        const { id, outs } = await vim.create(inputs(account), context);
        const labels = (api.objects.get("/api/v1/namespaces/ours")!["metadata"] as { labels: object }).labels;
        assert.deepEqual(labels, { "pod-security.kubernetes.io/enforce": "baseline" });
        assert.deepEqual(api.objects.get("/api/v1/namespaces/theirs"), theirs);
        assert.match(context.warned.join(), /namespace theirs was there before/);
        await vim.delete(id, outs, context);
        assert.deepEqual([...api.objects.keys()], ["/api/v1/namespaces/theirs"]);
    });

    it("keeps a namespace that it made when others have put something into it", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        api.objects.set("/api/v1/namespaces/nfv/configmaps/theirs", { metadata: { name: "theirs" } });
        const context = listener();
        await vim.delete(id, outs, context);
        assert.match(context.warned.join(), /namespace nfv stays: ConfigMap\/theirs would go with it/);
        assert.ok(api.objects.has("/api/v1/namespaces/nfv"));
    });

    it("hands out a token that ends, says when, and renews it when half of its life is over", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        const days = (new Date(outs.tokenExpires).getTime() - Date.now()) / 86_400_000;
        assert.ok(days > 89 && days <= 90, outs.tokenExpires);
        assert.equal(vim.diff(id, outs, inputs()).changes, false);
        api.tokenAge = 46 * 86_400;
        const old = (await vim.create(inputs(), listener())).outs;
        assert.equal(vim.diff(id, old, inputs()).changes, true);
        api.tokenAge = 0;
        const renewed = (await vim.update(id, old, inputs(), listener())).outs;
        assert.equal(vim.diff(id, renewed, inputs()).changes, false);
        assert.ok(api.tokens.has(old.bearerToken), "who has not got the new one yet goes on");
    });

    it("exchanges a token of a former service-account key: one that ends at once, so that its users have time, a lasting one with that key", async () => {
        const token = (kid: string, more: object = {}) =>
            [{ alg: "RS256", kid }, { sub: "a", ...more }, "signature"]
                .map(part => Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url"))
                .join(".");
        const now = Math.floor(Date.now() / 1000);
        const ends = { iat: now, exp: now + 86_400 };
        const clusterId = "core-1a2b3c4d";
        const { id, outs } = await vim.create(inputs({ clusterId }), listener());
        const exchanged = (bearerToken: string, keys: SigningKeys) => {
            const context = listener();
            noteSigningKeys(context, clusterId, { signs: undefined, alone: undefined, ...keys });
            return vim.diff(id, { ...outs, bearerToken }, inputs({ clusterId }), context).changes;
        };
        const of = (bearerToken: string) =>
            [{}, { signs: "new" }, { signs: "new", alone: "new" }, { signs: unmade }].map(keys =>
                exchanged(bearerToken, keys),
            );
        assert.deepEqual(of(token("old", ends)), [false, true, true, true]);
        assert.deepEqual(of(token("old")), [false, false, true, false]);
        assert.deepEqual(of(token("new", ends)), [false, false, false, true]);
        assert.deepEqual(of("opaque"), [false, false, false, false]);
        noteSigningKeys(listener(), clusterId, { signs: undefined, alone: undefined });
    });

    it("hands out one that never ends where that is said", async () => {
        const { outs } = await vim.create(inputs({ serviceAccount: { tokenLifeSeconds: 0 } }), listener());
        assert.equal(outs.bearerToken, "token-of-nfv-vim-token-1");
        assert.equal(outs.tokenExpires, "");
    });

    it("lists every right that the credentials lack, and makes nothing", async () => {
        api.refused.add("create clusterrolebindings").add("patch secrets");
        await assert.rejects(vim.create(inputs(), listener()), error => {
            const { code, message } = error as { code: string; message: string };
            assert.equal(code, "API_REFUSED");
            assert.match(message, /create clusterrolebindings\.rbac\.authorization\.k8s\.io\n/);
            assert.match(message, /patch secrets in namespace kube-system/);
            return true;
        });
        assert.equal(api.objects.size, 0);
        assert.ok(neededRights({ clusterRole: "view" }).every(({ resource }) => resource !== "clusterroles"));
    });

    it("waits for an API that has only just begun to answer", async () => {
        api.notYet = 2;
        assert.equal((await vim.create(inputs(), listener())).outs.serverVersion, "v1.34.4");
    });

    it("bears that a load balancer cuts any of its requests, also while the token is rotated", async () => {
        api.cutsFirst = true;
        const { id, outs } = await vim.create(inputs(), listener());
        const renewed = await vim.update(id, outs, inputs({ tokenGeneration: 2 }), listener());
        assert.notEqual(renewed.outs.bearerToken, outs.bearerToken);
        assert.ok(
            api.seen.some(({ method }) => method === "PATCH") && api.seen.some(({ method }) => method === "DELETE"),
        );
    }).timeout(120_000);

    it("waits until every API server behind the endpoint knows the new token", async () => {
        api.unheardOf = 3;
        const { outs } = await vim.create(inputs(), listener());
        assert.ok(api.unheardOf <= 0);
        const answers = api.seen.filter(({ authorization }) => authorization === `Bearer ${outs.bearerToken}`);
        assert.ok(answers.length >= 3 + 5, "refused three times, then accepted more than once in a row");
    });

    it("says at once when the certificate does not fit", async () => {
        const other = await FakeApi.start();
        try {
            const began = Date.now();
            await assert.rejects(vim.create(inputs({ caCertificate: other.ca }), listener()), error => {
                assert.match((error as Error).message, /API_UNREACHABLE[\s\S]*Check caCertificate/);
                return true;
            });
            assert.ok(Date.now() - began < 5000);
        } finally {
            await other.stop();
        }
    });

    it("leaves the server unverified only if that is said in full, and warns", async () => {
        // warned of once in a run, by its address: a former test may have had the same port
        await endRun();
        const context = listener();
        const { outs } = await vim.create(inputs({ caCertificate: undefined, sslCaCert: "none" }), context);
        assert.match(context.warned[0], /is not verified/);
        assert.equal(outs.vimConnectionInfo.interfaceInfo.ssl_ca_cert, "None");
    });

    it("warns of that at preview, too, and once in a run", async () => {
        const unverified = inputs({ caCertificate: undefined, sslCaCert: "none" });
        const warnings = (context: ReturnType<typeof listener>) =>
            context.warned.filter((text: string) => text.includes("is not verified"));
        for (const later of [{}, { endpoint: unknownValue }, { auth: unknownValue as never }]) {
            await endRun();
            const preview = listener();
            await vim.checkInCloud!({}, { ...unverified, ...later }, preview);
            assert.equal(warnings(preview).length, 1);
            assert.ok(!preview.warned[0].includes(unknownValue), preview.warned[0]);
        }
        await endRun();
        const up = listener();
        await vim.checkInCloud!({}, unverified, up);
        const { outs } = await vim.create(unverified, up);
        assert.equal(warnings(up).length, 1);
        await endRun();
        const next = listener();
        await vim.checkInCloud!(outs, unverified, next);
        assert.equal(warnings(next).length, 0, "nothing changes");
        await vim.checkInCloud!({ ...outs, sslCaCert: undefined, caCertificate: api.ca }, unverified, next);
        assert.equal(warnings(next).length, 1);
        await vim.checkInCloud!({}, inputs(), next);
        assert.equal(warnings(next).length, 1);
    });

    it("refuses inputs that say too little or too much", () => {
        const problems = (changes: Partial<VimInputs>) =>
            vim.check({}, inputs(changes)).failures!.map(({ property }) => property);
        assert.deepEqual(problems({}), []);
        assert.deepEqual(problems({ caCertificate: undefined }), ["caCertificate"]);
        assert.deepEqual(problems({ sslCaCert: "none" }), ["caCertificate"]);
        assert.deepEqual(problems({ caCertificate: undefined, sslCaCert: "off" }), ["sslCaCert"]);
        assert.deepEqual(problems({ endpoint: "http://x:6443" }), ["endpoint"]);
        assert.deepEqual(problems({ auth: {} }), ["auth"]);
        assert.deepEqual(problems({ auth: { clientCertificate: "c" } }), ["auth"]);
        assert.deepEqual(problems({ auth: { bearerToken: "t", clientCertificate: "c", clientKey: "k" } }), ["auth"]);
        assert.deepEqual(
            problems({ endpoint: unknownValue, caCertificate: unknownValue, auth: unknownValue as never }),
            [],
        );
    });

    it("hands out the credentials themselves where no account is asked for", async () => {
        const { outs } = await vim.create(inputs({ serviceAccount: undefined }), listener());
        assert.equal(outs.bearerToken, "admin-token");
        assert.equal(api.objects.size, 0);
    });

    it("logs in with OpenID Connect, by discovery or by token URL", async () => {
        const oidc = { clientId: "nfv", username: "u", password: "right", caCertificate: api.ca };
        for (const place of [{ issuerUrl: api.endpoint }, { tokenUrl: `${api.endpoint}/token` }]) {
            const { outs } = await vim.create(inputs({ auth: { oidc: { ...oidc, ...place } } }), listener());
            assert.ok(api.tokens.has(outs.bearerToken));
        }
        const wrong = { oidc: { ...oidc, password: "wrong", issuerUrl: api.endpoint } };
        await assert.rejects(vim.create(inputs({ auth: wrong }), listener()), error => {
            assert.match((error as Error).message, /API_REFUSED[\s\S]*wrong password/);
            assert.ok(!(error as Error).message.includes('"wrong"'));
            return true;
        });
    });

    describe("by OpenID Connect without an account of its own", () => {
        const jwt = (seconds: number) => {
            const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
            return `${part({})}.${part({ exp: Math.floor(Date.now() / 1000) + seconds })}.signature`;
        };
        const lend = (token: string) => {
            api.idToken = token;
            api.tokens.add(token);
        };
        const lent = () => {
            const oidc = { clientId: "nfv", username: "u", password: "right", caCertificate: api.ca };
            const auth = { oidc: { ...oidc, issuerUrl: api.endpoint } };
            return inputs({ auth, serviceAccount: undefined });
        };

        it("hands out the provider's token in a kubeconfig that works; orchestrators get the login", async () => {
            const token = jwt(3600);
            lend(token);
            const { id, outs } = await vim.create(lent(), listener());
            assert.deepEqual(parse(outs.kubeconfig).users[0].user, { token });
            assert.equal(outs.bearerToken, token);
            assert.equal(outs.vimConnectionInfo.accessInfo["username"], "u");
            assert.equal(vim.diff(id, outs, lent()).changes, false);
        });

        it("renews the token by the next update when its time is nearly over", async () => {
            lend(jwt(60));
            const { id, outs } = await vim.create(lent(), listener());
            assert.equal(vim.diff(id, outs, lent()).changes, true);
            lend(jwt(3600));
            const renewed = (await vim.update(id, outs, lent(), listener())).outs;
            assert.equal(renewed.bearerToken, api.idToken);
            assert.equal(vim.diff(id, renewed, lent()).changes, false);
        });

        it("tries the token itself at a refresh: a new login would hide that the old one is refused", async () => {
            lend("no-jwt");
            const { id, outs } = await vim.create(lent(), listener());
            assert.equal((await vim.read(id, outs, listener())).props!.problem, "");
            api.tokens.delete("no-jwt");
            lend("another");
            const { props } = await vim.read(id, outs, listener());
            assert.match(props!.problem, /refuses the credentials/);
            assert.equal(vim.diff(id, props!, lent()).changes, true);
        });
    });

    it("rotates its token: the new one works, the former one is gone", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        const news = inputs({ tokenGeneration: 2 });
        assert.equal(vim.diff(id, outs, news).changes, true);
        const rotated = (await vim.update(id, outs, news, listener())).outs;
        assert.notEqual(rotated.bearerToken, outs.bearerToken);
        assert.ok(api.tokens.has(rotated.bearerToken));
        assert.ok(!api.tokens.has(outs.bearerToken));
        assert.equal([...api.objects.values()].filter(({ kind }) => kind === "Secret").length, 1);
    });

    describe("after a restore of etcd", () => {
        /** The objects of a former time are there again. */
        const bringBack = (before: Map<string, Record<string, unknown>>) => {
            for (const [path, object] of before) if (!api.objects.has(path)) api.objects.set(path, object);
        };

        it("a token that was ended does not stay valid: its Secret is deleted, and nothing of others", async () => {
            const { id, outs } = await vim.create(inputs(), listener());
            const before = new Map(api.objects);
            const news = inputs({ tokenGeneration: 2 });
            const { outs: rotated } = await vim.update(id, outs, news, listener());
            bringBack(before);
            const other = { ...inputs({ name: "other", owner: "another" }), serviceAccount: { name: "other" } };
            await vim.create(other, listener());
            const seen = (await vim.read(id, rotated, listener())).props!;
            assert.match(seen.problem, /left of former registrations: secrets kube-system\/nfv-vim-bound-1$/);
            assert.equal(vim.diff(id, seen, news).changes, true);
            const context = listener();
            const { outs: repaired } = await vim.update(id, seen, news, context);
            assert.match(context.noted.join(), /deleted what was left .*: secrets kube-system\/nfv-vim-bound-1$/m);
            const secrets = [...api.objects.keys()].filter(path => path.includes("/secrets/"));
            assert.deepEqual(
                secrets.map(path => path.split("/").at(-1)),
                ["nfv-vim-bound-2", "other-bound-1"],
            );
            assert.equal((await vim.read(id, repaired, listener())).props!.problem, "");
        });

        it("an account has not the rights of a former program again", async () => {
            const { id, outs } = await vim.create(inputs({ serviceAccount: { clusterAdmin: true } }), listener());
            const before = new Map(api.objects);
            const { outs: narrowed } = await vim.update(id, outs, inputs(), listener());
            bringBack(before);
            const seen = (await vim.read(id, narrowed, listener())).props!;
            assert.match(seen.problem, /clusterrolebindings pulumi-nfv:kube-system:nfv-vim:cluster-admin/);
            await vim.update(id, seen, inputs(), listener());
            assert.ok(![...api.objects.keys()].some(path => path.endsWith("cluster-admin")));
        });

        it("says that it could not find out, where the credentials may not list", async () => {
            api.refused.add("list secrets");
            const context = listener();
            await vim.create(inputs(), context);
            assert.match(context.warned.join(), /a token that was ended, was not found out: .*cannot list secrets/);
        });
    });

    it("finds at a refresh that its token is refused, and the next update makes it work again", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        assert.deepEqual((await vim.read(id, outs, listener())).props, outs);
        api.tokens.delete(outs.bearerToken);
        const { props } = await vim.read(id, outs, listener());
        assert.notEqual(props!.problem, "");
        assert.equal(vim.diff(id, props!, inputs()).changes, true);
        const { outs: repaired } = await vim.update(id, props!, inputs(), listener());
        assert.ok(api.tokens.has(repaired.bearerToken));
        assert.equal(repaired.problem, "");
    });

    it("does not take over what somebody else made", async () => {
        const path = "/api/v1/namespaces/kube-system/serviceaccounts/nfv-vim";
        api.objects.set(path, { kind: "ServiceAccount", metadata: { name: "nfv-vim" } });
        await assert.rejects(vim.create(inputs(), listener()), /NOT_OURS[\s\S]*exists already: not made by pulumi-nfv/);
    });

    it("does not take over another Vim's account of the same name, and does not delete it", async () => {
        const { outs } = await vim.create(inputs(), listener());
        const other = { owner: "core-2" };
        await assert.rejects(
            vim.create(inputs(other), listener()),
            /ServiceAccount nfv-vim exists already: made by core-1/,
        );
        await vim.delete("core", { ...outs, ...other }, listener());
        assert.ok(api.tokens.has(outs.bearerToken));
    });

    it("removes what it made, and nothing else", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        api.objects.set("/api/v1/other", { kind: "ConfigMap", metadata: { name: "other" } });
        await vim.delete(id, outs, listener());
        assert.deepEqual([...api.objects.keys()], ["/api/v1/other"]);
    });

    it("is kept by a refresh and by its deletion when the cluster cannot be asked: its token may still work", async () => {
        const { id, outs } = await vim.create(inputs({ clusterId: "core-1" }), listener());
        await api.stop();
        const context = listener();
        assert.deepEqual((await vim.read(id, outs, context)).props, outs);
        await assert.rejects(
            vim.delete(id, outs, context),
            /^NfvError: core: remove the service account: API_UNREACHABLE[\s\S]*NFV_GIVE_UP=core-1\/vim:core pulumi destroy$/,
        );
        process.env[giveUpVariable] = "core-1/vim:core";
        try {
            await vim.delete(id, outs, context);
        } finally {
            delete process.env[giveUpVariable];
            api = await FakeApi.start();
        }
        assert.match(context.warned.at(-1)!, /core: it was given up, its service account was not removed/);
    });

    it("is not forgotten when the cluster refuses the credentials", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        api.tokens.delete("admin-token");
        await assert.rejects(vim.delete(id, outs, listener()), /API_REFUSED[\s\S]*correct `auth`/);
        assert.ok(api.tokens.has(outs.bearerToken));
    });

    it("removes what is left of an account that somebody deleted in part", async () => {
        const { id, outs } = await vim.create(inputs(), listener());
        api.objects.delete("/api/v1/namespaces/kube-system/serviceaccounts/nfv-vim");
        api.notYet = 1;
        await vim.delete(id, outs, listener());
        assert.deepEqual([...api.objects.keys()], []);
    });
});
