import assert from "node:assert/strict";
import { idOf, uuidV5 } from "../../../../../../provider/operation/hooks/tacker/uuid";

describe("ids in Tacker's data model", () => {
    it("are version 5 UUIDs (an example of RFC 9562)", () => {
        const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
        assert.equal(uuidV5(dns, "www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    });

    it("are the same in each run, and others in another cluster", () => {
        assert.equal(idOf("c1", "vnfc", "w1"), idOf("c1", "vnfc", "w1"));
        assert.notEqual(idOf("c1", "vnfc", "w1"), idOf("c2", "vnfc", "w1"));
        assert.notEqual(idOf("c1", "vnfc", "w1"), idOf("c1", "vnfc", "w10"));
    });
});
