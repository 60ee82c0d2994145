import assert from "node:assert/strict";
import { compare, interleave, median, renderReport, table } from "../../../bench/harness";

describe("the harness of the benches", () => {
    it("runs all sides in every round, one after another", async () => {
        const order: string[] = [];
        const subject = (name: string) => ({
            name,
            run: async (round: number) => {
                order.push(`${name}${round}`);
                return round + 1;
            },
        });
        const samples = await interleave([subject("a"), subject("b")], 2, () => {});
        assert.deepEqual(order, ["a0", "b0", "a1", "b1"]);
        assert.deepEqual(samples, { a: [1, 2], b: [1, 2] });
    });

    it("takes the middle, or the mean of the two in the middle", () => {
        assert.equal(median([3, 1, 2]), 2);
        assert.equal(median([4, 1, 2, 3]), 2.5);
        assert.throws(() => median([]));
    });

    it("takes the ratio pair by pair: a machine that was slow in one round changes nothing", () => {
        const samples = { ours: [1, 10, 1], rival: [10, 100, 20] };
        const share = compare(samples, { ours: "ours", rival: "rival", goal: { atMost: 0.1 } });
        assert.equal(share.ratio, 0.1);
        assert.deepEqual(share.range, [0.05, 0.1]);
        assert.equal(share.met, true);
        const missed = compare(samples, { ours: "ours", rival: "rival", goal: { atMost: 0.09 } });
        assert.equal(missed.met, false);
    });

    it("turns the ratio around where the goal says how many times faster", () => {
        const samples = { ours: [2], rival: [16] };
        assert.equal(compare(samples, { ours: "ours", rival: "rival", goal: { timesFaster: 8 } }).ratio, 8);
        assert.equal(compare(samples, { ours: "ours", rival: "rival", goal: { timesFaster: 8 } }).met, true);
        assert.equal(compare(samples, { ours: "ours", rival: "rival", goal: { timesFaster: 9 } }).met, false);
        assert.equal(compare(samples, { ours: "ours", rival: "rival" }).met, undefined);
    });

    it("prints the goal beside the ratio, and whether it was met", () => {
        const samples = { us: [1, 1], them: [20, 40] }; // ratios 0.05 and 0.025
        const comparisons = [compare(samples, { ours: "us", rival: "them", goal: { atMost: 0.1 } })];
        const text = renderReport({ bench: "x", how: ["how"], comparisons, samples, facts: { "bytes per node": 7 } });
        assert.match(text, /us +1\.00 +them +30\.0 +0\.038 +0\.025 … 0\.050 +2 +≤ 0\.1 met/);
        assert.match(text, /bytes per node: 7/);
    });

    it("makes columns as wide as their widest cell", () => {
        assert.deepEqual(
            table([
                ["a", "bb"],
                ["ccc", ""],
            ]),
            ["  a    bb", "  ccc"],
        );
    });
});
