import { deepStrictEqual } from "node:assert/strict";
import { podNetworkSize } from "../../../../components/validation/pod-network-size";

const machine = { flavor: "f", image: "i" };
const args = { controlPlane: machine, pools: { md: { ...machine, replicas: 2 } } };
const extraArgs = [{ name: "node-cidr-mask-size", value: "26" }];

describe("the size of a workload cluster's pod network", () => {
    for (const [title, given] of [
        ["is enough by default", args],
        ["is enough for each node and those that replace one", { ...args, network: { podCidr: "10.0.0.0/21" } }],
        [
            "counts with the share that the program sets",
            {
                ...args,
                network: { podCidr: "10.0.0.0/23" },
                kubeadm: { clusterConfiguration: { controllerManager: { extraArgs } } },
            },
        ],
        [
            "counts the share in the older form, too",
            {
                ...args,
                network: { podCidr: "10.0.0.0/23" },
                kubeadm: {
                    clusterConfiguration: { controllerManager: { extraArgs: { "node-cidr-mask-size": "26" } } },
                },
            },
        ],
        [
            "is not counted for a pod network that may divide it otherwise",
            { ...args, network: { podCidr: "10.0.0.0/24", cni: "manifests" } },
        ],
        [
            "is enough where a pool loses a machine before it gets another",
            {
                ...args,
                network: { podCidr: "10.0.0.0/22" },
                pools: { md: { ...machine, replicas: 2, maxUnavailable: 1 } },
            },
        ],
        ["is judged elsewhere where it is no network", { ...args, network: { podCidr: "10.0.0.0" } }],
    ] as [string, Parameters<typeof podNetworkSize>[0]][]) {
        it(title, () => deepStrictEqual(podNetworkSize(given), []));
    }

    it("counts an autoscaled pool with its most machines", () => {
        const pools = { md: { ...machine, autoscale: { min: 1, max: 300 } } };
        const [[place] = []] = podNetworkSize({ ...args, pools });
        deepStrictEqual(place, "network.podCidr");
    });
});
