import { strict as assert } from "node:assert";
import { createHash, createPublicKey } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { killAtEachMoment } from "../support/kill-at-each-moment";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { dayPasses } from "./day-passes";
import { longestGap, startWriter } from "./writer";

const masters = ["m1", "m2", "m3"];
const nodes = [...masters, "w1"];
const pki = "/etc/kubernetes/pki";
/** What the run says in the middle of each part. */
const moments = ["accept tokens of the new service-account key", "sign tokens with the new service-account key"];
const momentsOfEnd = [
    "give Secrets with tokens one of the new key",
    "accept no tokens of the former service-account key",
];

/** Which key has signed a token. */
const signer = (token: string) => JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()).kid as string;
const nameOf = (pem: string) =>
    createHash("sha256")
        .update(createPublicKey(pem).export({ type: "spki", format: "der" }))
        .digest("base64url");

/** Real kubeadm nodes: the key that signs tokens is exchanged while clients hold tokens of the former one. */
describe("a cluster whose service-account key is rotated", function () {
    this.timeout("40m");
    asStory(this);
    let fixture: Fixture;
    /** Private keys that were in use before. */
    const former = new Set<string>();
    /** A token that somebody holds and does not renew. */
    let held: string;

    const give = async (word?: string, heal?: { run: string; nodes: string[] }) => {
        const args = {
            ...clusterArguments(fixture.lab, { masters, workers: ["w1"] }),
            ...{ registries: {}, ...(word && { rotate: { serviceAccountKey: word } }), ...(heal && { heal }) },
        };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig(
            { cluster: JSON.stringify(args), objects: "[]" },
            { secrets: JSON.stringify(secrets) },
        );
    };
    const onServer = (m: string, ...args: string[]) =>
        fixture.kubectl("--server", `https://${fixture.lab.node(m).address}:6443`, ...args);
    /** Node → names of the keys: the one that signs, and those that are accepted. */
    const keysOn = async () => {
        const all = masters.map(async m => {
            const key = await fixture.lab.mustSsh(m, `sudo cat ${pki}/sa.key`);
            const accepted = await fixture.lab.mustSsh(m, `sudo cat ${pki}/sa.pub`);
            const pems = accepted.split(/(?<=-----END PUBLIC KEY-----)\s*/).filter(Boolean);
            const signs = nameOf(createPublicKey(key).export({ type: "spki", format: "pem" }) as string);
            return [m, { signs, accepted: pems.map(nameOf) }] as const;
        });
        return Object.fromEntries(await Promise.all(all));
    };
    const noteKeys = async () => former.add((await fixture.lab.mustSsh("m1", `sudo cat ${pki}/sa.key`)).trim());
    const newToken = async (m: string) =>
        (await onServer(m, "create", "token", "default", "-n", "default", "--duration", "8h")).trim();
    /** Whether each API server knows who has it. */
    const accepted = async (token: string) => {
        const asked = masters.map(m => {
            const url = `https://${fixture.lab.node(m).address}:6443/api`;
            // No rights are needed for /api: 401 is of the token alone.
            const curl = `curl -sk -m 10 -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer ${token}' ${url}`;
            return fixture.lab.mustSsh(m, curl);
        });
        return (await Promise.all(asked)).map(code => code.trim() !== "401");
    };
    const all = (isAccepted: boolean) => masters.map(() => isAccepted);
    const secretToken = async () =>
        Buffer.from(
            await fixture.kubectl("get", "secret", "lasting", "-n", "default", "-o", "jsonpath={.data.token}"),
            "base64",
        ).toString();
    const uids = () => fixture.kubectl("get", "pods,nodes", "-A", "-o", "jsonpath={.items[*].metadata.uid}");

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture({ name: "hatokens", nodes });
        await give();
        await fixture.project.up();
        const lasting = path.join(fixture.folder, "lasting.json");
        const annotations = { "kubernetes.io/service-account.name": "default" };
        fs.writeFileSync(
            lasting,
            JSON.stringify({
                ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/service-account-token" },
                metadata: { name: "lasting", namespace: "default", annotations },
            }),
        );
        await fixture.kubectl("apply", "-f", lasting);
        await eventually(60, async () => assert.ok((await secretToken()).length > 100));
        held = await newToken("m1");
    });
    after(() => fixture?.close());

    it("says beforehand what happens on each control-plane node, and that nothing else changes but the token of the Vim, which ends by itself", async () => {
        await give("2026-11");
        const preview = await fixture.project.preview("--diff");
        console.log(preview.replace(/^(?=.)/gm, "      "));
        for (const master of masters)
            assert.match(preview, new RegExp(`${master} *: "its API server restarts to accept`));
        const changes = [...preview.matchAll(/^ *(?:[-+~]|\+-|-\+) +(\S+)[: ]/gm)].map(([, type]) => type!);
        const ofCluster = new Set(changes.filter(type => type.includes("nfv:")).map(type => type.split(":")[2]!));
        assert.deepEqual([...ofCluster].filter(type => !["OperationStart", "OperationEnd"].includes(type)).sort(), [
            "ServiceAccountRotation",
            "VimRegistration",
        ]);
        await noteKeys();
    });

    it("goes on after it was killed in each of its parts; tokens of both keys are accepted by all API servers, and no pod restarts", async () => {
        const before = {
            keys: await keysOn(),
            pods: await uids(),
            vim: await fixture.project.output("token"),
            kubeconfig: await fixture.project.output("kubeconfig"),
            secret: await secretToken(),
        };
        const [first] = before.keys["m1"]!.accepted;
        await fixture.kubectl("create", "configmap", "writer");
        const writer = startWriter(fixture.lab, `${fixture.folder}/kubeconfig`);
        const began = Date.now();
        try {
            const { kills, outcome } = await killAtEachMoment(fixture.project, ["up"], {
                momentIn: line => moments.find(moment => line.includes(moment)),
                afterKill: async () => {
                    const found = await keysOn();
                    const short = Object.entries(found).map(
                        ([m, { signs, accepted: known }]) =>
                            `${m} signs ${signs.slice(0, 6)}, accepts ${known.map(each => each.slice(0, 6))}`,
                    );
                    console.log(`      killed: ${short.join("; ")}`);
                    await eventually(120, async () => assert.deepEqual(await accepted(held), all(true)));
                    const fresh = await eventually(120, () => newToken("m1"));
                    await eventually(120, async () => assert.deepEqual(await accepted(fresh), all(true)));
                },
            });
            assert.equal(outcome.code, 0, outcome.output.slice(-3000));
            assert.deepEqual(kills, moments);
            const writes = writer.since();
            const failed = writes.filter(({ by }) => by === undefined).length;
            const seconds = Math.round((Date.now() - began) / 1000);
            console.log(
                `      all runs took ${seconds} s; ${writes.length} writes, ${failed} failed, longest gap ${longestGap(writes)} s`,
            );
        } finally {
            writer.stop();
        }
        const now = await keysOn();
        const { signs } = now["m1"]!;
        assert.notEqual(signs, first);
        for (const master of masters) assert.deepEqual(now[master], { signs, accepted: [signs, first] }, master);
        for (const master of masters) assert.equal(signer(await newToken(master)), signs);
        assert.equal(signer(held), first);
        assert.deepEqual(await accepted(held), all(true), "within the grace");
        assert.deepEqual(await accepted(before.secret), all(true), "within the grace");
        assert.equal(await secretToken(), before.secret);
        assert.equal(signer(await fixture.project.output("token")), signs, "the Vim's users have time to take over");
        assert.deepEqual(await accepted(before.vim), all(true), "within the grace");
        assert.equal(await uids(), before.pods, "no pod and no Node was made again");
        assert.equal(await fixture.project.output("kubeconfig"), before.kubeconfig);
    });

    it("changes nothing more until the grace is over, also after a refresh, and gives a healed node all keys", async () => {
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        const before = await keysOn();
        await give("2026-11", { run: "one", nodes: ["m3"] });
        await fixture.project.up();
        assert.deepEqual(await keysOn(), before);
        await eventually(120, async () => assert.deepEqual(await accepted(held), all(true)));
    });

    it("ends the former key with the first `up` after the grace, and leaves it in no file and in no state", async () => {
        await dayPasses(fixture, "ServiceAccountRotation", "signsSince");
        const preview = await fixture.project.preview("--diff");
        assert.match(
            preview,
            /m1: its API server restarts, and accepts tokens of the former service-account key no longer/,
        );
        const began = Date.now();
        const { kills, outcome } = await killAtEachMoment(fixture.project, ["up"], {
            momentIn: line => momentsOfEnd.find(moment => line.includes(moment)),
            afterKill: async () => {
                const token = await secretToken();
                await eventually(120, async () =>
                    assert.deepEqual(await accepted(token), all(true), "the Secret's token"),
                );
            },
        });
        assert.equal(outcome.code, 0, outcome.output.slice(-3000));
        assert.deepEqual(kills, momentsOfEnd);
        console.log(`      all runs took ${Math.round((Date.now() - began) / 1000)} s`);
        const { signs } = (await keysOn())["m1"]!;
        for (const token of [await secretToken(), await fixture.project.output("token")])
            assert.equal(signer(token), signs);
        for (const [master, keys] of Object.entries(await keysOn()))
            assert.deepEqual(keys, { signs, accepted: [signs] }, master);
        assert.deepEqual(await accepted(held), all(false));
        assert.deepEqual(await accepted(await secretToken()), all(true));
        assert.deepEqual(await accepted(await fixture.project.output("token")), all(true), "the Vim's token");
        const whole = await fixture.project.run(["stack", "export", "--show-secrets"]);
        for (const key of former) {
            const line = key.split("\n")[1]!;
            assert.ok(!whole.includes(line), "the state has a former key");
            for (const master of masters) {
                // Not by sudo, which would log the key.
                const folders = "/etc/kubernetes /var/lib/pulumi-nfv /run /var/log /tmp /root";
                const { stdout } = await fixture.lab.ssh(master, `grep -rlF -D skip '${line}' ${folders} 2>/dev/null`);
                assert.equal(stdout, "", `${master} has a former key`);
            }
        }
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("stays at work: pods whose tokens were renewed reach the API", async () => {
        // What kubelet does within an hour, by a restart.
        await fixture.kubectl("rollout", "restart", "deployment", "coredns", "-n", "kube-system");
        await fixture.kubectl("rollout", "status", "deployment", "coredns", "-n", "kube-system", "--timeout=180s");
    });
});
