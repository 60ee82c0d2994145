import assert from "node:assert/strict";
import * as fc from "fast-check";
import { leavingNodes, type Removed } from "../../../../provider/operation/leaving-nodes";

const nodes = (...names: string[]) =>
    Object.fromEntries(
        names.map(name => {
            const role = name.startsWith("m") ? ("controlPlane" as const) : ("worker" as const);
            return [name, role === "worker" ? { role, pool: name.startsWith("e") ? "edge" : "workers" } : { role }];
        }),
    );
const at = "pools.workers";

describe("what is said of nodes that leave", () => {
    const of = (
        before: string[],
        after: string[],
        removed: { before?: Removed; after?: Removed } = {},
        lost: string[] = [],
        strangeBefore?: Removed,
    ) =>
        leavingNodes({
            before: nodes(...before),
            after: nodes(...after),
            removed: { before: removed.before ?? {}, after: removed.after ?? {} },
            lost,
            ...(strangeBefore && { strangeBefore }),
        });
    const nothing = { wrong: [], notes: [], strange: {} };

    it("is nothing where nobody leaves, where all do, or where they are named", () => {
        assert.deepEqual(of(["m1", "w1"], ["m1", "w1", "w2"]), nothing);
        assert.deepEqual(of(["m1", "w1", "w2"], ["m1"]), nothing);
        assert.deepEqual(of(["m1", "w1", "w2", "w3"], ["m1", "w1", "w3"], { after: { [at]: ["w2"] } }), nothing);
    });

    it("is who leaves for a smaller count, and the input that chooses others", () => {
        const { notes } = of(["m1", "m2", "m3", "w1", "w9", "w10"], ["m1", "w1"]);
        assert.deepEqual(notes, [
            "m2, m3 leave: a smaller count takes the last by name, unless controlPlane.remove names others",
            `w9, w10 leave: a smaller count takes the last by name, unless ${at}.remove names others`,
        ]);
    });

    it("is nothing where the program took out another one: that was no count", () => {
        assert.deepEqual(of(["m1", "w1", "w2"], ["m1", "w2"]), nothing);
    });

    it("names those that stay although their server is gone", () => {
        const { notes } = of(["m1", "w1", "w2"], ["m1", "w1"], {}, ["w1", "w2"]);
        assert.match(notes[0]!, /remove names others, such as w1, whose server is gone$/);
    });

    it("refuses a name that never was a node while another node leaves: it is probably misspelt", () => {
        const { wrong, notes } = of(["m1", "w1", "w2", "w3"], ["m1", "w1", "w2"], { after: { [at]: ["w22"] } });
        assert.deepEqual(notes, []);
        assert.deepEqual(wrong, [
            `${at}.remove names w22, and this cluster has no such node there (it has w1, w2, w3; nearest: w2), while w3 would leave. ` +
                "Nothing was touched. Name the nodes that shall leave; if that is w3, take w22 out of the list",
        ]);
    });

    it("does not refuse a name that left before, nor one of another group", () => {
        const left = { before: { [at]: ["w2"] }, after: { [at]: ["w2"] } };
        assert.deepEqual(of(["m1", "w1", "w3"], ["m1", "w1"], left).wrong, []);
        assert.deepEqual(
            of(["m1", "e1", "w1", "w2"], ["m1", "e1", "w1"], { after: { "pools.edge": ["e7"] } }).wrong,
            [],
        );
    });

    it("says once that a name has no node, and remembers it as strange", () => {
        const removed = { before: { [at]: ["w5"] }, after: { [at]: ["w5"] } };
        const first = of(["m1", "w1"], ["m1", "w1"], { after: removed.after });
        assert.deepEqual(first.notes, [
            `${at}.remove: w5 is no node now, so nothing leaves for it; no node gets this name; nearest: w1`,
        ]);
        assert.deepEqual(first.strange, { [at]: ["w5"] });
        const again = of(["m1", "w1"], ["m1", "w1"], removed, [], first.strange);
        assert.deepEqual(again, { wrong: [], notes: [], strange: { [at]: ["w5"] } });
    });

    it("refuses a strange name of an earlier run, too, when another node would leave in this one", () => {
        const removed = { before: { [at]: ["w22"] }, after: { [at]: ["w22"] } };
        const { wrong } = of(["m1", "w1", "w2", "w3"], ["m1", "w1", "w2"], removed, [], { [at]: ["w22"] });
        assert.match(wrong.join(), /names w22.*nearest: w2\), while w3 would leave/);
        const corrected = { before: { [at]: ["w22"] }, after: { [at]: ["w2"] } };
        const after = of(["m1", "w1", "w2", "w3"], ["m1", "w1", "w3"], corrected, [], { [at]: ["w22"] });
        assert.deepEqual(after, nothing);
    });

    it("knows a name that was a node once, in each later run", () => {
        let before = ["m1", "w1", "w2", "w3", "w4"];
        let removed: Removed = {};
        let strange: Removed = {};
        for (const leaver of ["w2", "w4", "w1"]) {
            const after = before.filter(name => name !== leaver);
            const now = { [at]: [...(removed[at] ?? []), leaver] };
            const found = of(before, after, { before: removed, after: now }, [], strange);
            assert.deepEqual(found, nothing, leaver);
            [before, removed, strange] = [after, now, found.strange];
        }
        assert.deepEqual(
            of(["m1", "w3", "w5"], ["m1", "w3"], { before: removed, after: removed }, [], strange).wrong,
            [],
        );
    });

    it("never refuses a program that names nobody", () => {
        const group = fc.subarray(["m1", "m2", "m3", "w1", "w2", "w3", "e1", "e2"]);
        fc.assert(fc.property(group, group, (before, after) => assert.deepEqual(of(before, after).wrong, [])));
    });
});
