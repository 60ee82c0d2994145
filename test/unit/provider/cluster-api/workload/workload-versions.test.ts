import { match, strictEqual } from "node:assert/strict";
import { versionProblem } from "../../../../../provider/cluster-api/workload/workload-versions";

describe("another version of a workload cluster", () => {
    for (const [title, existing, wanted, expected] of [
        ["may be the next patch", ["v1.34.4"], "v1.34.5", undefined],
        ["may be the next minor", ["v1.34.4"], "v1.35.0", undefined],
        ["may be the former one where no machine has the new one yet", ["v1.34.4"], "v1.34.4", undefined],
        [
            "may be the former patch while only some machines have the new one",
            ["v1.34.4", "v1.34.5"],
            "v1.34.4",
            undefined,
        ],
        ["may be any where there is no machine", [], "v1.30.0", undefined],
        ["is not judged where the program does not say it", ["v1.34.4"], "", undefined],
        ["is not an older patch", ["v1.34.4"], "v1.34.3", /has 1\.34\.4, and cannot go back to 1\.34\.3/],
        ["is not an older minor", ["v1.34.4"], "v1.33.9", /cannot go back to 1\.33\.9/],
        [
            "is not an older minor when one machine has the new one",
            ["v1.34.4", "v1.35.0"],
            "v1.34.9",
            /has 1\.35\.0, and cannot go back/,
        ],
        [
            "is not the minor after the next",
            ["v1.34.4"],
            "v1.36.0",
            /cannot go to 1\.36\.0 at once[\s\S]*first to 1\.35/,
        ],
        ["is compared as numbers", ["v1.9.10"], "v1.10.2", undefined],
        [
            "counts from the oldest machine",
            ["v1.34.4", "v1.35.0"],
            "v1.36.0",
            /has 1\.34\.4, and cannot go to 1\.36\.0/,
        ],
    ] as [string, string[], string, RegExp | undefined][]) {
        it(title, () => {
            const found = versionProblem("site", existing, wanted);
            if (expected === undefined) strictEqual(found, undefined);
            else match(found!.message, expected);
        });
    }
});
