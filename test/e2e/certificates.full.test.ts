import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { killTree } from "../support/kill-tree";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import {
    endStaticPods,
    endsOnDisk,
    giveKubeletMinute,
    giveKubeletServingDays,
    issueFor,
    servedCertificates,
} from "./certificates-on-nodes";
import { clusterArguments, eventually, type Fixture, openFixture, webObjects } from "./cluster-fixture";
import { longestGap, startWriter } from "./writer";

const masters = ["m1", "m2", "m3"];
const nodes = [...masters, "w1"];
const day = 86_400_000;

/** Real kubeadm nodes: certificates that are due are renewed one node after another, and ended ones are brought back. */
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

    it("is renewed by the next up when the run is killed in the middle of it", async () => {
        for (const master of masters) await issueFor(fixture.lab, master, "984h");
        await allReady();
        await fixture.project.refresh();
        const before = await servedByAll();
        let begun = () => {};
        const middle = new Promise<void>(resolve => {
            begun = resolve;
        });
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"], text => {
            if (/\d\/\d+ renew certificates/.test(text)) begun();
        });
        await Promise.race([middle, run.done]);
        killTree(run.pid);
        await run.done;
        await fixture.project.run(["cancel", "--yes"]);
        await fixture.project.up();
        await isRenewed(before);
        await allReady();
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("is brought back by up when all certificates have ended, those of kubelets too", async () => {
        for (const node of nodes) await giveKubeletServingDays(fixture.lab, node, 20);
        for (const master of masters) await issueFor(fixture.lab, master, "5m0s");
        const end = Date.now() + 305_000;
        await allReady();
        // The state knows from now on when they end; afterwards nothing can be asked any more.
        await fixture.project.refresh();
        for (const node of nodes) await giveKubeletMinute(fixture.lab, "m1", node);
        for (const master of masters) await fixture.lab.ssh(master, endStaticPods);
        await sleep(Math.max(end - Date.now(), 65_000));
        for (const node of nodes) await fixture.lab.ssh(node, "systemctl start --no-block kubelet");
        await assert.rejects(fixture.kubectl("get", "nodes", "--request-timeout=5s"));
        const before = await servedByAll();
        await fixture.project.up();
        await allReady();
        await isRenewed(before);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
