import { deepStrictEqual } from "node:assert/strict";
import { members } from "../../../../../components/infrastructure/hosts/members";
import { clusterArgs } from "../../sample-args";

describe("the machines in use", () => {
    const names = (controlPlane: object, workers: object) => {
        const args = clusterArgs(3, { workers: 11 }, { controlPlane });
        return members({ ...args, pools: { workers } }).map(({ name }) => name);
    };

    it("are the first by name in natural order", () => {
        deepStrictEqual(names({ count: 1 }, { count: 3 }), ["m1", "workers-1", "workers-2", "workers-3"]);
    });

    it("are without those that remove names, in whatever group", () => {
        deepStrictEqual(names({ count: 1, remove: ["m1", "m3"] }, { count: 2, remove: ["workers-1"] }), [
            "m2",
            "workers-2",
            "workers-3",
        ]);
        deepStrictEqual(names({ count: 1 }, { remove: ["workers-2"] }).length, 1 + 10);
    });
});
