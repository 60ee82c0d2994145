import assert from "node:assert/strict";
import { host } from "../../../../provider/resources/host";
import { masters } from "../../../../provider/resources/masters";
import { node } from "../../../../provider/resources/node";
import { RunSession } from "../../../../provider/run-session";
import { endRun, listener } from "./cluster";
import { all, threeMasters } from "./three-masters";

describe("a run that was asleep between the deletions of a Node and of its Host", function () {
    this.timeout(20_000);
    const { fleet, identity, target, of, make, failureOf, acts } = threeMasters();
    const isMember = () => fleet().node("m3").agent.journal["cluster.join"] !== undefined;
    const inputs = (wanted: readonly string[]) => ({
        clusterId: identity().clusterId,
        peers: JSON.stringify(wanted.map(name => ({ name, connection: target(name) }))),
    });
    const two = ["m1", "m2"];
    /** Takes m3 out, up to the deletion of its Node. */
    const nodeLeaves = async () => {
        await make("m1");
        await make("m2");
        const made = await make("m3");
        await endRun();
        const run = listener(new RunSession());
        masters.check(inputs(all), inputs(two), run);
        await node.delete(made.node.id, made.node.outs, run);
        assert.equal(isMember(), false);
        return { made, run };
    };

    it("does not reset a machine that another run has joined again meanwhile", async () => {
        const { made, run: slept } = await nodeLeaves();
        const other = listener(new RunSession());
        try {
            masters.check(inputs(two), inputs(all), other);
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

    it("resets it where nobody has", async () => {
        const { made, run } = await nodeLeaves();
        try {
            await host.delete(made.host.id, made.host.outs, run);
            assert.equal(fleet().node("m3").agent.belongsTo, undefined);
        } finally {
            await run.session.close();
        }
    });
});
