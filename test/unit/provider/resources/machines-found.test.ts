import assert from "node:assert/strict";
import { host } from "../../../../provider/resources/host";
import { node } from "../../../../provider/resources/node";
import { listener } from "./cluster";
import { threeMachines } from "./three-machines";

describe("a machine found by a refresh", function () {
    this.timeout(30_000);
    const { fleet, of, make } = threeMachines();

    it("is as it was when nothing changed", async () => {
        const { host: madeHost, node: madeNode } = await make("m1");
        const seen = await node.read(madeNode.id, madeNode.outs, listener());
        assert.deepEqual(seen, { id: madeNode.id, props: madeNode.outs });
        assert.deepEqual(await host.read(madeHost.id, madeHost.outs, listener()), {
            id: madeHost.id,
            props: madeHost.outs,
        });
    });

    it("is found for host and node at the same time", async () => {
        const { host: madeHost, node: madeNode } = await make("m1");
        const context = listener();
        const reads = Array.from({ length: 5 }, () => [
            host.read(madeHost.id, madeHost.outs, context),
            node.read(madeNode.id, madeNode.outs, context),
        ]);
        await Promise.all(reads.flat());
        assert.deepEqual(context.warned, []);
    });

    it("shows a step that is no longer done, which the next update does again", async () => {
        const { host: made } = await make("m1");
        delete fleet().node("m1").agent.journal["host.sysctls"];
        const seen = await host.read(made.id, made.outs, listener());
        assert.equal(seen.props!.done["host.sysctls"], undefined);
        assert.equal(host.diff(made.id, seen.props!, of("m1").host).changes, true);
    });

    it("is gone when the machine was rebuilt", async () => {
        const { host: madeHost, node: madeNode } = await make("m1");
        const { agent } = fleet().node("m1");
        for (const id of Object.keys(agent.journal)) delete agent.journal[id];
        assert.deepEqual(await host.read(madeHost.id, madeHost.outs, listener()), {});
        assert.deepEqual(await node.read(madeNode.id, madeNode.outs, listener()), {});
    });

    it("is kept, with a warning, when the machine cannot be reached", async () => {
        const { host: made } = await make("m1");
        await fleet().node("m1").powerOff();
        const context = listener();
        assert.deepEqual(await host.read(made.id, made.outs, context), { id: made.id, props: made.outs });
        assert.match(context.warned[0], /^m1: kept as it was/);
    });

    it("is kept when the cluster's API cannot be asked", async () => {
        const { node: made } = await make("m1");
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-facts"] }, { code: 1 });
        const context = listener();
        assert.equal((await node.read(made.id, made.outs, context)).id, made.id);
        assert.match(context.warned[0], /m1: whether the cluster knows this node was not found out/);
    });
});
