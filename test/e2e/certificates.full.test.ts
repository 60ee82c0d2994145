import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { endsOnDisk, issueFor, servedCertificates } from "./certificates-on-nodes";
import { clusterArguments, eventually, type Fixture, openFixture, webObjects } from "./cluster-fixture";
import { longestGap, startWriter } from "./writer";

const masters = ["m1", "m2", "m3"];
const nodes = [...masters, "w1"];
const day = 86_400_000;

/** Real kubeadm nodes: certificates that are due are renewed one node after another. */
describe("a cluster whose certificates end", function () {
    this.timeout("25m");
    asStory(this);
    let fixture: Fixture;

    const give = async () => {
        const args = { ...clusterArguments(fixture.lab, { masters, workers: ["w1"] }), registries: {} };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        const given = { cluster: JSON.stringify(args), objects: JSON.stringify(webObjects) };
        await fixture.project.setConfig(given, { secrets: JSON.stringify(secrets) });
    };
    const allReady = () =>
        eventually(240, async () => {
            const lines = (await fixture.kubectl("get", "nodes", "--no-headers")).trim().split("\n");
            assert.equal(lines.filter(line => / Ready /.test(line)).length, nodes.length, lines.join("\n"));
        });
    const servedByAll = async () =>
        Object.fromEntries(
            await Promise.all(masters.map(async m => [m, await servedCertificates(fixture.lab, m)] as const)),
        );
    /** Every certificate holds for most of a year, and every program serves another one than before. */
    const isRenewed = async (before: Record<string, Record<string, string>>) => {
        const after = await servedByAll();
        for (const master of masters) {
            for (const [component, seen] of Object.entries(after[master]!)) {
                const end = Date.parse(/notAfter=(.*?) sha256/i.exec(seen)?.[1] ?? "");
                assert.ok(end > Date.now() + 300 * day, `${component} of ${master} serves ${seen}`);
                if (component !== "kubelet")
                    assert.notEqual(seen, before[master]![component], `${component} of ${master}`);
            }
        }
        for (const node of nodes)
            for (const [file, end] of Object.entries(await endsOnDisk(fixture.lab, node)))
                assert.ok(end.getTime() > Date.now() + 300 * day, `${file} of ${node} ends ${end.toISOString()}`);
    };
    /** Nothing of these may change or be replaced by a renewal. */
    const untouched = async () => ({
        uids: await fixture.kubectl(
            "-n",
            "web",
            "get",
            "pods,deployments,services",
            "-o",
            "jsonpath={range .items[*]}{.metadata.uid} {end}",
        ),
        token: await fixture.project.output("token"),
        kubeconfig: await fixture.project.output("kubeconfig"),
    });

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture({ name: "ends", nodes });
        await give();
        await fixture.project.up();
    });
    after(() => fixture?.close());

    it("has nothing to renew at first", () => fixture.project.up({ expectNoChanges: true }));

    it("names at preview, on each master, what will be renewed and why; nothing is replaced", async () => {
        for (const master of masters) await issueFor(fixture.lab, master, "984h");
        await allReady();
        await fixture.project.refresh();
        const preview = await fixture.project.preview();
        for (const master of masters)
            assert.match(preview, new RegExp(`${master}: renew certificates: .*apiserver.* end in 40 days`));
        assert.doesNotMatch(preview, /w1: renew|replace|Cnf.*update|VimRegistration.*update/);
    });

    it("renews them one master after another, and a client through the virtual address hardly notices", async () => {
        const before = { served: await servedByAll(), others: await untouched() };
        await fixture.kubectl("create", "configmap", "writer");
        const writer = startWriter(fixture.lab, `${fixture.folder}/kubeconfig`);
        try {
            await sleep(3000);
            writer.since();
            await fixture.project.up();
            const writes = writer.since();
            const failed = writes.filter(({ by }) => by === undefined).length;
            console.log(`      ${writes.length} writes, ${failed} failed, longest gap ${longestGap(writes)} s`);
            assert.ok(longestGap(writes) < 30, `no write for ${longestGap(writes)} s`);
        } finally {
            writer.stop();
        }
        await isRenewed(before.served);
        assert.deepEqual(await untouched(), before.others);
    });

    it("is renewed then: a second up changes nothing, also after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
