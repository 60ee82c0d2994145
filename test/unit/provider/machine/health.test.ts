import assert from "node:assert/strict";
import { healthArgv } from "../../../../provider/health/look";
import { host } from "../../../../provider/host/host";
import { kubeletStep, runtimeStep, withCures } from "../../../../provider/machine/health";
import { knownNodesArgv } from "../../../../provider/member/known-node";
import { node } from "../../../../provider/member/node";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

const well = { uptime: "86400", joined: "yes", kubelet: "active", runtime: "active", runtimeAnswers: "yes" };

describe("what a refresh finds on a machine", () => {
    const { fleet, of, make } = threeMachines({ durations: { [runtimeStep]: 0.2 } });

    /** The machine answers with these facts from now on. */
    const is = (name: string, facts: Record<string, string>) => {
        const lines = Object.entries({ ...well, ...facts }).map(([key, value]) => `${key}=${value}\n`);
        fleet()
            .node(name)
            .on({ startsWith: [...healthArgv] }, { stdout: lines.join("") });
    };
    type Made = Awaited<ReturnType<typeof make>>;
    const refresh = async (made: Made) => {
        const context = listener();
        const [seenHost, seenNode] = [
            (await host.read(made.host.id, made.host.outs, context)).props!,
            (await node.read(made.node.id, made.node.outs, context)).props!,
        ];
        return { seenHost, seenNode, warned: context.warned };
    };
    const beginsOf = (work: () => Promise<unknown>) => {
        fleet().events.length = 0;
        return work().then(() => fleet().begun());
    };

    it("is one line; kubelet that does not run is started by the next up, by one step, and by nothing else", async () => {
        await make("m1");
        const made = await make("w1");
        is("w1", { kubelet: "inactive" });
        const { seenHost, seenNode, warned } = await refresh(made);
        assert.deepEqual(warned, ["w1: the kubelet is not running; pulumi up starts it again"]);
        const { host: hostInputs, node: nodeInputs } = of("w1");
        assert.equal(host.diff(made.host.id, seenHost, hostInputs).changes, false);
        assert.deepEqual(seenNode.pending, ["start kubelet again: it does not run"]);
        const { changes, replaces } = node.diff(made.node.id, seenNode, nodeInputs);
        assert.deepEqual([changes, replaces], [true, []]);
        const begun = await beginsOf(async () => {
            const { outs } = await node.update(made.node.id, seenNode, nodeInputs, listener());
            assert.deepEqual([outs.done, outs.pending], [made.node.outs.done, []]);
        });
        assert.deepEqual(begun, [`w1 ${kubeletStep}`]);
    });

    it("is over when the service works again: the next refresh has nothing to do any more", async () => {
        await make("m1");
        const made = await make("w1");
        is("w1", { kubelet: "inactive" });
        const { seenNode } = await refresh(made);
        is("w1", {});
        const again = await refresh({ ...made, node: { ...made.node, outs: seenNode } });
        assert.deepEqual(again.warned, []);
        assert.deepEqual([again.seenNode.done, again.seenNode.pending], [made.node.outs.done, []]);
    });

    it("is told by the Node alone; a container runtime that does not run is started again by the Host", async () => {
        await make("m1");
        const made = await make("w1");
        is("w1", { runtime: "inactive", runtimeAnswers: "no" });
        const { seenHost, seenNode, warned } = await refresh(made);
        assert.deepEqual(warned, ["w1: the container runtime is not running; pulumi up starts it again"]);
        const { host: hostInputs, node: nodeInputs } = of("w1");
        assert.equal(node.diff(made.node.id, seenNode, nodeInputs).changes, false);
        assert.equal(host.diff(made.host.id, seenHost, hostInputs).changes, true);
        const begun = await beginsOf(() => host.update(made.host.id, seenHost, hostInputs, listener()));
        assert.deepEqual(begun, [`w1 ${runtimeStep}`]);
    });

    it("is not touched by up if it works again by then", async () => {
        await make("m1");
        const made = await make("w1");
        is("w1", { runtimeAnswers: "no" });
        const { seenHost, warned } = await refresh(made);
        assert.deepEqual(warned, ["w1: the container runtime does not answer; pulumi up restarts it"]);
        is("w1", {});
        const begun = await beginsOf(async () => {
            const { outs } = await host.update(made.host.id, seenHost, of("w1").host, listener());
            assert.deepEqual([outs.done, outs.pending], [made.host.outs.done, []]);
        });
        assert.deepEqual(begun, []);
    });

    it("is cured on one control-plane node after the other", async () => {
        const made = { m1: await make("m1"), m2: await make("m2") };
        for (const name of ["m1", "m2"]) is(name, { runtimeAnswers: "no" });
        const seen = { m1: await refresh(made.m1), m2: await refresh(made.m2) };
        fleet().events.length = 0;
        await Promise.all(
            (["m1", "m2"] as const).map(name =>
                host.update(made[name].host.id, seen[name].seenHost, of(name).host, listener()),
            ),
        );
        const events = fleet().events.filter(({ step }) => step === runtimeStep);
        assert.deepEqual(
            events.map(({ event }) => event),
            ["begin", "end", "begin", "end"],
        );
    });

    it("changes nothing where a person must act", async () => {
        await make("m1");
        const made = await make("w1");
        is("w1", { disk: "/var/lib/containerd 4096 1000 90 1000 900" });
        const { seenHost, seenNode, warned } = await refresh(made);
        assert.equal(warned.length, 1);
        assert.match(
            warned[0]!,
            /^w1: 91 % of the space of \/var\/lib\/containerd is used; pulumi up changes nothing: find/,
        );
        assert.deepEqual([seenHost, seenNode], [made.host.outs, made.node.outs]);
    });

    it("is told by the Host of a machine that has not joined", async () => {
        const { host: inputs } = of("w1");
        const made = await host.create(inputs, listener());
        fleet()
            .node("w1")
            .on({ startsWith: [...healthArgv] }, { stdout: "uptime=86400\nkubelet=inactive\nruntime=inactive\n" });
        const context = listener();
        const { props } = await host.read(made.id, made.outs, context);
        assert.deepEqual(context.warned, ["w1: the container runtime is not running; pulumi up starts it again"]);
        assert.equal(props!.done[runtimeStep], undefined);
    });

    it("has the cluster's word: NotReady, since when", async () => {
        await make("m1");
        const made = await make("w1");
        const said =
            "node/m1 \nready:True 2026-01-01T00:00:00Z\nnode/w1 \nready:Unknown 2026-01-01T00:00:00Z\nanswer\n";
        fleet().node("m1").on(knownNodesArgv, { stdout: said });
        const { warned, seenNode } = await refresh(made);
        assert.deepEqual(warned, [
            "w1: its node is NotReady since 2026-01-01T00:00:00Z; pulumi up changes nothing: kubectl describe node w1 says why",
        ]);
        assert.deepEqual(seenNode, made.node.outs);
    });

    it("has no word of the cluster where its answer is cut off: a node that is missing there is not one that it does not know", async () => {
        await make("m1");
        const made = await make("w1");
        fleet().node("m1").on(knownNodesArgv, { code: 1, stdout: "node/m1 \n" });
        const { warned, seenNode } = await refresh(made);
        assert.deepEqual([warned, seenNode], [[], made.node.outs]);
        fleet().node("m1").on(knownNodesArgv, { stdout: "node/m1 \nanswer\n" });
        assert.match((await refresh(made)).warned.join(), /w1: its cluster does not know the node/);
    });

    it("is unknown where the look fails, which changes nothing", async () => {
        await make("m1");
        const made = await make("w1");
        fleet()
            .node("w1")
            .on({ startsWith: [...healthArgv] }, { code: 1, stderr: "no\n" });
        const { warned, seenHost, seenNode } = await refresh(made);
        assert.equal(warned.length, 2);
        for (const line of warned) assert.match(line, /^w1: how the machine is was not found out: /);
        assert.deepEqual([seenHost, seenNode], [made.host.outs, made.node.outs]);
    });

    it("is a machine that does not answer, which is kept", async () => {
        await make("m1");
        const made = await make("w1");
        await fleet().node("w1").powerOff();
        const { warned, seenHost, seenNode } = await refresh(made);
        assert.match(
            warned[0]!,
            /^w1: kept as it was: the machine does not answer; pulumi up changes nothing: look at its power, its network and its console \(.+\)$/,
        );
        assert.deepEqual([seenHost, seenNode], [made.host.outs, made.node.outs]);
    });
});

describe("a state with cures", () => {
    const cures = { "restart kubelet": { steps: new Set(["a"]), todo: "start it" } };
    const found = [{ code: "x", text: "x", cure: "restart kubelet" as const, up: "starts it" }];

    it("keeps what an operation that failed left to do, and has each cure once", () => {
        const state = { done: { a: "1", b: "2" }, pending: ["set labels", "start it"] };
        assert.deepEqual(withCures(state, found, cures), { done: { b: "2" }, pending: ["set labels", "start it"] });
        assert.deepEqual(withCures(state, [...found, ...found], cures).pending, ["set labels", "start it"]);
        assert.deepEqual(withCures(state, [], cures), { done: state.done, pending: ["set labels"] });
    });

    it("is the same without a finding that up cures", () => {
        assert.deepEqual(withCures({ done: { a: "1" } }, [{ ...found[0]!, up: undefined }], cures), {
            done: { a: "1" },
        });
    });
});
