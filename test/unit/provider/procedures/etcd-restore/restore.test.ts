import assert from "node:assert/strict";
import type { Context } from "../../../../../provider/contract/types";
import { etcdRestore } from "../../../../../provider/procedures/etcd-restore/restore";
import type { EtcdRestoreInputs } from "../../../../../provider/procedures/etcd-restore/restore-state";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { FakeFleet } from "../../../../../testing";
import { sampleEtcdBackup } from "../../etcd/sample-etcd-backup";
import { checkAs, endRun, listener } from "../../support/cluster";

describe("the restore of a cluster's etcd", () => {
    let fleet: FakeFleet;
    const clusterId = "core-12345678";
    const masters = ["m1", "m2", "m3"];
    const member = (name: string) =>
        `member=${clusterId}\nname=${name}\npeer=https://${name}:2380\nfolder=/var/lib/etcd\nrevision=5000\nhealthy=yes\n`;
    /** What print-restore-state says besides, by node. */
    let said: Record<string, string>;
    let others: string;
    let cameBack: string;

    const inputs = (run = "one"): EtcdRestoreInputs => {
        const connection = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
        return {
            ...{ clusterId, requestId: run, snapshot: "latest", nodes: { m1: "stops" } },
            backup: JSON.stringify(sampleEtcdBackup().backup),
            peers: JSON.stringify(masters.map(name => ({ name, connection: connection(name) }))),
            workers: JSON.stringify([{ name: "w1", connection: connection("w1") }]),
        };
    };
    const restore = (context: Context = listener(), run = "one") =>
        etcdRestore.create(checkAs("EtcdRestore", {}, inputs(run), context).inputs, context);
    const did = () =>
        masters.concat("w1").flatMap(name => fleet.node(name).agent.acts.map(({ id }) => `${name} ${id}`));
    const order = () =>
        fleet.events.filter(({ event }) => event === "begin").map(({ node, step }) => `${node} ${step}`);

    beforeEach(async () => {
        said = {};
        others = "";
        cameBack = "";
        fleet = await FakeFleet.start({ nodes: [...masters, "w1"] });
        for (const name of [...masters, "w1"]) {
            const { agent } = fleet.node(name);
            agent.belongsTo = { cluster: clusterId, node: name };
            agent.journal["cluster.join"] = "0123456789ab";
            fleet.node(name).onScript(({ stdin }) => {
                const text = stdin.toString();
                if (text.includes("print-restore-state")) return { stdout: member(name) + (said[name] ?? "") };
                if (text.includes("choose-snapshot")) return { stdout: "0123abcd 4000 2026-11-27T02:30:00Z\n" };
                if (text.includes("print-other-nodes")) return { stdout: others };
                if (text.includes("print-came-back")) return { stdout: cameBack };
                return {};
            });
        }
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("does each part on all control-plane nodes before the next one begins, then restarts kubelet on the workers", async () => {
        const context = listener();
        const { outs } = await restore(context);
        assert.deepEqual(outs.restored, { requestId: "one", snapshot: "0123abcd" });
        const seen = order().filter(each => /restore-(prepare|stop|exchange|start)|kubelet-again/.test(each));
        const parts = [seen.slice(0, 3), seen.slice(3, 6), seen.slice(6, 9), seen.slice(9, 12)].map(each =>
            each.sort(),
        );
        const of = (part: string) => masters.map(name => `${name} etcd.restore-${part}`);
        assert.deepEqual(parts, [of("prepare"), of("stop"), of("exchange"), of("start")]);
        assert.deepEqual(seen.slice(12), ["w1 node.kubelet-again"]);
        const [act] = fleet.node("m2").agent.acts.filter(({ id }) => id === "etcd.restore-prepare");
        assert.match(act!.script, /^BUMP='1000001000'$/m);
        assert.match(act!.script, /^MEMBERS='m1=https:\/\/m1:2380,m2=https:\/\/m2:2380,m3=https:\/\/m3:2380'$/m);
        const uploads = ["m1", "m2", "m3"].filter(name =>
            /^UPLOADS='?yes'?$/m.test(
                fleet.node(name).agent.acts.find(({ id }) => id === "etcd.restore-start")!.script,
            ),
        );
        assert.deepEqual(uploads, ["m1"], "one tells the cluster its version");
        assert.match(context.noted.join(), /pulumi up --refresh/);
        assert.doesNotMatch(JSON.stringify(did()), /canary/);
    });

    it("stops nothing where one node could not prepare, and exchanges nothing where one did not stop", async () => {
        for (const [part, next] of [
            ["prepare", "stop"],
            ["stop", "exchange"],
        ]) {
            fleet.node("m2").agent.failStep(`etcd.restore-${part}`, 1, {
                exitCode: exitCodes.RESTORE_FAILED,
                output: "restore one: no\n",
            });
            await assert.rejects(restore(), /m2[\s\S]*RESTORE_FAILED[\s\S]*restore one: no/);
            assert.ok(!order().some(each => each.endsWith(`restore-${next}`)));
        }
    });

    it("is done once for each word, also where the state does not know that it was", async () => {
        const { id, outs } = await restore();
        assert.doesNotMatch(JSON.stringify(outs), /canary|privateKey/, "no login and no password is stored");
        assert.equal(etcdRestore.diff(id, outs, inputs()).changes, false);
        assert.equal(etcdRestore.diff(id, outs, inputs("two")).changes, true);
        const before = did().length;
        for (const name of masters) said[name] = "begun=\ndone=one 0123abcd\n";
        assert.deepEqual((await restore()).outs.restored, outs.restored);
        assert.equal(did().length, before);
    });

    for (const [what, known] of [
        ["one node", ["m1", "m2"]],
        ["two nodes", ["m1"]],
    ] as const)
        it(`is not done again where ${what} joined since: these are told, and nothing stops`, async () => {
            for (const name of known) said[name] = "done=one 0123abcd\n";
            const context = listener();
            const { outs } = await restore(context);
            assert.deepEqual(outs.restored, { requestId: "one", snapshot: "0123abcd" });
            const others = masters.filter(name => !(known as readonly string[]).includes(name));
            assert.deepEqual(
                did(),
                others.map(name => `${name} etcd.note-restored`),
            );
            assert.match(context.noted.join(), /was done before, with the snapshot 0123abcd: nothing is restored/);
        });

    it("says before the run that nothing will be restored, where that was done before", async () => {
        said["m1"] = "done=one 0123abcd\n";
        const context = listener();
        await etcdRestore.checkInCloud!({}, inputs(), context);
        assert.match(context.noted.join(), /was done before, with the snapshot 0123abcd: nothing is restored/);
        assert.deepEqual([context.warned, did()], [[], []]);
    });

    it("that was killed while it prepared gives all of them data of the same revision", async () => {
        const members = masters.map(name => `${name}=https://${name}:2380`).join(",");
        said["m1"] = `begun=one 0123abcd\nstage=prepared\nplan=${members} 1000000500\n`;
        await restore();
        for (const name of masters) {
            const [act] = fleet.node(name).agent.acts.filter(({ id }) => id === "etcd.restore-prepare");
            assert.match(act!.script, /^BUMP='1000000500'$/m, name);
        }
    });

    it("is refused where a control-plane node does not answer, before anything changes", async () => {
        await fleet.node("m3").powerOff();
        await assert.rejects(restore(), /m3[\s\S]*CONNECT_FAILED[\s\S]*All control-plane nodes must answer/);
        assert.deepEqual(did(), []);
    });

    it("says beforehand what is lost, and afterwards which nodes only the snapshot knows", async () => {
        others = "w9\n";
        const context = listener();
        assert.equal(etcdRestore.needsCheckInCloud!({}, inputs()), true);
        await etcdRestore.checkInCloud!({}, inputs(), context);
        assert.match(
            context.warned.join(),
            /all objects of the cluster become those of the latest snapshot\. [\s\S]*is lost/,
        );
        assert.equal(etcdRestore.needsCheckInCloud!(inputs(), inputs()), false);
        await restore(context);
        assert.match(context.warned.join(), /the snapshot has nodes that the program does not: w9/);
        assert.doesNotMatch(context.warned.join(), /brought back/);
    });

    it("says what the snapshot has brought back, or that it does not know", async () => {
        cameBack = "Cluster site/edge\nSecret kube-system/nfv-vim-bound-1\n";
        const context = listener();
        await restore(context);
        assert.match(
            context.warned.join(),
            /brought back what had been deleted since: Cluster site\/edge, Secret kube-system\/nfv-vim-bound-1\. Tokens that were ended/,
        );
        const order = did().map(each => each.split(" ")[1]);
        assert.ok(order.indexOf("etcd.note-objects") < order.indexOf("etcd.restore-prepare"));
        cameBack = "unknown\n";
        const next = listener();
        await restore(next, "two");
        assert.match(
            next.warned.join(),
            /the API did not answer before, so what the snapshot has brought back is not known/,
        );
    });
});
