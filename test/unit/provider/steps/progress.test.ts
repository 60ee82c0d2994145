import assert from "node:assert/strict";
import { paceAt, paceOfUpload } from "../../../../provider/steps/progress";

describe("progress, of which a pipeline's log gets a line for each report", () => {
    it("shows of an upload each tenth percent, or what it has after five seconds, and its end", () => {
        let now = 0;
        const shows = paceOfUpload(() => now);
        const shown = (from: number, to: number) => {
            const all: number[] = [];
            for (let percent = from; percent <= to; percent++) if (shows(percent)) all.push(percent);
            return all;
        };
        assert.deepEqual(shown(0, 29), [0, 10, 20]);
        now += 5000;
        assert.deepEqual([shows(29), shows(29), shows(30)], [true, false, false]);
        assert.deepEqual(shown(31, 100), [39, 49, 59, 69, 79, 89, 99, 100]);
        assert.equal(shows(100), false);
    });

    it("shows the age of a step ever more rarely", () => {
        assert.deepEqual([2, 9, 10, 59, 60, 3000].map(paceAt), [1, 1, 5, 5, 15, 15]);
    });
});
