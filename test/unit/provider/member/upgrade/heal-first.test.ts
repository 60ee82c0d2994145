import assert from "node:assert/strict";
import type { NfvError } from "../../../../../provider/common/errors";
import { nodesThatWait, refuseWhereNodesWait } from "../../../../../provider/member/joins-later";
import { node } from "../../../../../provider/member/node";
import { nodeSteps } from "../../../../../provider/member/node-steps";
import { readinessArgv } from "../../../../../provider/member/upgrade/readiness";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { plan, stepTitles } from "../../../../../provider/steps";
import { checked, endRun, listener } from "../../support/cluster";
import { threeMachines } from "../../support/three-machines";

describe("a node that is lost in the middle of an upgrade", () => {
    const { fleet, identity, of, make } = threeMachines();

    const at = (name: string) => {
        const { node: inputs } = of(name);
        const spec = { ...inputs.spec, kubernetesVersion: "1.34.5" };
        return { ...inputs, spec, steps: stepTitles(plan(nodeSteps("join"), spec, inputs.fingerprintKey)) };
    };
    const version = (name: string) => fleet().node(name).agent.versions.kubelet;
    /** What the cluster says of itself. */
    const says = (cluster: string, m2: boolean) => {
        const stdout = `cluster ${cluster}\nnode m1 v1.34.4 True\nnode m2 v1.34.4 ${m2 ? "True" : "False"}\nnode w1 v1.34.4 True\n`;
        for (const name of ["m1", "m2"]) fleet().node(name).on(readinessArgv, { stdout });
    };
    /** A run whose program requests a heal, of m2 usually; `done`: an earlier run has recorded it. */
    const healing = (done = false, healed = "m2") => {
        const nodes = { m1: { role: "controlPlane" }, m2: { role: "controlPlane" }, w1: { role: "worker" } };
        const context = listener();
        const spec = { clusterId: identity().clusterId, nodes };
        const news = { resourceUrn: "urn::start", spec, heal: { run: "one", nodes: [healed], cure: "rejoin" } };
        checked(context, "OperationStart", news, { spec, ...(done && { heals: { run: "one", nodes: { m2: 1 } } }) });
        return context;
    };
    const failures = async (context = healing()) =>
        (await node.checkInCloud!(of("m1").node, at("m1"), context)).failures.map(({ reason }) => reason).join();

    it("refuses no preview that heals it, and every other one", async () => {
        await make("m1");
        await make("m2");
        says("1.34.4", false);
        assert.match(await failures(listener()), /UPGRADE_REFUSED: .*not Ready: m2/);
        await endRun();
        assert.match(await failures(healing(true)), /not Ready: m2/);
        await endRun();
        const context = healing();
        assert.equal(await failures(context), "");
        assert.match(context.noted.join(), /this run heals m2; nodes that cannot move to 1\.34\.5 before/);
    });

    it("refuses none where an earlier run has recorded the heal, and not carried it out", async () => {
        await make("m1");
        await make("m2");
        await endRun();
        says("1.34.4", false);
        const context = healing(true);
        checked(context, "ClusterRecord", { clusterId: identity().clusterId, openHeals: ["m2"] } as object);
        assert.equal(await failures(context), "");
    });

    it("may be a worker: nobody waits for it, as it comes behind the control plane", async () => {
        const { node: m1 } = await make("m1");
        await endRun();
        const stdout = "cluster 1.34.4\nnode m1 v1.34.4 True\nnode w1 v1.34.4 False\n";
        fleet().node("m1").on(readinessArgv, { stdout });
        await node.update(m1.id, m1.outs, at("m1"), healing(false, "w1"));
        assert.equal(version("m1"), "1.34.5");
    });

    it("is healed before others move: they wait for the next run, workers too, and nothing is done on them", async () => {
        const { node: m1 } = await make("m1");
        await make("m2");
        const { node: w1 } = await make("w1");
        await endRun();
        says("1.34.4", false);
        fleet().events.length = 0;
        const context = healing();
        const { outs } = await node.update(m1.id, m1.outs, at("m1"), context);
        const worker = await node.update(w1.id, w1.outs, at("w1"), context);
        assert.deepEqual([version("m1"), version("w1")], ["1.34.4", "1.34.4"]);
        assert.match(context.warned.join("\n"), /m1 does not move to Kubernetes 1\.34\.5 yet: this run heals m2 first/);
        assert.match(context.warned.join("\n"), /w1 does not move .*: the control-plane nodes move first/);
        assert.deepEqual(fleet().begun(), []);
        assert.equal(node.diff(m1.id, outs, at("m1")).changes, true);

        await endRun();
        says("1.34.4", true);
        await node.update(m1.id, outs, at("m1"), listener());
        await node.update(w1.id, worker.outs, at("w1"), listener());
        assert.deepEqual([version("m1"), version("w1")], ["1.34.5", "1.34.5"]);
    });

    it("does not stop nodes that can move all the same", async () => {
        const { node: m1 } = await make("m1");
        await make("m2");
        await endRun();
        says("1.34.4", true);
        await node.update(m1.id, m1.outs, at("m1"), healing());
        assert.equal(version("m1"), "1.34.5");
    });

    it("joins with the next run where the cluster has the previous version: the others move behind it", async () => {
        await make("m1");
        await endRun();
        says("1.34.4", true);
        const output = "the cluster is at v1.34.4\n";
        fleet().node("m1").agent.failStep("cluster.prepare-join", 1, { exitCode: exitCodes.VERSION_MISMATCH, output });
        const context = healing();
        const { id, outs } = await node.create(at("m2"), context);
        assert.match(context.warned.join(), /m2 does not join yet: the cluster is moving to another version/);
        assert.deepEqual(nodesThatWait(context, identity().clusterId), ["m2"]);
        assert.throws(
            () => refuseWhereNodesWait(identity().clusterId, context),
            (error: NfvError) => error.code === "UPGRADE_FAILED" && /m2 did not join/.test(error.message),
        );
        const { node: w1 } = await make("w1");
        await assert.rejects(node.delete(w1.id, w1.outs, context), /m2 did not join/, "no other one leaves meanwhile");
        await endRun();
        const { outs: joined } = await node.update(id, outs, at("m2"), listener());
        assert.ok(joined.done["cluster.join"]);
    });

    it("that would join a cluster of a later version fails as ever: no other node goes there", async () => {
        await make("m1");
        await endRun();
        says("1.34.6", true);
        const output = "the cluster is at v1.34.6\n";
        fleet().node("m1").agent.failStep("cluster.prepare-join", 1, { exitCode: exitCodes.VERSION_MISMATCH, output });
        await assert.rejects(node.create(at("m2"), healing()), /VERSION_MISMATCH[\s\S]*v1\.34\.6/);
    });
});
