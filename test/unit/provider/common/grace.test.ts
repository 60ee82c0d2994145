import assert from "node:assert/strict";
import { graceEnd, isGraceOver } from "../../../../provider/common/grace";

describe("the grace of a rotation", () => {
    it("ends so many hours after the new key came", () => {
        assert.equal(graceEnd("2026-11-27T20:00:00.000Z", 24), "2026-11-28T20:00:00.000Z");
    });

    it("is over when it has ended, there was a former key, and that is still in use", () => {
        const since = "2020-01-01T00:00:00.000Z";
        assert.equal(isGraceOver({ ended: false, since }, 24), true);
        assert.equal(isGraceOver({ ended: true, since }, 24), false);
        assert.equal(isGraceOver({ ended: false, since: "" }, 0), false);
        assert.equal(isGraceOver({ ended: false, since: new Date().toISOString() }, 24), false);
        assert.equal(isGraceOver({ ended: false, since: new Date().toISOString() }, 0), true, "no grace");
    });
});
