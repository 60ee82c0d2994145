import assert from "node:assert/strict";
import { type ClusterRecordInputs, clusterRecord } from "../../../../provider/cluster/cluster-record";
import { unknownValue } from "../../../../provider/contract/values";
import { host } from "../../../../provider/host/host";
import { hostSteps } from "../../../../provider/host/host-steps";
import { node } from "../../../../provider/member/node";
import { unknownSetting } from "../../../../provider/operation/operation-start-inputs";
import {
    mayDiffer,
    mayHaveGoneBack,
    mayHaveMoved,
    numberChanges,
    type WishesInput,
} from "../../../../provider/operation/wishes";
import { plan, stepTitles } from "../../../../provider/steps";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("how often the wish for a machine has changed", () => {
    const after = (...wishes: WishesInput["wishes"][]) =>
        wishes.reduce<Partial<WishesInput>>((olds, each) => numberChanges(olds, { wishes: each }), {});
    const [a, b] = [{ "host m1": "a" }, { "host m1": "b" }];
    const rows: [string, WishesInput["wishes"][], Record<string, number>][] = [
        ["the first ones", [a], {}],
        ["the same as before", [a, a], {}],
        ["another one", [a, b], { "host m1": 1 }],
        ["back and forth", [a, b, a], { "host m1": 2 }],
        ["one that comes later", [a, { ...a, "host w1": "x" }], {}],
        ["one that leaves", [a, b, {}], { "host m1": 2 }],
        ["one that stays away", [a, {}, {}], { "host m1": 1 }],
        ["one that leaves and comes back as it was", [a, {}, a], { "host m1": 2 }],
        ["one that was changed, left and comes back as it was", [a, b, {}, a], { "host m1": 3 }],
        ["one that leaves and comes back unknown", [a, {}, { "host m1": unknownSetting }, a], { "host m1": 2 }],
        ["unknown in between", [a, { "host m1": unknownSetting }, a], {}],
        ["unknown at first", [{ "host m1": unknownSetting }, a], {}],
        ["another one behind an unknown one", [a, { "host m1": unknownSetting }, b], { "host m1": 1 }],
        ["all unknown in between", [a, b, unknownValue as never, b], { "host m1": 1 }],
    ];
    for (const [what, wishes, expected] of rows) {
        it(what, () => assert.deepEqual(after(...wishes).changeNumbers, expected));
    }

    it("is recorded: another number is an update, and what has none yet is only stored", () => {
        const checked = (olds: Partial<ClusterRecordInputs>, wishes: WishesInput["wishes"]) => {
            const { inputs } = clusterRecord.check(olds, { clusterId: "core-1", wishes });
            return { inputs, changes: clusterRecord.diff("id", olds as ClusterRecordInputs, inputs).changes };
        };
        const first = checked({}, a);
        assert.deepEqual(first.inputs.wishes, a);
        const second = checked(first.inputs, b);
        assert.deepEqual([second.changes, second.inputs.changeNumbers], [true, { "host m1": 1 }]);
        assert.equal(checked(second.inputs, b).changes, false);
        const third = checked(second.inputs, { ...b, "host w1": "x" });
        assert.deepEqual([third.changes, third.inputs.wishes], [false, { ...b, "host w1": "x" }]);
    });

    it("of the endpoint counts back and forth, too", () => {
        assert.equal(mayHaveMoved({}, {}), false);
        assert.equal(mayHaveMoved({ endpointNumber: 1 }, { endpointNumber: 1 }), false);
        assert.equal(mayHaveMoved({ endpointNumber: 1 }, { endpointNumber: unknownValue as never }), false);
        assert.equal(mayHaveMoved({}, { endpointNumber: 2 }), true);
    });

    it("says nothing of a machine while it is unknown or was never changed", () => {
        assert.equal(mayDiffer({}, {}), false);
        assert.equal(mayDiffer({ changeNumber: 1 }, { changeNumber: unknownValue as never }), false);
        assert.equal(mayDiffer({ changeNumber: 1 }, { changeNumber: 1 }), false);
        assert.equal(mayDiffer({}, { changeNumber: 1 }), true);
    });

    it("tells one change, which the state shows, from several, which may have led back", () => {
        const goneBack = (before: number | undefined, after: number) =>
            mayHaveGoneBack({ changeNumber: before }, { changeNumber: after });
        assert.deepEqual([goneBack(undefined, 1), goneBack(3, 3), goneBack(3, 4)], [false, false, false]);
        assert.deepEqual([goneBack(undefined, 2), goneBack(3, 5)], [true, true]);
        // The state of the operation's start is an older one.
        assert.equal(goneBack(3, 2), true);
    });
});

describe("a change whose run was killed, and that the program takes back", () => {
    const { fleet, of, make } = threeMachines({ durations: { "host.proxy": 0.2, "node.control-plane-settings": 0.2 } });
    const withExtraArgs = { extraArgs: { scheduler: { v: "4" } } };
    const turnsOf = (id: string) =>
        fleet()
            .events.filter(({ step }) => step === id)
            .map(({ event }) => event);
    const withProxy = (name: string) => {
        const { host: inputs } = of(name);
        const spec = { ...inputs.spec, proxy: { httpProxy: "http://proxy:3128" } };
        return { ...inputs, spec, steps: stepTitles(plan(hostSteps, spec, inputs.fingerprintKey)), changeNumber: 1 };
    };

    it("is found by the number of the wish, and only what differs on the machine is done again", async () => {
        const { node: made } = await make("m1");
        const journal = { ...fleet().node("m1").agent.journal };
        const changed = { ...of("m1", withExtraArgs).node, changeNumber: 1 };
        // The engine is killed before it records the result.
        await node.update(made.id, made.outs, changed, listener());
        assert.notDeepEqual(fleet().node("m1").agent.journal, journal);
        const back = { ...of("m1").node, changeNumber: 2 };
        const diff = node.diff(made.id, made.outs, back);
        assert.deepEqual([diff.changes, diff.replaces], [true, []]);
        assert.match(diff.note!, /looks at the machine again/);
        const begun = fleet().begun().length;
        const { outs } = await node.update(made.id, made.outs, back, listener());
        assert.deepEqual(fleet().begun().slice(begun), ["m1 node.kubeadm-files", "m1 node.control-plane-settings"]);
        assert.deepEqual(fleet().node("m1").agent.journal, journal);
        assert.equal(node.diff(made.id, outs, back).changes, false);
    });

    it("is found where a node left in the killed run and the program takes it back: it joins again", async () => {
        await make("m1");
        const { host: madeHost, node: made } = await make("w1");
        const journal = { ...fleet().node("w1").agent.journal };
        await node.delete(made.id, made.outs, listener());
        await host.delete(madeHost.id, madeHost.outs, listener());
        const back = of("w1");
        const inputs = { host: { ...back.host, changeNumber: 2 }, node: { ...back.node, changeNumber: 2 } };
        assert.equal(host.diff(madeHost.id, madeHost.outs, inputs.host).changes, true);
        assert.equal(node.diff(made.id, made.outs, inputs.node).changes, true);
        await host.update(madeHost.id, madeHost.outs, inputs.host, listener());
        await node.update(made.id, made.outs, inputs.node, listener());
        assert.deepEqual(fleet().node("w1").agent.journal, journal);
    });

    it("costs nothing more where the run was recorded", async () => {
        const { host: made } = await make("m1");
        const { outs } = await host.update(made.id, made.outs, withProxy("m1"), listener());
        const back = { ...of("m1").host, changeNumber: 2 };
        const diff = host.diff(made.id, outs, back);
        assert.deepEqual([diff.changes, diff.note], [true, undefined]);
        const again = await host.update(made.id, outs, back, listener());
        assert.equal(host.diff(made.id, again.outs, back).changes, false);
    });

    it("does nothing where the killed run had not begun on the machine", async () => {
        const { host: made } = await make("m1");
        const begun = fleet().begun().length;
        const { outs } = await host.update(made.id, made.outs, { ...of("m1").host, changeNumber: 2 }, listener());
        assert.deepEqual(fleet().begun().slice(begun), []);
        assert.deepEqual(outs.done, made.outs.done);
    });

    it("interrupts one master's API server after the other's, although their states show nothing to do", async () => {
        const made = [await make("m1"), await make("m2")];
        const update = (changeNumber: number, changes = {}) =>
            Promise.all(
                made.map(({ node: { id, outs } }) =>
                    node.update(id, outs, { ...of(outs.spec.name, changes).node, changeNumber }, listener()),
                ),
            );
        await update(1, withExtraArgs);
        fleet().events.length = 0;
        await update(2);
        assert.deepEqual(turnsOf("node.control-plane-settings"), ["begin", "end", "begin", "end"]);
    });

    it("interrupts one master's containers after the other's, although their states show nothing to do", async () => {
        const made = [await make("m1"), await make("m2")];
        const update = (inputsOf: (name: string) => ReturnType<typeof withProxy>) =>
            Promise.all(
                made.map(({ host: { id, outs } }) => host.update(id, outs, inputsOf(outs.spec.name), listener())),
            );
        await update(withProxy);
        fleet().events.length = 0;
        await update(name => ({ ...of(name).host, changeNumber: 2 }) as ReturnType<typeof withProxy>);
        assert.deepEqual(turnsOf("host.proxy"), ["begin", "end", "begin", "end"]);
    });
});
