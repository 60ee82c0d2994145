import { strict as assert } from "node:assert";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import type { RequestClient } from "./request-client";
import { endClients, openClients } from "./upgrade-clients";
import { from, openUpgrade, to, type UpgradeFixture } from "./upgrade-fixture";
import { longestGap, type Writer } from "./writer";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];
const nodes = [...masters, ...workers];

describe("a cluster that moves to another Kubernetes version while it is in use", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: UpgradeFixture;
    let writer: Writer;
    let client: RequestClient;

    const times = async (node: string, act: string) =>
        Number(
            await fixture.lab.mustSsh(
                node,
                `journalctl --no-pager -o cat | grep -c '^nfv-step-${act} begins$' || true`,
            ),
        );

    before(async () => {
        fixture = await openUpgrade("upgrade", masters, workers);
        ({ writer, client } = await openClients(fixture, workers));
    });
    after(async () => {
        endClients({ writer, client });
        await fixture?.close();
    });

    it("says in preview what happens to each node, in which order, and which one stays", async () => {
        await fixture.give(to, { order: ["w2"], pauseAfter: "w2", soakSeconds: 20 });
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        console.log(
            output
                .split("\n")
                .filter(line => /operation:|upgrade|API/.test(line))
                .join("\n"),
        );
        assert.match(
            output,
            /change current package: kubernetes.source, kubernetes.upgrade, Kubernetes 1\.36\.2 to 1\.36\.3/,
        );
        assert.equal(output.match(/upgrade in place: Kubernetes 1\.36\.2 to 1\.36\.3/g)?.length, 4, output);
        assert.match(output, /^ *stays at Kubernetes 1\.36\.2 for now/m);
        assert.match(output, /the API of the cluster is available throughout/);
    });

    it("goes on after a kill in the middle of the second control-plane node, and moves no node twice", async () => {
        let killed = false;
        const began = Date.now();
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (killed || !/move the control plane to the Kubernetes version \(m2\)/.test(text)) return;
            killed = true;
            setTimeout(() => killTree(run.pid), 5000);
        });
        const first = await run.done;
        console.log(`      first run ${Math.round((Date.now() - began) / 1000)} s`);
        assert.ok(killed, first.output.slice(-3000));
        await fixture.project.stack.cancel();
        const half = await fixture.versions();
        assert.equal(half["m1"], `v${to}`, "the first one has moved");
        assert.equal(half["m3"], `v${from}`);
        assert.equal(half["w1"], `v${from}`);
        const again = Date.now();
        await fixture.project.up();
        console.log(`      second run ${Math.round((Date.now() - again) / 1000)} s`);
        const all = Object.fromEntries(nodes.map(name => [name, `v${to}`]));
        assert.deepEqual(await fixture.versions(), { ...all, w1: `v${from}` });
        assert.deepEqual(await Promise.all(masters.map(name => times(name, "upgrade.kubelet"))), [1, 1, 1]);
    });

    it("holds the worker behind the pause until the program lets it go", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.give(to, { order: ["w2"] });
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        assert.equal(output.match(/upgrade in place: Kubernetes 1\.36\.2 to 1\.36\.3/g)?.length, 1, output);
        await fixture.project.up();
        assert.deepEqual(await fixture.versions(), Object.fromEntries(nodes.map(name => [name, `v${to}`])));
        assert.deepEqual(await Promise.all(workers.map(name => times(name, "upgrade.kubelet"))), [1, 1]);
    });

    it("had its API and its network function all the time", () => {
        const writes = writer.since();
        const failed = writes.filter(({ by }) => by === undefined);
        const { requests, failures } = client.since();
        console.log(
            `      ${writes.length} writes, ${failed.length} failed, longest time without ${longestGap(writes)} s; ${requests} requests, ${failures.length} failed`,
        );
        for (const { problems } of failed) console.log(`      ${problems.join("; ")}`);
        assert.ok(longestGap(writes) < 30, `${longestGap(writes)} s without the API`);
        assert.ok(failures.length <= requests / 100, failures.join("\n"));
    });

    it("has the servers, add-ons and etcd's data from before as they are to be, and nothing is left of the move", async () => {
        const images = await fixture.kubectl(
            "-n",
            "kube-system",
            "get",
            "pods",
            "-o",
            "jsonpath={.items[*].spec.containers[*].image}",
        );
        const old = images.split(" ").filter(image => image.endsWith(`:v${from}`));
        assert.deepEqual(old, []);
        for (const name of masters) {
            assert.match(
                await fixture.lab.mustSsh(name, "ls /var/lib/pulumi-nfv/etcd-before-upgrade"),
                /^before-1\.36\.3\.db$/m,
            );
        }
        for (const name of nodes)
            assert.equal((await fixture.lab.ssh(name, "test -e /var/lib/pulumi-nfv/upgrade")).code, 1);
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/);
        await fixture.project.up({ expectNoChanges: true });
    });
});
