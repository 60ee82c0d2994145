import { deepStrictEqual } from "node:assert/strict";
import { drainOf, poolDrains } from "../../../../components/common/drain";

describe("how pods leave a node", () => {
    const args = {
        drain: { timeoutSeconds: 60, policy: "evict" },
        pools: { db: { drain: { timeoutSeconds: 900 } }, edge: { drain: { policy: "delete" } }, web: {} },
    };

    it("is said by its pool, then by the cluster, input by input, then by the defaults", () => {
        deepStrictEqual(drainOf(args, "db"), { timeoutSeconds: 900, policy: "evict" });
        deepStrictEqual(drainOf(args, "edge"), { timeoutSeconds: 60, policy: "delete" });
        deepStrictEqual(drainOf(args, "web"), { timeoutSeconds: 60, policy: "evict" });
        deepStrictEqual(drainOf(args), { timeoutSeconds: 60, policy: "evict" });
        deepStrictEqual(drainOf({ pools: { db: { drain: {} } } }, "db"), { timeoutSeconds: 300, policy: "fail" });
    });

    it("is listed for pools that say it themselves, and for no others: a program without them keeps its inputs", () => {
        deepStrictEqual(Object.keys(poolDrains(args)), ["db", "edge"]);
        deepStrictEqual(poolDrains({ drain: args.drain, pools: { web: {} } }), {});
    });
});
