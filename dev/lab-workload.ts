import { stringify } from "yaml";
import { autoscalerRange } from "../components/cluster-api/autoscaler-range";
import { machineSetUp } from "../components/cluster-api/kubeadm-config";
import { resourceSet, resourceSetLabel } from "../components/cluster-api/resource-set";
import { workloadManifests } from "../components/cluster-api/workload-manifests";
import { versions } from "../tools/versions";
import { labKubeadm } from "./lab-kubeadm";

const namespace = "default";
const infrastructure = "infrastructure.cluster.x-k8s.io";
const labVersion = `${infrastructure}/v1alpha1`;
/** Other than those of the management cluster: both have nodes in one network. */
const podCidr = "10.245.0.0/16";
const reference = (apiGroup: string, kind: string, name: string) => ({ apiGroup, kind, name });

const registration = {
    nodeRegistration: {
        name: "{{ local_hostname }}",
        kubeletExtraArgs: [{ name: "provider-id", value: "lab:///{{ instance_id }}" }],
    },
};
/** A Node must go with its machine, also when the API does not answer for a while. */
const deletion = { nodeDeletionTimeoutSeconds: 300 };
const kubeadm = machineSetUp(labKubeadm);
const controlPlaneConfig = { initConfiguration: registration, joinConfiguration: registration, ...kubeadm };
const workerConfig = { joinConfiguration: registration, ...kubeadm };
const clusterNetwork = { pods: { cidrBlocks: [podCidr] }, services: { cidrBlocks: ["10.97.0.0/16"] } };

const of = (apiVersion: string, kind: string, name: string, spec: object, labels?: object) => ({
    apiVersion,
    kind,
    metadata: { name, namespace, ...(labels && { labels }) },
    spec,
});

const annotated = (object: ReturnType<typeof of>, annotations: Record<string, string> | undefined) =>
    annotations === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };

/** The pod network, as Cluster API applies it to the cluster `name`. Shell in it is no variable of ours. */
function podNetwork(name: string): object[] {
    const manifests = workloadManifests({ network: { podCidr } });
    const escaped = Object.fromEntries(
        Object.entries(manifests).map(([part, text]) => [part, text.replaceAll("${", () => "$${")]),
    );
    return resourceSet({ name, namespace, manifests: escaped } as Parameters<typeof resourceSet>[0]);
}

/** Names of templates have a number: Cluster API replaces machines when a template of another name is referred to. */
const template = (name: string, release: number) =>
    of(labVersion, "LabMachineTemplate", `${name}-${release}`, { template: { spec: {} } });

const healthCheck = (name: string) =>
    of("cluster.x-k8s.io/v1beta2", "MachineHealthCheck", `${name}-md`, {
        clusterName: name,
        selector: { matchExpressions: [{ key: "cluster.x-k8s.io/control-plane", operator: "DoesNotExist" }] },
        checks: {
            nodeStartupTimeoutSeconds: 600,
            unhealthyNodeConditions: ["Unknown", "False"].map(status => ({
                ...{ type: "Ready", status, timeoutSeconds: 45 },
            })),
        },
        remediation: { triggerIf: { unhealthyLessThanOrEqualTo: "100%" } },
    });

export interface LabWorkloadOptions {
    /** Another one changes the templates. @default 1 */
    release?: number;
    /** Cluster API makes nothing of a paused cluster. @default false */
    paused?: boolean;
    /** Kubernetes of the machines. @default the pinned one */
    kubernetes?: string;
    /** Machines of the control plane. @default 1 */
    controlPlane?: number;
    /** An autoscaler sets the number of the other machines within this range. @default `${WORKERS}` machines */
    autoscale?: { min: number; max: number };
}

/** A workload cluster of lab nodes: control-plane machines, and others. */
export function labWorkload(
    name: string,
    {
        release = 1,
        paused = false,
        kubernetes = versions.kubernetes,
        controlPlane = 1,
        autoscale,
    }: LabWorkloadOptions = {},
): object[] {
    const version = `v${kubernetes}`;
    return [
        ...podNetwork(name),
        of(labVersion, "LabCluster", name, {}),
        template(`${name}-control-plane`, release),
        template(`${name}-md`, release),
        of("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", `${name}-control-plane`, {
            replicas: controlPlane,
            version,
            machineTemplate: {
                spec: {
                    deletion,
                    infrastructureRef: reference(
                        infrastructure,
                        "LabMachineTemplate",
                        `${name}-control-plane-${release}`,
                    ),
                },
            },
            kubeadmConfigSpec: controlPlaneConfig,
        }),
        of("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfigTemplate", `${name}-md`, {
            template: { spec: workerConfig },
        }),
        annotated(
            of("cluster.x-k8s.io/v1beta2", "MachineDeployment", `${name}-md`, {
                clusterName: name,
                ...(autoscale === undefined && { replicas: "${WORKERS}" }),
                selector: { matchLabels: null },
                template: {
                    spec: {
                        clusterName: name,
                        version,
                        deletion,
                        bootstrap: {
                            configRef: reference("bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate", `${name}-md`),
                        },
                        infrastructureRef: reference(infrastructure, "LabMachineTemplate", `${name}-md-${release}`),
                    },
                },
            }),
            autoscale && autoscalerRange(autoscale),
        ),
        healthCheck(name),
        of(
            "cluster.x-k8s.io/v1beta2",
            "Cluster",
            name,
            {
                ...(paused && { paused }),
                clusterNetwork,
                controlPlaneRef: reference(
                    "controlplane.cluster.x-k8s.io",
                    "KubeadmControlPlane",
                    `${name}-control-plane`,
                ),
                infrastructureRef: reference(infrastructure, "LabCluster", name),
            },
            { [resourceSetLabel]: name },
        ),
    ];
}

/** The same as a class, and a cluster of that class. */
export function labTopology(name: string): object[] {
    const lab = (kind: string, as: string) => ({ apiVersion: labVersion, kind, name: as });
    return [
        ...podNetwork(name),
        of(labVersion, "LabClusterTemplate", `${name}-class`, { template: { spec: {} } }),
        template(`${name}-class`, 1),
        of("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlaneTemplate", `${name}-class`, {
            template: { spec: { kubeadmConfigSpec: controlPlaneConfig } },
        }),
        of("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfigTemplate", `${name}-class`, {
            template: { spec: workerConfig },
        }),
        of("cluster.x-k8s.io/v1beta2", "ClusterClass", `${name}-class`, {
            infrastructure: { templateRef: lab("LabClusterTemplate", `${name}-class`) },
            controlPlane: {
                templateRef: {
                    apiVersion: "controlplane.cluster.x-k8s.io/v1beta2",
                    kind: "KubeadmControlPlaneTemplate",
                    name: `${name}-class`,
                },
                machineInfrastructure: { templateRef: lab("LabMachineTemplate", `${name}-class-1`) },
            },
            workers: {
                machineDeployments: [
                    {
                        class: "md",
                        bootstrap: {
                            templateRef: {
                                apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2",
                                kind: "KubeadmConfigTemplate",
                                name: `${name}-class`,
                            },
                        },
                        infrastructure: { templateRef: lab("LabMachineTemplate", `${name}-class-1`) },
                    },
                ],
            },
        }),
        of(
            "cluster.x-k8s.io/v1beta2",
            "Cluster",
            name,
            {
                clusterNetwork,
                topology: {
                    classRef: { name: `${name}-class` },
                    version: `v${versions.kubernetes}`,
                    controlPlane: { replicas: 1 },
                    workers: { machineDeployments: [{ class: "md", name: "md", replicas: 1 }] },
                },
            },
            { [resourceSetLabel]: name },
        ),
    ];
}

/** As a file of manifests. A variable that is a number has no quotes. */
export const asManifest = (objects: readonly object[]) =>
    objects
        .map(each => stringify(each))
        .join("---\n")
        .replace(/: "(\$\{\w+\})"/g, ": $1");
