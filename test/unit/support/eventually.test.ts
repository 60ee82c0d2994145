import { strict as assert } from "node:assert";
import { eventually } from "../../support/eventually";

describe("a wait of a test", () => {
    const quick = { pauseMilliseconds: 5 };
    const failsAs = (...said: string[]) => {
        let looks = 0;
        return { looks: () => looks, attempt: () => assert.fail(said[Math.min(looks++, said.length - 1)]!) };
    };

    it("ends with the last failure once that has been the same for its time", async () => {
        const { attempt } = failsAs("none", "one of two");
        await assert.rejects(eventually(0.05, attempt, quick), /one of two/);
    });

    it("goes on far beyond its time while what is seen changes, and ends when it works", async () => {
        let looks = 0;
        const began = Date.now();
        const attempt = () => {
            if (looks++ < 60) throw new Error(`${looks} of 60`);
            return "done";
        };
        assert.equal(await eventually(0.05, attempt, quick), "done");
        assert.ok(Date.now() - began > 250);
    });

    it("is not held up by ages and times of day in a failure", async () => {
        const ages = Array.from({ length: 500 }, (_, i) => `NotReady since 12:00:${10 + (i % 50)}, ${i}m${i % 60}s`);
        await assert.rejects(eventually(0.05, failsAs(...ages).attempt, quick), /NotReady/);
    });

    it("goes on while its pulse changes, and asks it only before it gives up", async () => {
        const { looks, attempt } = failsAs("the same");
        const beats: number[] = [];
        const pulse = () => `${Math.min(beats.push(looks()), 3)}`;
        await assert.rejects(eventually(0.03, attempt, { ...quick, pulse }), /the same/);
        assert.equal(beats.length, 4);
        assert.ok(beats[0]! > 2, "not at each look");
    });
});
