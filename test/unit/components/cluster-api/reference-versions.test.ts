import { deepStrictEqual } from "node:assert/strict";
import type { Named } from "../../../../components/cluster-api/machine-template";
import { withShownVersions } from "../../../../components/cluster-api/reference-versions";

const of = (apiVersion: string, kind: string, spec: object) =>
    ({ apiVersion, kind, metadata: { name: "a", namespace: "default" }, spec }) as Named;
const reference = (group: string, version: string, kind: string) => ({
    apiVersion: `${group}/${version}`,
    kind,
    name: "a",
});
const kubeadm = (version: string) => reference("controlplane.cluster.x-k8s.io", version, "KubeadmControlPlane");
const config = (version: string) => reference("bootstrap.cluster.x-k8s.io", version, "KubeadmConfigTemplate");
const servers = reference("infrastructure.cluster.x-k8s.io", "v1beta1", "OpenStackCluster");
const machines = (version: string) => ({
    template: { spec: { bootstrap: { configRef: config(version) }, infrastructureRef: servers } },
});
const old = "cluster.x-k8s.io/v1beta1";

describe("references in objects of Cluster API's former version", () => {
    for (const [title, given, expected] of [
        [
            "to a control plane of kubeadm have the version that Cluster API shows",
            of(old, "Cluster", { controlPlaneRef: kubeadm("v1beta1"), infrastructureRef: servers }),
            of(old, "Cluster", { controlPlaneRef: kubeadm("v1beta2"), infrastructureRef: servers }),
        ],
        [
            "so have those of machines",
            of(old, "MachineDeployment", machines("v1beta1")),
            of(old, "MachineDeployment", machines("v1beta2")),
        ],
        [
            "to somebody else's control plane stay",
            of(old, "Cluster", { controlPlaneRef: reference("controlplane.cluster.x-k8s.io", "v1beta1", "Other") }),
            undefined,
        ],
        ["stay where there are none", of(old, "Cluster", { topology: {} }), undefined],
        [
            "of the newer version stay",
            of("cluster.x-k8s.io/v1beta2", "MachineDeployment", machines("v1beta1")),
            undefined,
        ],
    ] as [string, Named, Named | undefined][]) {
        it(title, () => deepStrictEqual(withShownVersions(given), expected ?? given));
    }
});
