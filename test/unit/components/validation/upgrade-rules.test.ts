import { deepStrictEqual } from "node:assert/strict";
import type { UpgradeOrderArgs } from "../../../../components/args/upgrade-args";
import { problems } from "../../../../components/validation/validate";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { clusterArgs } from "../sample-args";

describe("the order of an upgrade", () => {
    const of = (upgrade: UpgradeOrderArgs) => {
        const args = clusterArgs(1, { workers: 2, edge: 1 });
        return problems("KubernetesCluster", { ...args, kubernetes: { ...args.kubernetes, upgrade } });
    };
    const inCloud = (upgrade: UpgradeOrderArgs) => {
        const args = cloudArgs({}, { pools: { workers: { count: 2 } } });
        return problems("KubernetesCluster", { ...args, kubernetes: { ...args.kubernetes, upgrade } });
    };
    const at = "kubernetes.upgrade";

    it("names workers and pools, and pauses after one of them or the control plane", () => {
        deepStrictEqual(of({ order: ["workers-2", "edge"], pauseAfter: "edge", soakSeconds: 600 }), []);
        deepStrictEqual(of({ pauseAfter: "controlPlane" }), []);
        deepStrictEqual(inCloud({ order: ["core-workers-2", "workers"] }), []);
    });

    const table: [promise: string, upgrade: UpgradeOrderArgs, said: string][] = [
        [
            "a misspelt name",
            { order: ["worker"] },
            `${at}.order.0: "worker" is no worker and no pool; did you mean "workers"?`,
        ],
        ["a name twice", { order: ["edge", "edge"] }, `${at}.order.1: edge is named twice`],
        [
            "the control plane in the order",
            { order: ["controlPlane"] },
            `${at}.order.0: the control plane always moves first: leave it out`,
        ],
        [
            "a pause after something that is not in the order",
            { order: ["workers-1"], pauseAfter: "workers-2" },
            `${at}.pauseAfter: "workers-2" is neither "controlPlane" nor in order; did you mean "workers-1"?`,
        ],
        [
            "a soak of more than a day",
            { soakSeconds: 90_000 },
            `${at}.soakSeconds: 90000 is not allowed: a whole number from 0 to 86400`,
        ],
        [
            "half a second",
            { soakSeconds: 0.5 },
            `${at}.soakSeconds: 0.5 is not allowed: a whole number from 0 to 86400`,
        ],
    ];
    for (const [promise, upgrade, said] of table) it(`refuses ${promise}`, () => deepStrictEqual(of(upgrade), [said]));

    it("refuses a server that no pool of a cloud has", () => {
        deepStrictEqual(inCloud({ order: ["core-edge-1"] }), [`${at}.order.0: "core-edge-1" is no worker and no pool`]);
    });
});
