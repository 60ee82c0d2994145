import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/contract/values";
import { isTakenBack, type MembershipInputs, mayHaveMoved, membership } from "../../../../provider/member/membership";
import { listener } from "../support/cluster";

/** Inputs in the state after each of these programs. */
function inputsAfter(...programs: MembershipInputs["nodes"][]): MembershipInputs {
    return programs.reduce<MembershipInputs>(
        (olds, nodes) => membership.check(olds, { nodes }).inputs,
        {} as MembershipInputs,
    );
}

const [m1, w1] = [{ m1: "10.0.0.1" }, { w1: "10.0.0.2" }];

describe("which nodes the program has, and since when", () => {
    const rows: [string, MembershipInputs["nodes"][], Record<string, number>][] = [
        ["the first ones", [{ ...m1, ...w1 }], { m1: 0, w1: 0 }],
        ["one that comes later", [m1, { ...m1, ...w1 }], { m1: 0, w1: 1 }],
        [
            "the same as before",
            [
                { ...m1, ...w1 },
                { ...m1, ...w1 },
            ],
            { m1: 0, w1: 0 },
        ],
        ["one that left and came back", [{ ...m1, ...w1 }, m1, { ...m1, ...w1 }], { m1: 0, w1: 1 }],
        ["one that came, left and came back", [m1, { ...m1, ...w1 }, m1, { ...m1, ...w1 }], { m1: 0, w1: 2 }],
        ["one that moved", [w1, { w1: "10.0.0.9" }], { w1: 1 }],
        ["one that moved and moved back", [w1, { w1: "10.0.0.9" }, w1], { w1: 2 }],
        ["one whose address is not known", [w1, { w1: unknownValue }, w1], { w1: 0 }],
    ];
    for (const [what, programs, expected] of rows) {
        it(what, () => assert.deepEqual(inputsAfter(...programs).generations, expected));
    }

    it("numbers the endpoints: back to the former one is another number, one that is not known yet says nothing", () => {
        const numberAfter = (...endpoints: (string | undefined)[]) =>
            endpoints.reduce<Partial<MembershipInputs>>(
                (olds, endpoint) =>
                    membership.check(olds, { nodes: m1, ...(endpoint !== undefined && { endpoint }) }).inputs,
                {},
            ).endpointNumber;
        assert.equal(numberAfter("a"), 0);
        assert.equal(numberAfter(undefined, "a"), 0);
        assert.equal(numberAfter("a", "a"), 0);
        assert.equal(numberAfter("a", "b", "a"), 2);
        assert.equal(numberAfter("a", unknownValue, "a"), 0);
        assert.equal(mayHaveMoved({ endpointNumber: 1 }, { endpointNumber: 1 }), false);
        assert.equal(mayHaveMoved({ endpointNumber: 1 }, { endpointNumber: unknownValue as never }), false);
        assert.equal(mayHaveMoved({ endpointNumber: 0 }, { endpointNumber: 1 }), true);
    });

    it("stays as it was while the nodes are not known", () => {
        const before = inputsAfter(w1, { ...m1, ...w1 });
        const { inputs } = membership.check(before, { nodes: unknownValue as never });
        assert.deepEqual([inputs.generations, inputs.latest], [before.generations, before.latest]);
    });

    it("changes only when they do, and has the numbers as output", async () => {
        const { id, outs } = await membership.create(inputsAfter(m1), listener());
        assert.deepEqual(outs.generations, { m1: 0 });
        assert.equal(membership.diff(id, outs, membership.check(outs, { nodes: m1 }).inputs).changes, false);
        assert.equal(membership.diff(id, outs, membership.check(outs, { nodes: w1 }).inputs).changes, true);
    });

    for (const change of [{ nodes: { m1: "10.0.0.9" } }, { generations: { m1: 1 } }, { endpointNumber: 1 }]) {
        it(`changes by ${Object.keys(change)[0]} alone, and takes that as it is`, async () => {
            const { id, outs } = await membership.create(inputsAfter(m1), listener());
            assert.equal(id, "membership");
            const news = { ...outs, ...change };
            assert.equal(membership.diff(id, outs, news).changes, true);
            assert.deepEqual((await membership.update(id, outs, news, listener())).outs, news);
            assert.deepEqual(await membership.read(id, news, listener()), { id, props: news });
        });
    }

    it("tells nothing of a node by a number that is not known", () => {
        assert.equal(isTakenBack({ generation: 1 }, { generation: unknownValue as never }), false);
        assert.equal(isTakenBack({ generation: 1 }, { generation: 1 }), false);
        assert.equal(isTakenBack({ generation: 0 }, { generation: 1 }), true);
    });

    it("tells nothing of the endpoint to a worker's Node, which has no number of it", () => {
        assert.equal(mayHaveMoved({}, {}), false);
    });
});
