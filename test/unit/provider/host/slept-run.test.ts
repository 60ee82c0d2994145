import assert from "node:assert/strict";
import { RunSession } from "../../../../provider/common/run-session";
import { runFacts } from "../../../../provider/contract/run-facts";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { node } from "../../../../provider/member/node";
import { endRun, listener, withGivenUp } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

describe("a run that was asleep between the deletions of a Node and of its Host", () => {
    const { fleet, identity, of, make, failureOf, programHas, acts } = threeMasters();
    const isMember = () => fleet().node("m3").agent.journal["cluster.join"] !== undefined;
    const two = ["m1", "m2"];
    /** Takes m3 out, up to the deletion of its Node. */
    const nodeLeaves = async () => {
        await make("m1");
        await make("m2");
        const made = await make("m3");
        await endRun();
        const run = listener(new RunSession());
        programHas(two, all, run);
        await node.delete(made.node.id, made.node.outs, run);
        assert.equal(isMember(), false);
        return { made, run };
    };

    it("does not reset a machine that another run has joined again meanwhile", async () => {
        const { made, run: slept } = await nodeLeaves();
        const other = listener(new RunSession());
        try {
            programHas(all, two, other);
            const again = of("m3", all);
            await host.update(made.host.id, made.host.outs, again.host, other);
            await node.create(again.node, other);
            assert.equal(isMember(), true);

            const before = acts("m3");
            const { code, reason } = await failureOf(host.delete(made.host.id, made.host.outs, slept));
            assert.equal(code, "NODE_BUSY");
            assert.match(reason, /it has joined again: another run has made it a node/);
            assert.deepEqual(acts("m3"), before);
            assert.equal(isMember(), true);
        } finally {
            await slept.session.close();
            await other.session.close();
        }
    });

    describe("or that another one overtakes between the last look and the reset", () => {
        /** Of which members each reset of m3 keeps its hands off: of all, or of one that joined again. */
        const guarded = () =>
            fleet()
                .node("m3")
                .agent.acts.filter(({ id }) => /^(node|host)\.reset$/.test(id))
                .map(({ script }) => {
                    if (/^LEFT='?yes/m.test(script)) return "any";
                    return /^MEMBER_SINCE='?\w/m.test(script) ? "of another join" : "none";
                });

        it("resets m3 only if it is no member at that moment", async () => {
            const { made, run } = await nodeLeaves();
            fleet().node("m3").agent.acts.length = 0;
            await host.delete(made.host.id, made.host.outs, run);
            assert.deepEqual(guarded(), ["any", "any", "any"]);
            await run.session.close();
        });

        it("also if it never was one: its first run had failed", async () => {
            await make("m1");
            const { id, outs } = await host.create(of("m3", all).host, listener());
            await endRun();
            programHas(["m1"], all);
            await host.delete(id, outs, listener());
            assert.deepEqual(guarded(), ["any", "any", "any"]);
        });

        it("also where the whole cluster goes, for one that is a member then, and where it was given up", async () => {
            const made = await make("m3");
            await endRun();
            runFacts(listener()).did.beganToEnd.add(identity().clusterId);
            await host.delete(made.host.id, made.host.outs, listener());
            assert.deepEqual(guarded(), ["of another join", "any", "any"]);

            const { made: broken, run } = await nodeLeaves();
            fleet().node("m3").agent.acts.length = 0;
            await withGivenUp(`${identity().clusterId}/m3`, () => host.delete(broken.host.id, broken.host.outs, run));
            assert.deepEqual(guarded(), ["any", "any", "any"]);
            await run.session.close();
        });
    });

    it("resets the host of a machine that has lost our notes, as long as files of ours are on it", async () => {
        for (const name of all) await make(name);
        const { host: made } = await make("m3");
        await endRun();
        const { agent } = fleet().node("m3");
        for (const isPrepared of [true, false]) {
            for (const key of Object.keys(agent.journal)) delete agent.journal[key];
            agent.acts.length = 0;
            fleet()
                .node("m3")
                .on({ startsWith: machineStatusArgv }, () => ({
                    stdout: `noted=${identity().clusterId} m3\nisPrepared=${isPrepared ? "yes" : "no"}\n`,
                }));
            const run = listener(new RunSession());
            programHas(two, all, run);
            await host.delete(made.id, made.outs, run);
            assert.equal(
                agent.acts.some(({ id }) => id === "host.reset"),
                isPrepared,
            );
            await run.session.close();
        }
    });

    it("resets a machine that no other run has joined", async () => {
        const { made, run } = await nodeLeaves();
        try {
            await host.delete(made.host.id, made.host.outs, run);
            assert.equal(fleet().node("m3").agent.belongsTo, undefined);
        } finally {
            await run.session.close();
        }
    });
});
