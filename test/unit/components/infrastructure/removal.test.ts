import { deepStrictEqual } from "node:assert/strict";
import { removal } from "../../../../components/infrastructure/removal";
import { clusterArgs } from "../sample-args";

describe("what the operation keeps of the names that leave", () => {
    const of = (controlPlane: object, workers: object) =>
        removal({ ...clusterArgs(1), controlPlane, pools: { workers } });

    it("is nothing where none are named: such a program has the inputs that it had", () => {
        deepStrictEqual(removal(clusterArgs(1)), {});
        deepStrictEqual(of({}, { remove: [] }), {});
    });

    it("is each group's list, at its place in the program", () => {
        deepStrictEqual(of({ remove: ["m1"] }, { remove: ["w2", "w5"] }), {
            removed: { controlPlane: ["m1"], "pools.workers": ["w2", "w5"] },
        });
        deepStrictEqual(of({}, { remove: ["w2"] }), { removed: { "pools.workers": ["w2"] } });
    });
});
