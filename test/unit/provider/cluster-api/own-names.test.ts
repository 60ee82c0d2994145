import { deepStrictEqual } from "node:assert/strict";
import { ownNames } from "../../../../provider/cluster-api/own-names";
import type { Seen } from "../../../../provider/cluster-api/workload-seen";

const of = (kind: string, name: string, spec: Seen["spec"] = {}): Seen => ({ kind, metadata: { name }, spec });
const reference = (kind: string, name: string) => ({ kind, name });

describe("whose an object of Cluster API is", () => {
    // Pool b of cluster a, beside a cluster of the name a-b.
    const isOwn = ownNames({
        cluster: of("Cluster", "a", {
            infrastructureRef: reference("OpenStackCluster", "a"),
            controlPlaneRef: reference("KubeadmControlPlane", "a-control-plane"),
        }),
        pools: [of("MachineDeployment", "a-b")],
        others: [of("MachineSet", "a-b-x7f2p"), of("MachineHealthCheck", "a-pools")],
        machines: [
            of("Machine", "a-b-x7f2p-9xk2m", {
                infrastructureRef: reference("OpenStackMachine", "a-b-x7f2p-9xk2m"),
                bootstrap: { configRef: reference("KubeadmConfig", "a-b-config-5t8zz") },
            }),
        ],
        warnings: [],
    });

    for (const [title, expected, objects] of [
        [
            "is the cluster's: the objects with its label, and what they refer to",
            true,
            [
                ["Cluster", "a"],
                ["OpenStackCluster", "a"],
                ["KubeadmControlPlane", "a-control-plane"],
                ["MachineDeployment", "a-b"],
                ["MachineSet", "a-b-x7f2p"],
                ["MachineHealthCheck", "a-pools"],
                ["Machine", "a-b-x7f2p-9xk2m"],
                ["KubeadmConfig", "a-b-config-5t8zz"],
            ],
        ],
        ["is the cluster's: what a provider makes for a machine", true, [["OpenStackServer", "a-b-x7f2p-9xk2m"]]],
        [
            "is another cluster's, whose name only begins so",
            false,
            [
                ["Cluster", "a-b"],
                ["OpenStackCluster", "a-b"],
                ["KubeadmControlPlane", "a-b-control-plane"],
                ["Machine", "a-b-control-plane-k4v8s"],
                ["OpenStackServer", "a-b-md-7hq4d"],
                [undefined, ""],
            ],
        ],
    ] as [string, boolean, [string | undefined, string][]][]) {
        it(title, () => {
            for (const [kind, name] of objects)
                deepStrictEqual([kind, name, isOwn(kind, name)], [kind, name, expected]);
        });
    }
});
