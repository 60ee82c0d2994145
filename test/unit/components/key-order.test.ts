import assert from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../components/args/args";
import { plannedCluster } from "./planned-cluster";
import { clusterArgs } from "./sample-args";
import { triedChanges } from "./schema/tried-changes";

/** The same values, the keys of all maps in the opposite order. */
function turned<T>(value: T): T {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(turned) as T;
    const members = Object.entries(value).reverse();
    return Object.fromEntries(members.map(([key, each]) => [key, turned(each)])) as T;
}

const fingerprints = (args: KubernetesClusterArgs) =>
    Object.fromEntries(plannedCluster(args).steps.map(({ place, step }) => [`${place} ${step.id}`, step.fingerprint]));

/** Maps whose keys reach files or flags as the user wrote them. */
const maps: Partial<KubernetesClusterArgs> = {
    kubelet: { maxPods: 50, evictionHard: { "nodefs.available": "1%", "imagefs.available": "2%" } },
    kubeProxy: { mode: "nftables", conntrack: { min: 0, maxPerCore: 0 } },
    sysctls: { "vm.max_map_count": "262144", "net.core.somaxconn": "1024" },
    controlPlane: {
        endpoint: { vip: { address: "10.99.0.100" } },
        labels: { b: "1", a: "2" },
        annotations: { b: "1", a: "2" },
        kubelet: { maxPods: 20, evictionHard: { b: "1", a: "2" } },
        extraArgs: { kubelet: { v: "3", "max-pods": "20" }, apiServer: { v: "3", "request-timeout": "70s" } },
        patches: { "etcd+merge": "a: 1", "kube-scheduler+merge": "a: 1" },
    },
    registries: {
        "b.example": { endpoints: ["https://b:5000"], username: "u", password: "p" },
        "a.example": { endpoints: ["https://a:5000"] },
    },
} as Partial<KubernetesClusterArgs>;

/** A program, or a Pulumi configuration that sorts keys, may write them in another order: no step may run for that. */
describe("the order of keys in the arguments", () => {
    it("changes no step where maps have several keys", () => {
        const args = { ...clusterArgs(3, { workers: 2, edge: 2 }), ...maps } as KubernetesClusterArgs;
        assert.deepEqual(fingerprints(turned(args)), fingerprints(args));
    });

    it("changes no step, whatever input is set", () => {
        for (const [row, { after }] of Object.entries(triedChanges))
            assert.deepEqual(fingerprints(turned(after)), fingerprints(after), row);
    });
});
