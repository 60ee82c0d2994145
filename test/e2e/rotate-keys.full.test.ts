import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killAtEachMoment } from "../support/kill-at-each-moment";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { apply } from "./cluster-observed";
import { longestGap, startWriter } from "./writer";

const masters = ["m1", "m2", "m3"];
const nodes = [...masters, "w1"];
/** What the run says in the middle of each part. */
const moments = [
    "make the new encryption key known",
    "encrypt with the new key",
    "encrypt all Secrets with the new key",
    "remove the former encryption key",
];
const settings = "/etc/kubernetes/pulumi-nfv/kube-apiserver/encryption.yaml";
const secretsIn = "jsonpath={range .items[*]}{.metadata.name}{.data}{end}";

/** Real kubeadm nodes: the key that encrypts Secrets is exchanged while clients write. */
describe("a cluster whose encryption key is rotated", function () {
    this.timeout("40m");
    asStory(this);
    let fixture: Fixture;
    /** All keys that were in use before. */
    const former = new Set<string>();
    let stateBefore: string;

    const give = async (word?: string, heal?: { run: string; nodes: string[] }, labels?: object) => {
        const given = clusterArguments(fixture.lab, { masters, workers: ["w1"] });
        const args = {
            ...given,
            ...(labels && { controlPlane: { ...(given["controlPlane"] as object), labels } }),
            ...{ registries: {}, ...(word && { rotate: { encryptionKey: word } }), ...(heal && { heal }) },
        };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig(
            { cluster: JSON.stringify(args), objects: "[]" },
            { secrets: JSON.stringify(secrets) },
        );
    };
    /** Node → its keys as "NAME SECRET", the one that encrypts first. */
    const keysOn = async (members = masters) => {
        const read = `sed -n 's/^ *-* *\\(name\\|secret\\): *//p' ${settings} | tr -d '"' | paste -d ' ' - -`;
        const all = members.map(async m => [m, (await fixture.lab.mustSsh(m, read)).trim().split("\n")] as const);
        return Object.fromEntries(await Promise.all(all));
    };
    const noteKeys = async () => {
        for (const keys of Object.values(await keysOn())) for (const key of keys) former.add(key.split(" ")[1]!);
    };
    /** Name of a key in etcd → how many Secrets it encrypts. */
    const inEtcd = async () => {
        const pki = "/etc/kubernetes/pki/etcd";
        const login = [`--cacert=${pki}/ca.crt`, `--cert=${pki}/server.crt`, `--key=${pki}/server.key`];
        const get = ["get", "/registry/secrets/", "--prefix", "--print-value-only"];
        const exec = ["-n", "kube-system", "exec", "etcd-m1", "-c", "etcd", "--", "etcdctl", ...login, ...get];
        const counts: Record<string, number> = {};
        // A session of kubectl ends when the load balancer gives up a busy API server.
        const values = await eventually(60, () => fixture.kubectl(...exec));
        for (const [, name] of values.matchAll(/k8s:enc:secretbox:v1:([^:]+)/g))
            counts[name!] = (counts[name!] ?? 0) + 1;
        return counts;
    };
    const secretCount = async () =>
        (await fixture.kubectl("get", "secrets", "-A", "-o", "name")).trim().split("\n").length;
    const onServer = (m: string, ...args: string[]) =>
        fixture.kubectl("--server", `https://${fixture.lab.node(m).address}:6443`, ...args);
    /** Hash of the Secrets, which all API servers read. */
    const contents = async () => {
        const read = masters.map(m => onServer(m, "get", "secrets", "-n", "many", "-o", secretsIn));
        const all = new Set((await Promise.all(read)).map(data => createHash("sha256").update(data).digest("hex")));
        assert.equal(all.size, 1, "the API servers give the same");
        return [...all][0]!;
    };
    const processes = async () =>
        Promise.all(masters.map(m => fixture.lab.mustSsh(m, "pgrep -x kube-apiserver; pgrep -x etcd")));
    /** The key as it could stand in a text: itself, its bytes in hex, and in base64 once more, at each offset. */
    const formsOf = (key: string) => [
        key.replace(/=+$/, ""),
        Buffer.from(key, "base64").toString("hex"),
        ...[0, 1, 2].map(n =>
            Buffer.from(" ".repeat(n) + key)
                .toString("base64")
                .slice(n === 0 ? 0 : 4, -4),
        ),
    ];
    /** One key everywhere, that was never in use before, and no trace of the others. */
    const isRotated = async () => {
        const keys = await keysOn();
        const [only] = keys["m1"]!;
        for (const master of masters) assert.deepEqual(keys[master], [only], master);
        const [name = "", secret = ""] = only!.split(" ");
        assert.ok(!former.has(secret), "it is another key");
        assert.deepEqual(await inEtcd(), { [name]: await secretCount() });
        const state = await fixture.project.run(["stack", "export", "--show-secrets"]);
        assert.ok(state.includes(secret), "the state has the key");
        const { resources, pending_operations: pending = [] } = JSON.parse(state).deployment;
        for (const form of [...former].flatMap(formsOf)) {
            const holders = [...resources, ...pending].filter((each: object) => JSON.stringify(each).includes(form));
            assert.deepEqual(
                holders.map(({ urn }: { urn: string }) => urn),
                [],
                "the state has a former key",
            );
            assert.ok(!state.includes(form));
        }
        for (const key of former)
            for (const master of masters) {
                const folders = "/etc/kubernetes /var/lib/pulumi-nfv /run /var/log /tmp /root";
                const { stdout } = await fixture.lab.ssh(master, `grep -rlF -D skip '${key}' ${folders} 2>/dev/null`);
                assert.equal(stdout, "", `${master} has a former key`);
            }
    };

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture({ name: "hrotate", nodes });
        await give();
        await fixture.project.up();
        await fixture.kubectl("create", "namespace", "many");
        const secret = (n: number) => ({
            ...{ apiVersion: "v1", kind: "Secret", metadata: { name: `s${n}`, namespace: "many" } },
            ...{ immutable: n % 7 === 0, stringData: { value: `text ${n} `.repeat(1 + (n % 5) * 200) } },
        });
        await apply(
            { ...fixture, kubectl: (_n, _d, ...args) => fixture.kubectl(...args) },
            ...Array.from({ length: 250 }, (_, n) => secret(n)),
        );
    });
    after(() => fixture?.close());

    it("says beforehand what happens on each control-plane node, and that nothing else changes", async () => {
        stateBefore = await fixture.project.exportStack();
        await give("2026-11");
        const preview = await fixture.project.preview("--diff");
        console.log(preview.replace(/^(?=.)/gm, "      "));
        for (const master of masters) assert.match(preview, new RegExp(`${master} *: "its API server gets to know`));
        const changes = [...preview.matchAll(/^ *(?:[-+~]|\+-|-\+) +(\S+)[: ]/gm)].map(([, type]) => type!);
        const ofCluster = new Set(changes.filter(type => type.includes("nfv:")).map(type => type.split(":")[2]!));
        const bracket = ["OperationStart", "OperationEnd"];
        assert.deepEqual(
            [...ofCluster].filter(type => !bracket.includes(type)),
            ["EncryptionRotation"],
        );
        await noteKeys();
        assert.deepEqual(await inEtcd(), { key1: await secretCount() });
    });

    it("does nothing in a run that leaves out the resource that makes the key", async () => {
        await assert.rejects(
            fixture.project.run(["up", "--yes", "--skip-preview", "--target", "**EncryptionRotation::*"]),
            /this run leaves out the resource ClusterKeys/,
        );
        assert.deepEqual(await inEtcd(), { key1: await secretCount() });
    });

    it("goes on after it was killed in each of its parts, while clients write, and no API server restarts", async () => {
        const before = {
            data: await contents(),
            processes: await processes(),
            kubeconfig: await fixture.project.output("kubeconfig"),
        };
        await fixture.kubectl("create", "configmap", "writer");
        const writer = startWriter(fixture.lab, `${fixture.folder}/kubeconfig`);
        const stop = new AbortController();
        const taken: number[] = [];
        const secrets = (async () => {
            for (let n = 0; !stop.signal.aborted; n++) {
                const create = ["-n", "default", "create", "secret", "generic", `during-${n}`];
                await fixture
                    .kubectl(...create, `--from-literal=value=v${n}`)
                    .then(() => taken.push(n))
                    .catch(console.log);
                await sleep(1000);
            }
        })();
        try {
            await sleep(3000);
            writer.since();
            const began = Date.now();
            const { kills, outcome } = await killAtEachMoment(fixture.project, ["up"], {
                momentIn: line => moments.find(moment => line.includes(moment)),
                afterKill: async () => {
                    assert.equal(await contents(), before.data, "all API servers read all Secrets");
                    const found = Object.entries(await keysOn()).map(
                        ([m, keys]) => `${m} ${keys.map(key => key.split(" ")[0])}`,
                    );
                    console.log(`      killed: ${found.join("; ")}; in etcd ${JSON.stringify(await inEtcd())}`);
                },
            });
            assert.equal(outcome.code, 0, outcome.output.slice(-3000));
            assert.deepEqual(kills, moments);
            console.log(`      all runs took ${Math.round((Date.now() - began) / 1000)} s`);
            const writes = writer.since();
            const failed = writes.filter(({ by }) => by === undefined).length;
            console.log(`      ${writes.length} writes, ${failed} failed, longest gap ${longestGap(writes)} s`);
            // The machine of the tests may be busy. That no API server ended is seen below.
            assert.ok(longestGap(writes) < 20, `no write for ${longestGap(writes)} s`);
        } finally {
            stop.abort();
            writer.stop();
            await secrets;
        }
        await isRotated();
        assert.equal(await contents(), before.data);
        assert.deepEqual(await processes(), before.processes);
        assert.equal(await fixture.project.output("kubeconfig"), before.kubeconfig);
        const read = [
            "get",
            "secrets",
            "-n",
            "default",
            "-o",
            "jsonpath={range .items[*]}{.metadata.name}={.data.value} {end}",
        ];
        const stored = await fixture.kubectl(...read);
        for (const n of taken)
            assert.ok(stored.includes(`during-${n}=${Buffer.from(`v${n}`).toString("base64")} `), `during-${n}`);
        console.log(`      ${taken.length} Secrets were made meanwhile`);
    });

    it("is rotated then: the same word does nothing, also after a refresh, and neither does taking it away", async () => {
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        const keys = await keysOn();
        await give();
        await fixture.project.up();
        assert.deepEqual(await keysOn(), keys);
        await isRotated();
    });

    it("keeps its key where somebody brings the state of before back: a run that would change its nodes is refused", async () => {
        const put = async (state: string) => {
            const file = path.join(fixture.folder, "state.json");
            fs.writeFileSync(file, state, { mode: 0o600 });
            await fixture.project.run(["stack", "import", "--file", file]);
            fs.rmSync(file);
        };
        const [keys, newest] = [await keysOn(), await fixture.project.exportStack()];
        await put(stateBefore);
        await give(undefined, undefined, { tier: "gold" });
        await assert.rejects(
            fixture.project.up({ refresh: true }),
            /ROTATION_FAILED[\s\S]*the state of the stack is from before rotate\.encryptionKey/,
        );
        assert.deepEqual(await keysOn(), keys);
        await put(newest);
        await give();
        await fixture.project.up();
        await isRotated();
    });

    it("is not touched while a control-plane node is away, and the preview says so", async () => {
        await noteKeys();
        await give("2027-01");
        await fixture.lab.powerOff("m3");
        await assert.rejects(
            fixture.project.preview(),
            /m3[\s\S]*All control-plane nodes must answer for rotate\.encryptionKey/,
        );
        await fixture.lab.powerOn("m3");
        await eventually(240, async () => assert.equal(await onServer("m3", "get", "--raw", "/readyz"), "ok"));
    });

    it("gives a node that is healed in the middle of a rotation all keys in use, and goes on", async () => {
        await noteKeys();
        await give("2027-01");
        const data = await contents();
        // m3 takes part in the rotation, so it notes that itself: only another one's word shows that a join brings what the others know.
        const notes = "/var/lib/pulumi-nfv/rotated";
        await fixture.lab.mustSsh("m3", `rm ${notes}`);
        for (const m of ["m1", "m2"])
            await fixture.lab.mustSsh(m, `echo "$(cat /var/lib/pulumi-nfv/member) some-kind" >>${notes}`);
        const { kills, outcome } = await killAtEachMoment(fixture.project, ["up"], {
            // Killed once. The run after it is the one with the heal.
            momentIn: line => (line.includes(moments[1]!) ? moments[1] : undefined),
            afterKill: () => give("2027-01", { run: "one", nodes: ["m3"] }),
        });
        assert.equal(outcome.code, 0, outcome.output.slice(-3000));
        assert.deepEqual(kills, [moments[1]]);
        await isRotated();
        assert.equal(await contents(), data);
        assert.match(await fixture.kubectl("get", "node", "m3"), / Ready/);
        assert.match(await fixture.lab.mustSsh("m3", `cat ${notes}`), /^\S+ some-kind$/m);
        await fixture.project.up({ expectNoChanges: true });
    });
});
