import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as fc from "fast-check";
import { maxUnavailableNodes, maxUnavailableProblem } from "../../../../components/common/max-unavailable";

describe("maxUnavailable of a pool", () => {
    it("is a number of nodes, whatever the pool's size, and one if it is not given", () => {
        deepStrictEqual(
            [undefined, 1, 3].map(given => maxUnavailableNodes(given, 2)),
            [1, 1, 3],
        );
    });

    it("is a percentage of the pool's nodes, rounded down, at least one", () => {
        const table: [percentage: string, size: number, nodes: number][] = [
            ["25%", 8, 2],
            ["25%", 7, 1],
            ["25%", 3, 1],
            ["1%", 0, 1],
            ["29%", 100, 29],
            ["50%", 5, 2],
            ["100%", 5, 5],
        ];
        for (const [given, size, nodes] of table) strictEqual(maxUnavailableNodes(given, size), nodes, given);
    });

    it("is never more than the pool for a percentage, and never less than one for any value that is allowed", () => {
        const given = fc.oneof(
            fc.integer({ min: -2, max: 200 }),
            fc.integer({ min: -2, max: 200 }).map(n => `${n}%`),
        );
        fc.assert(
            fc.property(given, fc.integer({ min: 1, max: 500 }), (value, size) => {
                if (maxUnavailableProblem(value) !== undefined) return;
                const nodes = maxUnavailableNodes(value, size);
                ok(Number.isInteger(nodes) && nodes >= 1);
                ok(typeof value === "number" || nodes <= size);
            }),
        );
    });

    it("is allowed as a whole number from 1, and from 1% to 100%", () => {
        for (const given of [undefined, 1, 250, "1%", "10%", "100%"])
            strictEqual(maxUnavailableProblem(given), undefined);
        for (const given of [0, -1, 1.5, Number.NaN, "", "0%", "05%", "101%", "1000%", "-5%", "2", "1.5%", " 5%"]) {
            ok(maxUnavailableProblem(given), String(given));
        }
    });
});
