import assert from "node:assert/strict";
import { unfinishedHeal } from "../../../../pipeline/operations/unfinished-heal";
import type { StateResource } from "../../../../tools/check/stack-state";

const resource = (type: string, id: string, spec: object, outputs: object = {}): StateResource => ({
    ...{ type, id, urn: `urn:${type}::${id}` },
    outputs: { spec: JSON.stringify({ clusterId: "core-1", ...spec }), ...outputs },
});
const start = (
    operation = "heal w1, w2 (asked for: nfv-1)",
    heals: object = { run: "nfv-1", nodes: { w1: 2, w2: 2 } },
) => resource("OperationStart", "core", {}, { operation, heals });
const node = (name: string, id = name) => resource("Node", id, { name });
const end = (nodeIds: object) => resource("OperationEnd", "core", { nodeIds });
const asked = { nodes: ["w2", "w1"] };
const configured = { run: "nfv-1", nodes: ["w1", "w2"] };
const half = [start(), node("w1", "w1-new"), node("w2"), end({ w1: "w1", w2: "w2" })];

describe("a heal that a former run did not finish", () => {
    it("goes on under its word where a healed node was not seen by the end of an operation", () => {
        assert.equal(unfinishedHeal(asked, configured, half), "nfv-1");
        assert.equal(unfinishedHeal(asked, JSON.stringify(configured), half), "nfv-1");
        const all = { run: "nfv-1", all: true };
        assert.equal(unfinishedHeal({ nodes: "all" }, all, [start(), node("w1"), node("w2")]), "nfv-1", "no end");
        const gone = [start(), node("w1"), end({ w1: "w1", w2: "w2" })];
        assert.equal(unfinishedHeal(asked, configured, gone), "nfv-1", "killed while w2 was away");
    });

    const others: [string, Parameters<typeof unfinishedHeal>][] = [
        ["of other nodes", [{ nodes: ["w2"] }, configured, half]],
        ["with another cure", [{ ...asked, cure: "server" }, configured, half]],
        ["that is finished", [asked, configured, [start(), node("w1"), node("w2"), end({ w1: "w1", w2: "w2" })]]],
        ["before another operation", [asked, configured, [start("scale out workers +1 (w3)"), ...half.slice(1)]]],
        ["of another word", [asked, { ...configured, run: "nfv-2" }, half]],
        ["that the program did not read", [asked, configured, [start("x", { run: "z" }), ...half.slice(1)]]],
        [
            "in another cluster",
            [asked, configured, [start(), resource("Node", "a", { clusterId: "b", name: "w1" }), end({})]],
        ],
        ["without configuration", [asked, undefined, half]],
    ];
    for (const [what, given] of others) it(`is none ${what}`, () => assert.equal(unfinishedHeal(...given), undefined));
});
