import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { listener } from "../support/cluster";
import { failureOf, threeMachines } from "../support/three-machines";

describe("a machine found by a refresh", () => {
    const { fleet, identity, of, make } = threeMachines();

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

    it("is kept, with a warning, when its notes are gone and the cluster still lives on it", async () => {
        const { host: madeHost, node: madeNode } = await make("m1");
        const m1 = fleet().node("m1");
        for (const id of Object.keys(m1.agent.journal)) delete m1.agent.journal[id];
        m1.agent.belongsTo = undefined;
        const look = { startsWith: ["sh", "-s", "pulumi-nfv-facts"] };
        const authority = Buffer.from(identity().caCertificate).toString("base64");
        const living = `trace=/etc/kubernetes/kubelet.conf\nauthority=${authority}\n`;
        m1.on(look, { stdout: living });
        const context = listener();
        assert.deepEqual((await host.read(madeHost.id, madeHost.outs, context)).props, madeHost.outs);
        assert.deepEqual((await node.read(madeNode.id, madeNode.outs, context)).props, madeNode.outs);
        assert.match(context.warned[0]!, /^m1: kept as it was: .*notes .* are gone/);
        m1.on(look, { stdout: "trace=/etc/kubernetes/kubelet.conf\n" });
        assert.deepEqual(await host.read(madeHost.id, madeHost.outs, context), {}, "another cluster's");
    });

    it("is kept, and not undone, while a step of a run that was stopped goes on there", async () => {
        const w1 = fleet().node("w1");
        const { host: inputs } = of("w1");
        // The very first step: the journal is still empty.
        const first = Object.keys(inputs.steps).length > 0 ? "host.cloud-init" : "";
        w1.agent.failStep(first, 1, { exitCode: 0, seconds: 3 });
        const run = new AbortController();
        const creating = failureOf(host.create(inputs, { ...listener(), signal: run.signal }));
        while (!fleet().begun().includes(`w1 ${first}`)) await new Promise(resolve => setTimeout(resolve, 20));
        run.abort();
        const failure = await creating;
        const state = { ...inputs, ...failure.properties! };
        const context = listener();
        assert.deepEqual((await host.read(failure.id!, state, context)).props, state);
        assert.match(context.warned[0]!, /^w1: kept as it was: .*still going on/);
        assert.equal(w1.agent.journal[first], undefined);
        await host.delete(failure.id!, state, context);
        assert.ok(context.said.includes("waiting for what a former run left running"), context.said.join());
        const events = fleet().events.filter(({ node: name, step }) => name === "w1" && step === first);
        assert.equal(events.at(-1)!.event, "end", "it had ended before the machine was reset");
        assert.match(w1.agent.scripts["host.reset"]!, /purge_packages/);
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
