import assert from "node:assert/strict";
import fc from "fast-check";
import { operationStart as anyStart } from "../../../../provider/cluster/operation-start";
import type { ResourceType } from "../../../../provider/contract/types";
import { unknownValue } from "../../../../provider/contract/values";
import { node } from "../../../../provider/member/node";
import {
    dueHeal,
    type Heals,
    type HealWish,
    healProblems,
    isHealed,
    isHealWithdrawn,
    keptHeal,
    numberHeals,
    serverHealUpTo,
} from "../../../../provider/operation/heals";
import type { OperationStartInputs } from "../../../../provider/operation/operation-start-inputs";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { endRun, listener, machine, testIdentity } from "../support/cluster";

const operationStart = anyStart as unknown as ResourceType<OperationStartInputs, OperationStartInputs>;
const all = ["m1", "m2", "m3", "w1", "w2"];
const inputs = (heal?: Partial<HealWish>, names = all): OperationStartInputs => ({
    resourceUrn: "urn:start",
    spec: {
        clusterId: "core-00000001",
        clusterName: "core",
        backEnd: "hosts",
        nodes: Object.fromEntries(
            names.map(name => [name, { role: name.startsWith("m") ? "controlPlane" : "worker", machine: name }]),
        ),
    },
    ...(heal && { heal: { run: "one", cure: "rejoin", ...heal } }),
});
/** What the engine has after a run with these inputs. */
const stateAfter = (news: OperationStartInputs, olds: Partial<OperationStartInputs> = {}) =>
    operationStart.check(olds, news).inputs as OperationStartInputs;
const old = stateAfter(inputs());
const reasons = (news: OperationStartInputs, olds: Partial<OperationStartInputs> = old) =>
    (operationStart.check(olds, news).failures ?? []).map(({ reason }) => reason);

describe("a heal that a program asks for", () => {
    it("is an operation, which names its nodes and the word", () => {
        const { inputs: found, notes } = operationStart.check(old, inputs({ nodes: ["w2", "m1"] }));
        assert.equal(found.operation, "heal m1, w2 (asked for: one)");
        assert.deepEqual(notes, ["operation: heal m1, w2 (asked for: one)"]);
        assert.deepEqual(found.heals, { run: "one", nodes: { m1: 1, w2: 1 } });
        assert.equal(operationStart.diff("id", old, found).changes, true);
    });

    it("leaves nothing in the state of a program without it", () => {
        assert.ok(!("heals" in old));
        assert.ok(!("heals" in stateAfter(inputs(), old)));
    });

    it("is not stored as the program writes it: the word and the numbers are", () => {
        assert.equal(stateAfter(inputs({ nodes: ["w1"] }), old).heal, undefined);
    });

    it("is done once for a word, whatever the program says in between", () => {
        const once = stateAfter(inputs({ nodes: ["w1"] }), old);
        for (const news of [inputs({ nodes: ["w1"] }), inputs({ nodes: ["w1", "w2"] }), inputs(), inputs({})]) {
            const again = stateAfter(news, once);
            assert.deepEqual([again.heals, again.operations], [once.heals, once.operations]);
            assert.equal(operationStart.diff("id", once, again).changes, false);
        }
        const next = stateAfter(inputs({ run: "two", nodes: ["w2"] }), stateAfter(inputs(), once));
        assert.deepEqual(next.heals, { run: "two", nodes: { w1: 1, w2: 2 } });
    });

    it("does nothing in the run that makes the cluster", () => {
        const made = stateAfter(inputs({ run: "first" }));
        assert.deepEqual(made.heals, { run: "first", nodes: {} });
        assert.match(made.operation!, /^instantiate/);
        assert.deepEqual(stateAfter(inputs({ run: "first" }), made).heals, made.heals);
    });

    it("is of all nodes without names, but of those that join or leave in the same run", () => {
        const names = ["m1", "m2", "m3", "w2", "w3"];
        const { inputs: found, notes } = operationStart.check(old, inputs({}, names));
        assert.deepEqual(Object.keys(found.heals!.nodes), ["m1", "m2", "m3", "w2"]);
        assert.match(found.operation!, /^heal m1, m2, m3, w2 \(asked for: one\); scale out .*w3.*; scale in .*w1/);
        assert.equal(notes!.at(-1), "heal: w3 joins in this run, so there is nothing to heal");
    });

    it("is said not to be of a node that the same word did not name", () => {
        const once = stateAfter(inputs({ nodes: ["w1"] }), old);
        const { notes } = operationStart.check(once, inputs({ nodes: ["w1", "w2"] }));
        assert.deepEqual(notes, ['heal: w2 was not asked for under the word "one"; another word heals it']);
    });

    it("is refused for names that are no nodes", () => {
        const [reason] = reasons(inputs({ nodes: ["w7", "w1"] }));
        assert.equal(reason, 'heal.nodes: this cluster has no node w7; it has m1, m2, m3, w1, w2; did you mean "w1"?');
        // A name that has left since does not matter under a word that is done.
        const once = stateAfter(inputs({ nodes: ["w1"] }), old);
        assert.deepEqual(reasons(inputs({ nodes: ["w1"] }, ["m1", "m2", "m3", "w2"]), once), []);
    });

    it("is refused for the only control-plane node, also by `all` and while others are added", () => {
        const single = stateAfter(inputs(undefined, ["m1", "w1"]));
        for (const news of [
            inputs({ nodes: ["m1"] }, ["m1", "w1"]),
            inputs({}, ["m1", "w1"]),
            inputs({ nodes: ["m1"] }, ["m1", "m2", "m3", "w1"]),
        ])
            assert.match(reasons(news, single)[0]!, /^heal: m1 is the only control-plane node, so it cannot leave/);
        assert.deepEqual(reasons(inputs({ nodes: ["w1"] }, ["m1", "w1"]), single), []);
    });

    it("gives a new server to one node per run, and to none that is protected", () => {
        const server = (nodes: string[]) => inputs({ cure: "server", nodes });
        const [several] = reasons(server(["w1", "w2"])) as [string];
        assert.match(
            several,
            /^heal: one node per run gets a new server, and w1, w2 are.*deleted before the first new one has joined/,
        );
        assert.match(several, /\{ run: "one-2", nodes: \["w2"\] \}/);
        // What the error proposes: the next word, after the first was done.
        const first = stateAfter(server(["w1"]), old);
        assert.deepEqual(reasons(inputs({ cure: "server", nodes: ["w2"], run: "one-2" }), first), []);
        assert.deepEqual(reasons(server(["w1"])), []);
        const guarded = server(["w1"]);
        Object.assign(guarded.spec, { protect: true });
        assert.match(healProblems(old, guarded).wrong[0]!, /deleteProtection is true\. .* Set heal\.cure to "rejoin"/);
    });

    it("with a new server keeps its numbers by themselves: a later one without must not replace the server", () => {
        const one = stateAfter(inputs({ cure: "server", nodes: ["w1"] }), old);
        const two = stateAfter(inputs({ run: "two", nodes: ["w1"] }), one);
        const three = stateAfter(inputs({ run: "three", cure: "server", nodes: ["w1"] }), two);
        assert.deepEqual(three.heals, { run: "three", nodes: { w1: 3 }, servers: { w1: [1, 3] } });
        const upTo = [0, 1, 2, 3].map(number => serverHealUpTo(three.heals!, "w1", number));
        assert.deepEqual(upTo, [undefined, 1, 1, 3]);
        assert.equal(serverHealUpTo(three.heals!, "w2", 9), undefined);
    });

    it("waits for what is not known at preview", () => {
        const open = { ...old, heals: { run: "zero", nodes: { w1: 4 } } };
        for (const news of [
            inputs({ run: unknownValue }),
            { ...inputs({}), spec: { ...inputs().spec, nodes: unknownValue as never } },
            { ...inputs({}), heal: unknownValue as never },
        ]) {
            assert.equal(dueHeal(open, news), undefined);
            assert.deepEqual(numberHeals(open, news).heals, open.heals);
        }
    });

    it("of any sequence of programs heals each node once for each word that names it", () => {
        const wish = fc.option(
            fc.record({ run: fc.constantFrom("a", "b", "c"), nodes: fc.subarray(["w1", "w2"], { minLength: 1 }) }),
            { nil: undefined },
        );
        fc.assert(
            fc.property(fc.array(wish, { maxLength: 8 }), wishes => {
                let state = old;
                let last: string | undefined;
                const expected: Record<string, number> = {};
                for (const each of wishes) {
                    const before: Heals["nodes"] = state.heals?.nodes ?? {};
                    state = stateAfter(inputs(each), state);
                    const isNew = each !== undefined && each.run !== last;
                    last = each?.run ?? last;
                    for (const name of ["w1", "w2"]) {
                        const asked = isNew && each.nodes.includes(name);
                        assert.equal(state.heals?.nodes[name] !== before[name], asked, JSON.stringify(wishes));
                        if (asked) expected[name] = state.heals!.nodes[name]!;
                    }
                }
                assert.deepEqual(state.heals?.nodes ?? {}, expected);
            }),
        );
    });
});

describe("a node that is to be healed", () => {
    let identity: Identity;
    let fleet: FakeFleet;

    const of = (name: string, more: object = {}) => {
        const target = (each: string) => ({ ...fleet.target(each), connectTimeoutSeconds: 3 });
        const role = name.startsWith("m") ? "controlPlane" : "worker";
        return { ...machine(identity, name, role, target(name), { m1: target("m1"), m2: target("m2") }).node, ...more };
    };

    before(async () => {
        identity = await testIdentity();
        fleet = await FakeFleet.start({ nodes: ["m1", "m2", "w1"] });
        await node.create(of("m1"), listener());
    });
    after(async () => {
        await endRun();
        await fleet.stop();
    });

    it("is replaced for another number, and its state has the number of the heal that is done", async () => {
        const { id, outs } = await node.create(of("w1"), listener());
        assert.ok(!("heal" in outs));
        assert.deepEqual(node.diff(id, outs, of("w1", { heal: 1 })).replaces, ["heal"]);
        assert.equal(node.diff(id, outs, of("w1", { heal: unknownValue })).changes, false);
        const healed = await node.create(of("w1", { heal: 1 }), listener());
        assert.equal(healed.outs.heal, 1);
        for (const more of [{ heal: 1 }, { heal: 1, healWithdrawn: true }])
            assert.equal(node.diff(id, healed.outs, of("w1", more)).changes, false);
    });

    it("stays where the heal is withdrawn: what a stopped run has left is mended, and the heal is still open", async () => {
        const { id, outs } = await node.create(of("w1"), listener());
        const withdrawn = of("w1", { heal: 1, healWithdrawn: true });
        const { changes, replaces } = node.diff(id, outs, withdrawn);
        assert.deepEqual([changes, replaces], [true, []]);
        const begun = fleet.node("m1").commands.length;
        const mended = await node.update(id, outs, withdrawn, listener());
        const scripts = fleet
            .node("m1")
            .commands.slice(begun)
            .map(call => String(call.stdin));
        assert.ok(
            scripts.some(text => text.includes("uncordon")),
            "the drain of a stopped leave had cordoned it",
        );
        assert.deepEqual([mended.outs.heal, mended.outs.withdrawnHeal], [undefined, 1]);
        assert.equal(node.diff(id, mended.outs, withdrawn).changes, false);
        assert.deepEqual(node.diff(id, mended.outs, of("w1", { heal: 1 })).replaces, ["heal"]);
    });

    it("has one of three answers for each number", () => {
        const table: [state: object, input: object, healed: boolean, withdrawn: boolean, kept: object][] = [
            [{}, {}, false, false, {}],
            [{}, { heal: 1 }, true, false, { heal: 1 }],
            [{ heal: 1 }, { heal: 1 }, false, false, { heal: 1 }],
            [{ heal: 1 }, { heal: 2, healWithdrawn: true }, false, true, { heal: 1, withdrawnHeal: 2 }],
            [
                { heal: 1, withdrawnHeal: 2 },
                { heal: 2, healWithdrawn: true },
                false,
                false,
                { heal: 1, withdrawnHeal: 2 },
            ],
            [{ heal: 1, withdrawnHeal: 2 }, { heal: 2 }, true, false, { heal: 2 }],
            [{ heal: 2 }, { heal: 2, healWithdrawn: true }, false, false, { heal: 2 }],
        ];
        for (const [state, input, healed, withdrawn, kept] of table) {
            const found = [isHealed(state, input), isHealWithdrawn(state, input), keptHeal(state, input)];
            assert.deepEqual(found, [healed, withdrawn, kept], JSON.stringify([state, input]));
        }
        assert.deepEqual(keptHeal(undefined, { heal: 3, healWithdrawn: true }), { heal: 3 });
    });
});
