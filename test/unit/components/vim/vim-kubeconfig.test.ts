import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Cnf, Vim } from "../../../../components";
import type { VimArgs } from "../../../../components/args/vim-args";
import { problems } from "../../../../components/validation/validate";
import { unpack as unpacked } from "../../../../provider/contract/packed";
import { renderKubeconfig } from "../../../../provider/identity";
import { createAuthority } from "../../../../provider/identity/certificates";
import { isSecret, record, registered } from "../recorder";

describe("a kubeconfig of a Vim", () => {
    const endpoint = "https://10.0.0.1:6443";
    let ca: string;
    let key: string;
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    /** With two contexts; `cluster` and `user` change what belongs to the current one. */
    const config = ({
        cluster = {},
        user,
        ...top
    }: {
        [name: string]: unknown;
        cluster?: object;
        user?: object;
    } = {}) =>
        JSON.stringify({
            "current-context": "b",
            clusters: [
                { name: "A", cluster: { server: "https://10.0.0.2:6443", "certificate-authority-data": base64(ca) } },
                { name: "B", cluster: { server: endpoint, "certificate-authority-data": base64(ca), ...cluster } },
            ],
            users: [
                { name: "a", user: { "client-certificate-data": base64(ca), "client-key-data": base64(key) } },
                { name: "b", user: user ?? { token: "canary-token" } },
            ],
            contexts: [
                { name: "a", context: { cluster: "A", user: "a" } },
                { name: "b", context: { cluster: "B", user: "b", namespace: "nfv" } },
            ],
            ...top,
        });
    const said = (kubeconfig: string, more: object = {}) => problems("Vim", { kubeconfig, ...more }).join("\n");

    before(async () => {
        ({ certificate: ca, key } = await createAuthority("site", 1));
    });

    /** What the resource gets, and the outputs of the component. */
    const used = async (args: VimArgs) => {
        const { resources, result } = await record("up", () => new Vim("site", args));
        const access = resources.find(({ type }) => type.includes("dynamic"))!;
        const { endpoint: at, caCertificate, auth } = unpacked(access.inputs, []) as Record<string, unknown>;
        const shown = await new Promise(resolve => pulumi.output(result.endpoint).apply(resolve));
        return { access: { endpoint: at, caCertificate, auth }, shown, inputs: access.inputs };
    };

    it("takes null for what is not given, as kubectl does", async () => {
        const user = { token: "canary-token", exec: null, tokenFile: null, "client-certificate-data": null };
        const kubeconfig = config({ user, cluster: { "proxy-url": null, "certificate-authority": null } });
        strictEqual(said(kubeconfig), "");
        deepStrictEqual((await used({ kubeconfig })).access["auth"], { bearerToken: "canary-token" });
        match(said(config({ user: { token: null } })), /has neither a token nor a client certificate/);
    });

    it("says what is wrong with an alias, and not its name", () => {
        const text = said("clusters: []\nusers:\n  - name: *canary\ncontexts: []\n");
        match(text, /cannot be read as YAML: an alias/);
        doesNotMatch(text, /canary/);
    });

    it("gives server, authority and login of its current context, or of the one that is named", async () => {
        const token = { endpoint, caCertificate: ca, auth: { bearerToken: "canary-token" } };
        const certificate = { clientCertificate: ca, clientKey: key };
        for (const kubeconfig of [config(), pulumi.secret(config())]) {
            const found = await used({ kubeconfig });
            deepStrictEqual([found.access, found.shown], [token, endpoint]);
            ok(!("kubeconfig" in found.inputs) && !("context" in found.inputs));
            deepStrictEqual((await used({ kubeconfig, context: "a" })).access, {
                ...{ endpoint: "https://10.0.0.2:6443", caCertificate: ca, auth: certificate },
            });
        }
        strictEqual(said(config()), "");
        strictEqual(
            said(config({ contexts: [{ name: "b", context: { cluster: "B", user: "b" } }], "current-context": "" })),
            "",
        );
    });

    it("is as Kubernetes' own tools and this package write it", () => {
        strictEqual(said(renderKubeconfig({ name: "core", endpoint, ca, token: "t" })), "");
        strictEqual(said(renderKubeconfig({ name: "core", endpoint, ca, clientCert: ca, clientKey: key })), "");
    });

    it("keeps its login secret, also where the text was none, and network functions are applied with it", async () => {
        const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
        const { resources } = await record(
            "up",
            () => new Cnf("upf", { vim: new Vim("site", { kubeconfig: config() }), objects: [settings] }),
        );
        const text = (hidden: (value: unknown) => boolean) =>
            JSON.stringify(
                resources.map(({ raw }) => raw),
                (_, value) => (hidden(value) ? "" : value),
            );
        doesNotMatch(text(isSecret), /canary/);
        const { inputs } = registered(resources, "kubernetes site-cnf");
        match(String(inputs["kubeconfig"]), /server: https:\/\/10\.0\.0\.1:6443\n(.|\n)*token: canary-token\n/);
    });

    it("is refused where kubectl would run a program, read a file, not verify, or do what we do not: which, why, what is right", () => {
        const exec = { exec: { command: "aws", apiVersion: "client.authentication.k8s.io/v1" } };
        const rows: [string, RegExp][] = [
            [config({ user: exec }), /user "b" \(exec\) logs in by a program.*kubectl create token/],
            [config({ user: { "auth-provider": { name: "oidc" } } }), /\(auth-provider\).*auth\.oidc of the Vim/],
            [config({ user: { tokenFile: "/t" } }), /\(tokenFile\).*put the token itself/],
            [config({ user: { username: "u", password: "canary-token" } }), /by name and password/],
            [config({ user: { token: "t", as: "root" } }), /\(as\) acts as another user/],
            [config({ user: { "client-certificate": "/c", "client-key": "/k" } }), /names files .*--raw --flatten/],
            [config({ user: { "client-certificate-data": base64(ca) } }), /needs both/],
            [config({ user: {} }), /user "b" has neither a token nor a client certificate/],
            [
                config({ user: { "client-certificate-data": "canary-token", "client-key-data": "x" } }),
                /is no PEM text in base64/,
            ],
            [
                config({ cluster: { "insecure-skip-tls-verify": true } }),
                /cluster "B" does not verify.*sslCaCert: "none"/,
            ],
            [config({ cluster: { "certificate-authority-data": "" } }), /has no certificate-authority-data/],
            [
                config({ cluster: { "certificate-authority-data": "", "certificate-authority": "/ca" } }),
                /names a file .*--flatten/,
            ],
            [config({ cluster: { "proxy-url": "http://p" } }), /\(proxy-url\) is reached by a proxy/],
            [config({ cluster: { "tls-server-name": "x" } }), /\(tls-server-name\)/],
            [config({ cluster: { server: "http://10.0.0.1" } }), /no server with https/],
            [
                config({ cluster: { server: "https://rancher.site/k8s/clusters/c-1" } }),
                /server must be an https URL without a path/,
            ],
            [config({ "current-context": undefined }), /has no current-context: give `context`, one of: a, b/],
            [
                config({ contexts: [{ name: "b", context: { cluster: "C", user: "b" } }] }),
                /names no cluster that is among its clusters/,
            ],
            ["~/.kube/config", /is no kubeconfig: give its text .* not a path/],
            ["a: [canary-token", /cannot be read as YAML, at line 1/],
            ["a: 1\nb: 2", /it has no lists clusters, users and contexts/],
        ];
        for (const [text, expected] of rows) {
            match(said(text), /^kubeconfig: /);
            match(said(text), expected);
            doesNotMatch(said(text), /canary/);
        }
        match(said(config(), { context: "c" }), /has no context "c"; it has: a, b/);
    });

    it("stands alone: other inputs for the same are refused, and one of both is required", () => {
        match(said(config(), { endpoint }), /^endpoint: the kubeconfig has it/);
        match(said(config(), { auth: { bearerToken: "t" } }), /^auth: the kubeconfig has it/);
        const without = problems("Vim", { caCertificate: ca }).join("\n");
        match(without, /endpoint: is required, unless a kubeconfig is given\nauth: is required/);
        match(
            problems("Vim", { endpoint, caCertificate: ca, auth: { bearerToken: "t" }, context: "a" }).join(),
            /^context: is one of a kubeconfig/,
        );
    });

    it("that is wrong and known only later is refused by the check of the first resource", async () => {
        const kubeconfig = pulumi.output(config({ user: { tokenFile: "/t" } }));
        const { resources } = await record("up", () => new Vim("site", { kubeconfig }));
        const access = resources.find(({ type }) => type.includes("dynamic"))!;
        match(String(access.inputs["problems"]), /INVALID_INPUT\n\s+kubeconfig: user "b" \(tokenFile\)/);
    });
});
