import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/contract/values";
import { type EtcdBackupInputs, etcdBackup, lastLine } from "../../../../provider/etcd/etcd-backup";
import { etcdBackupSteps } from "../../../../provider/etcd/snapshot-steps";
import type { EtcdBackup } from "../../../../provider/etcd/spec";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { plan, stepTitles } from "../../../../provider/steps";
import { FakeFleet } from "../../../../testing";
import { endRun, listener } from "../support/cluster";
import { sampleEtcdBackup } from "./sample-etcd-backup";

describe("the snapshots of etcd on one node", () => {
    let fleet: FakeFleet;
    /** What a look at the snapshots prints, and the note of the last one. */
    let differences: string;
    let last: string;
    const step = "node.etcd-snapshots";
    const title = "start the snapshots of etcd";

    const inputs = (backup: Partial<EtcdBackup> = {}, more: Partial<EtcdBackupInputs> = {}): EtcdBackupInputs => {
        const spec = sampleEtcdBackup(backup);
        return {
            ...{ spec, steps: stepTitles(plan(etcdBackupSteps, spec, "key")), fingerprintKey: "key" },
            ...{ connection: { ...fleet.target("m1"), connectTimeoutSeconds: 3 }, nodeId: "node-1" },
            ...more,
        };
    };
    const agent = () => fleet.node("m1").agent;
    const timesBegun = (id = step) => fleet.begun().filter(line => line === `m1 ${id}`).length;

    beforeEach(async () => {
        differences = "";
        last = "2026-11-27T02:30:00Z 0123abcd 4711\n";
        fleet = await FakeFleet.start({ nodes: ["m1"] });
        agent().belongsTo = { cluster: "core-12345678", node: "m1" };
        agent().journal["cluster.join"] = "0123456789ab";
        fleet.node("m1").onScript(({ stdin }) => {
            const text = stdin.toString();
            if (text.includes("print-last-snapshot")) return { stdout: last };
            return text.includes("observe-snapshots") ? { stdout: `\x1e${step}\x1f0\n${differences}\n` } : {};
        });
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("are begun, told with the last one, and begun again only where something differs", async () => {
        const { id, outs } = await etcdBackup.create(inputs(), listener());
        assert.deepEqual(outs.last, { time: "2026-11-27T02:30:00Z", id: "0123abcd", revision: "4711" });
        for (const same of [inputs(), inputs({}, { nodeId: unknownValue })])
            assert.equal(etcdBackup.diff(id, outs, same).changes, false);
        for (const news of [inputs({ run: "two" }), inputs({ password: "other" }), inputs({}, { nodeId: "node-2" })])
            assert.equal(etcdBackup.diff(id, outs, news).changes, true);
        await etcdBackup.update(id, outs, inputs({ run: "two" }), listener());
        assert.equal(timesBegun(), 2);
        assert.equal(timesBegun("node.snapshot-settings"), 1);
    });

    it("that fail keep what was reached, and are to be made by the next run; the cluster is not at stake", async () => {
        agent().failStep(step, 1, { exitCode: exitCodes.BACKUP_FAILED, output: "backup etcd: no route to host\n" });
        const error = await etcdBackup.create(inputs(), listener()).then(
            () => assert.fail("it fails"),
            each => each,
        );
        assert.equal(error.code, "BACKUP_FAILED");
        assert.match(error.message, /m1[\s\S]*no route to host[\s\S]*only the backup is missing/);
        assert.deepEqual(error.properties.pending, [title]);
        assert.equal(etcdBackup.diff(error.id, error.properties, inputs()).changes, true);
        const { outs } = await etcdBackup.update(error.id, error.properties, inputs(), listener());
        assert.deepEqual(outs.pending, []);
    });

    it("that failed at night are seen by a refresh, which tells the age of the last good one", async () => {
        const { id, outs } = await etcdBackup.create(inputs(), listener());
        last = "2026-11-28T02:30:00Z 89abcdef 5000\n";
        differences = "the last snapshot of etcd failed: no route to host";
        const context = listener();
        const { props } = await etcdBackup.read(id, outs, context);
        assert.deepEqual([props!.pending, props!.last!.id], [[title], "89abcdef"]);
        assert.match(context.noted.join(), /m1 made its last snapshot of etcd \d+ \w+ ago: 89abcdef, revision 5000/);
        assert.equal(etcdBackup.diff(id, props!, inputs()).changes, true);
        await etcdBackup.update(id, props!, inputs(), listener());
        assert.equal(timesBegun(), 2);
    });

    it("are begun again on another node in the place of the former one, whatever the journal says", async () => {
        const { id, outs } = await etcdBackup.create(inputs(), listener());
        await etcdBackup.update(id, outs, inputs({}, { nodeId: "node-2" }), listener());
        assert.deepEqual([timesBegun(), timesBegun("node.snapshot-settings")], [2, 2]);
    });

    it("are refused on a machine that is no node of the cluster, and a refresh of such a one says what is to be done", async () => {
        const { id, outs } = await etcdBackup.create(inputs(), listener());
        agent().belongsTo = undefined;
        for (const each of Object.keys(agent().journal)) delete agent().journal[each];
        const { props } = await etcdBackup.read(id, outs, listener());
        assert.deepEqual(props!.done, {});
        assert.ok(props!.pending!.includes(title));
        await assert.rejects(etcdBackup.update(id, props!, inputs(), listener()), /FOREIGN_NODE/);
    });

    it("are taken away from a node that stays; one that cannot be reached is not forgotten", async () => {
        const { id, outs } = await etcdBackup.create(inputs(), listener());
        await etcdBackup.delete(id, outs, listener());
        assert.deepEqual(
            agent().acts.map(({ id }) => id),
            ["etcd.remove-snapshots"],
        );
        assert.equal(agent().journal[step], undefined);
        await fleet.node("m1").powerOff();
        await endRun();
        await assert.rejects(etcdBackup.delete(id, outs, listener()), /CONNECT/);
        const context = listener();
        assert.deepEqual((await etcdBackup.read(id, outs, context)).props!.last, outs.last);
        assert.match(context.warned.join(), /m1: kept as it was/);
    });

    it("have an age in words", () => {
        const at = (time: string) => lastLine("m1", { time, id: "a", revision: "1" }, new Date("2026-11-27T12:00:00Z"));
        assert.match(at("2026-11-27T11:59:00Z"), / 1 minutes ago/);
        assert.match(at("2026-11-27T02:00:00Z"), / 10 hours ago/);
        assert.match(at("2026-11-20T12:00:00Z"), / 7 days ago/);
    });
});
