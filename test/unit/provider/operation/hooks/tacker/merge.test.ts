import assert from "node:assert/strict";
import { merged } from "../../../../../../provider/operation/hooks/tacker/merge";

describe("what a user gives for Tacker's data model", () => {
    it("is merged into objects, replaces lists and values, and removes a key by null", () => {
        const base = { a: { b: 1, c: [1, 2] }, d: "x", e: 1 };
        assert.deepEqual(merged(base, { a: { c: [3] }, d: null, e: { f: 2 } }), { a: { b: 1, c: [3] }, e: { f: 2 } });
        assert.deepEqual(base, { a: { b: 1, c: [1, 2] }, d: "x", e: 1 });
    });

    it("cannot change the prototype of all objects", () => {
        merged({}, JSON.parse('{"__proto__": {"bad": true}}'));
        assert.equal(({} as { bad?: boolean }).bad, undefined);
    });
});
