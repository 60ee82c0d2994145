import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { WorkloadClusterArgs } from "../../../../components/args/workload-cluster-args";
import type { Named } from "../../../../components/cluster-api/machine-template";
import { workloadObjects } from "../../../../components/cluster-api/workload-objects";
import { workloadSpec } from "../../../../components/cluster-api/workload-spec";

const args = (changes: Partial<WorkloadClusterArgs> = {}): WorkloadClusterArgs => ({
    version: "1.34.4",
    openstack: { identity: { secretName: "cloud" }, sshKeyName: "ops" },
    controlPlane: { flavor: "m1.medium", image: "k8s-v1.34.4" },
    pools: { md: { flavor: "m1.small", image: "k8s-v1.34.4", replicas: 2 } },
    ...changes,
});
const objectsOf = (changes: Partial<WorkloadClusterArgs> = {}, manifests: Record<string, string> = {}) =>
    workloadObjects(workloadSpec("w1", args(changes), manifests));
const find = (objects: Named[], kind: string, start = "") =>
    objects.find(object => object.kind === kind && object.metadata.name.startsWith(start))!;
const specOf = (object: Named) => object["spec"] as Record<string, any>;

describe("the objects of a workload cluster", () => {
    it("refer to each other by kinds, groups and names that exist", () => {
        const objects = objectsOf({ healthCheck: {} }, { network: "kind: X" });
        const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
        const references = (value: unknown): string[] => {
            if (value === null || typeof value !== "object") return [];
            const { apiGroup, kind, name } = value as Record<string, string>;
            const own = apiGroup !== undefined ? [`${kind} ${name}`] : [];
            return [...own, ...Object.values(value).flatMap(references)];
        };
        const referred = objects.flatMap(references);
        strictEqual(referred.length, 5);
        for (const each of referred) ok(names.has(each), each);
        deepStrictEqual([...new Set(objects.map(({ metadata }) => metadata.namespace))], ["default"]);
    });

    it("close the metadata service to pods on each machine, before it joins: its user data has keys and tokens of the cluster", () => {
        const setUps = (changes: Partial<WorkloadClusterArgs> = {}) => {
            const objects = objectsOf({ kubeadm: { files: { "/etc/a": "b" }, preCommands: ["mine"] }, ...changes });
            const control = specOf(find(objects, "KubeadmControlPlane")).kubeadmConfigSpec;
            return [control, specOf(find(objects, "KubeadmConfigTemplate")).template.spec];
        };
        for (const { files, preKubeadmCommands } of setUps()) {
            const text = (path: string) => files.find((each: { path: string }) => each.path === path)?.content;
            ok(text("/etc/pulumi-nfv/metadata.nft").includes("ip daddr 169.254.169.254 tcp dport 80"));
            ok(text("/etc/systemd/system/pulumi-nfv-metadata.service").includes("/etc/pulumi-nfv/metadata.nft"));
            strictEqual(text("/etc/a"), "b");
            // The first commands that fail end all that follow.
            const at = preKubeadmCommands.findIndex((each: string) => each.includes("pulumi-nfv-metadata.service"));
            ok(at >= 0 && at < preKubeadmCommands.indexOf("mine"));
            ok(preKubeadmCommands[at].includes("exit 1"));
        }
        for (const { files, preKubeadmCommands } of setUps({ network: { podsReachMetadata: true } })) {
            strictEqual(files.length, 1);
            ok(!preKubeadmCommands.join().includes("metadata"));
        }
    });

    it("have templates that are called by their content: another flavor is another template, for that role alone", () => {
        const [before, after] = [
            objectsOf(),
            objectsOf({ controlPlane: { flavor: "m1.large", image: "k8s-v1.34.4" } }),
        ];
        const template = (objects: Named[], start: string) =>
            find(objects, "OpenStackMachineTemplate", start).metadata.name;
        notStrictEqual(template(before, "w1-control"), template(after, "w1-control"));
        strictEqual(template(before, "w1-md"), template(after, "w1-md"));
        const used = specOf(find(after, "KubeadmControlPlane")).machineTemplate.spec.infrastructureRef.name;
        strictEqual(used, template(after, "w1-control"));
    });

    it("keep all names when only numbers, the version or a pause change", () => {
        const names = (objects: Named[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
        const pools = { md: { flavor: "m1.small", image: "k8s-v1.34.4", replicas: 5, maxUnavailable: "20%" } };
        deepStrictEqual(names(objectsOf({ pools, version: "v1.34.5", paused: true })), names(objectsOf()));
        strictEqual(
            specOf(find(objectsOf({ version: "v1.34.5" }), "MachineDeployment")).template.spec.version,
            "v1.34.5",
        );
        strictEqual(specOf(find(objectsOf({ paused: true }), "Cluster")).paused, true);
    });

    it("leave the number of machines to an autoscaler, with its range", () => {
        const pools = { md: { flavor: "m1.small", image: "i", autoscale: { min: 1, max: 4 } } };
        const deployment = find(objectsOf({ pools }), "MachineDeployment");
        ok(!("replicas" in specOf(deployment)));
        deepStrictEqual(deployment.metadata["annotations"], {
            "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size": "1",
            "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "4",
        });
    });

    it("remove a Node with its machine also where the API does not answer for a while", () => {
        const pool = { flavor: "m1.small", image: "k8s-v1.34.4" };
        const objects = objectsOf({ pools: { md: pool, slow: { ...pool, drainTimeoutSeconds: 60 } } });
        const deletionOf = (start: string) => specOf(find(objects, "MachineDeployment", start)).template.spec.deletion;
        const patient = { nodeDeletionTimeoutSeconds: 300 };
        deepStrictEqual(specOf(find(objects, "KubeadmControlPlane")).machineTemplate.spec.deletion, patient);
        deepStrictEqual(deletionOf("w1-md"), patient);
        deepStrictEqual(deletionOf("w1-slow"), { ...patient, nodeDrainTimeoutSeconds: 60 });
    });

    it("ask the cloud by name, and use an id as it is", () => {
        const id = "0b9d4c4e-6a1b-4d0c-9f0f-6d7b1a2c3d4e";
        const objects = objectsOf({ controlPlane: { flavor: "f", image: id } });
        const image = (start: string) => specOf(find(objects, "OpenStackMachineTemplate", start)).template.spec.image;
        deepStrictEqual(image("w1-control"), { id });
        deepStrictEqual(image("w1-md"), { filter: { name: "k8s-v1.34.4" } });
    });

    for (const [title, openstack, controlPlane, expected] of [
        ["a floating IP by default", {}, {}, {}],
        ["a load balancer", { apiAccess: "octavia" }, { replicas: 3 }, { apiServerLoadBalancer: { enabled: true } }],
        ["none", { apiAccess: "none" }, {}, { disableAPIServerFloatingIP: true }],
        [
            "an endpoint of the user's",
            { apiEndpoint: "10.0.0.5:6443" },
            { replicas: 3 },
            { disableAPIServerFloatingIP: true, controlPlaneEndpoint: { host: "10.0.0.5", port: 6443 } },
        ],
        [
            "an endpoint with an IPv6 address",
            { apiEndpoint: "[fd00::5]:6443" },
            {},
            { disableAPIServerFloatingIP: true, controlPlaneEndpoint: { host: "fd00::5", port: 6443 } },
        ],
    ] as const) {
        it(`reach the API by ${title}`, () => {
            const objects = objectsOf({
                openstack: { identity: { secretName: "cloud" }, ...openstack },
                controlPlane: { flavor: "f", image: "i", ...controlPlane },
            });
            const { apiServerLoadBalancer, disableAPIServerFloatingIP, controlPlaneEndpoint } = specOf(
                find(objects, "OpenStackCluster"),
            );
            const seen = Object.entries({ apiServerLoadBalancer, disableAPIServerFloatingIP, controlPlaneEndpoint });
            deepStrictEqual(Object.fromEntries(seen.filter(([, value]) => value !== undefined)), expected);
        });
    }

    it("give labels to machines where Cluster API keeps them, and others and taints to the kubelet", () => {
        const labels = { "node.cluster.x-k8s.io/a": "1", "node-role.kubernetes.io/upf": "", site: "north" };
        const pools = {
            md: {
                flavor: "f",
                image: "i",
                labels,
                taints: [
                    { key: "dedicated", value: "upf", effect: "NoSchedule" },
                    { key: "x", effect: "NoExecute" },
                ],
            },
        };
        const objects = objectsOf({ pools });
        const { site: _, ...kept } = labels;
        deepStrictEqual(specOf(find(objects, "MachineDeployment")).template.metadata.labels, kept);
        const { nodeRegistration } = specOf(find(objects, "KubeadmConfigTemplate")).template.spec.joinConfiguration;
        deepStrictEqual(nodeRegistration.taints, [
            { key: "dedicated", value: "upf", effect: "NoSchedule" },
            { key: "x", effect: "NoExecute" },
        ]);
        ok(nodeRegistration.kubeletExtraArgs.some((flag: object) => JSON.stringify(flag).includes("site=north")));
    });

    it("bring the cluster's own manifests as a set that its label chooses", () => {
        const objects = objectsOf({}, { network: "kind: A", "add-on-1": "kind: B" });
        const { clusterSelector, resources } = specOf(find(objects, "ClusterResourceSet"));
        const labels = find(objects, "Cluster").metadata["labels"] as Record<string, string>;
        for (const [key, value] of Object.entries(clusterSelector.matchLabels)) strictEqual(labels[key], value);
        deepStrictEqual(resources, [
            { kind: "ConfigMap", name: "w1-network" },
            { kind: "ConfigMap", name: "w1-add-on-1" },
        ]);
    });

    it("replace failed machines only where that is wished", () => {
        strictEqual(find(objectsOf(), "MachineHealthCheck"), undefined);
        const checks = objectsOf({ healthCheck: { maxUnhealthy: 1 } }).filter(
            ({ kind }) => kind === "MachineHealthCheck",
        );
        deepStrictEqual(
            checks.map(({ metadata }) => metadata.name),
            ["w1-control-plane", "w1-pools"],
        );
        strictEqual(specOf(checks[1]!).remediation.triggerIf.unhealthyLessThanOrEqualTo, 1);
    });

    for (const [pools, most] of [
        [{ md: { replicas: 1 } }, 1],
        [{ md: { replicas: 2 } }, 1],
        [{ md: { replicas: 3 }, edge: { replicas: 2 } }, 2],
        [{ md: { autoscale: { min: 10, max: 50 } } }, 4],
    ] as [Record<string, object>, number][]) {
        it(`replace at most ${most} failed machines at once of ${JSON.stringify(pools)}`, () => {
            const machine = { flavor: "m1.small", image: "k8s" };
            const given = Object.fromEntries(
                Object.entries(pools).map(([name, pool]) => [name, { ...machine, ...pool }]),
            );
            const [controlPlane, workers] = objectsOf({ healthCheck: {}, pools: given }).filter(
                ({ kind }) => kind === "MachineHealthCheck",
            );
            strictEqual(specOf(controlPlane!).remediation.triggerIf.unhealthyLessThanOrEqualTo, 1);
            strictEqual(specOf(workers!).remediation.triggerIf.unhealthyLessThanOrEqualTo, most);
        });
    }
});
