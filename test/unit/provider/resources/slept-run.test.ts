import assert from "node:assert/strict";
import { host } from "../../../../provider/resources/host";
import { node } from "../../../../provider/resources/node";
import { RunSession } from "../../../../provider/run-session";
import { endRun, listener } from "./cluster";
import { all, threeMasters } from "./three-masters";

describe("a run that was asleep between the deletions of a Node and of its Host", function () {
    this.timeout(20_000);
    const { fleet, of, make, failureOf, programHas, acts } = threeMasters();
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
