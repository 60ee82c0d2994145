import {
    daemonSet,
    deployment,
    kubeletFolder,
    masterLabel,
    namespace,
    serviceAccount,
    updates,
} from "../common/add-on-objects";
import { noGroups } from "../snapshots/controller";
import { snapshotImage } from "../snapshots/images";
import type { KubeObject } from "../vim";
import { type NfsCsiImage, nfsCsiImage } from "./images";
import { controllerAccount, controllerRights, leaseNames, nodeAccount } from "./rights";

export interface NfsCsiSpec {
    /** @default registry.k8s.io */
    imageRepository?: string;
    /** The cluster has the kinds of snapshots: the driver makes them. */
    snapshots?: boolean;
}

export const driverName = "nfs.csi.k8s.io";
export const controllerName = "csi-nfs-controller";
export const nodePluginName = "csi-nfs-node";

const socketFolder = "/csi";
const socket = `${socketFolder}/csi.sock`;
const socketMount = { name: "socket-dir", mountPath: socketFolder };
const podsFolder = `${kubeletFolder}/pods`;
const pluginFolder = `${kubeletFolder}/plugins/${driverName}`;

const os = { "kubernetes.io/os": "linux" };

/**
 * The NFS CSI driver: a controller that makes and removes the folders of claims and raises their size, and a plugin on each node that mounts them.
 * Does not include storage classes, nor what snapshots need whatever the driver.
 */
export function nfsCsiDriver(spec: NfsCsiSpec): KubeObject[] {
    return [
        {
            apiVersion: "storage.k8s.io/v1",
            kind: "CSIDriver",
            metadata: { name: driverName },
            // With "File" the kubelet gives a volume to a pod's fsGroup, which pods need that run as other users on exports with squash "none".
            spec: { attachRequired: false, volumeLifecycleModes: ["Persistent"], fsGroupPolicy: "File" },
        },
        serviceAccount(controllerAccount),
        serviceAccount(nodeAccount),
        ...controllerRights(spec),
        controller(spec),
        nodePlugin(spec),
    ] as KubeObject[];
}

/** What the driver makes by itself and leaves behind. */
export const leftBehind: KubeObject[] = leaseNames.map(name => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace },
}));

/** For leader election. A candidate's name is that of the node, as its pods have the node's network: so there is never a second pod. */
const elected = ["--leader-election=true", `--leader-election-namespace=${namespace}`];

function controller(spec: NfsCsiSpec): object {
    const labels = { app: controllerName };
    return deployment(controllerName, labels, updates.formerFirst, {
        serviceAccountName: controllerAccount,
        priorityClassName: "system-cluster-critical",
        ...onHostNetwork,
        tolerations: [
            { key: masterLabel, operator: "Exists", effect: "NoSchedule" },
            { key: "CriticalAddonsOnly", operator: "Exists" },
        ],
        containers: [
            sidecar(spec, "provisioner", "csi-provisioner", [
                ...elected,
                // Folders are named after the claim: see subDir in storage-classes.ts.
                "--extra-create-metadata=true",
                // A folder with many files takes long to delete.
                "--timeout=20m",
                // It would list snapshots, whose kinds this cluster may not have.
                ...(spec.snapshots ? [] : ["--snapshot-orphan-sweep-interval=0"]),
            ]),
            sidecar(spec, "resizer", "csi-resizer", [
                ...elected,
                // Volumes grow while pods use them. Without this it would read all pods.
                "--handle-volume-inuse-error=false",
            ]),
            ...(spec.snapshots ? [snapshotter(spec)] : []),
            // The driver's own archiver keeps neither owners nor modes, and does not see a disk that is full at the end.
            plugin(spec, spec.snapshots ? ["--use-tar-command-in-snapshot=true"] : []),
        ],
        volumes: [{ name: "socket-dir", emptyDir: {} }],
    });
}

function nodePlugin(spec: NfsCsiSpec): object {
    const hostPath = (name: string, path: string, type: string) => ({ name, hostPath: { path, type } });
    const registrar = sidecar(spec, "nodeDriverRegistrar", "node-driver-registrar", [
        `--kubelet-registration-path=${pluginFolder}/csi.sock`,
    ]);
    const driver = plugin(spec);
    return daemonSet(
        nodePluginName,
        { app: nodePluginName },
        {
            serviceAccountName: nodeAccount,
            // It does not call the Kubernetes API.
            automountServiceAccountToken: false,
            priorityClassName: "system-node-critical",
            ...onHostNetwork,
            tolerations: [{ operator: "Exists" }],
            containers: [
                {
                    ...registrar,
                    volumeMounts: [...registrar.volumeMounts, { name: "registration-dir", mountPath: "/registration" }],
                },
                {
                    ...driver,
                    volumeMounts: [
                        ...driver.volumeMounts,
                        { name: "pods-dir", mountPath: podsFolder, mountPropagation: "Bidirectional" },
                    ],
                },
            ],
            volumes: [
                hostPath("socket-dir", pluginFolder, "DirectoryOrCreate"),
                hostPath("registration-dir", `${kubeletFolder}/plugins_registry`, "Directory"),
                hostPath("pods-dir", podsFolder, "Directory"),
            ],
        },
    );
}

/** Exports know clients by the addresses of nodes, and a mount must outlive the pod that made it: both need the network of the node. */
const onHostNetwork = {
    hostNetwork: true,
    dnsPolicy: "ClusterFirstWithHostNet",
    nodeSelector: os,
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
};

function plugin({ imageRepository }: NfsCsiSpec, more: string[] = []) {
    return {
        name: "nfs",
        image: nfsCsiImage("plugin", imageRepository),
        args: ["--v=2", "--nodeid=$(NODE_ID)", `--endpoint=unix://${socket}`, ...more],
        env: [{ name: "NODE_ID", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
        // It mounts: the controller in its own folder, to make and remove folders; the node plugin in folders that the kubelet shares with pods.
        securityContext: { privileged: true },
        resources: { requests: { cpu: "10m", memory: "20Mi" } },
        volumeMounts: [socketMount] as object[],
    };
}

const snapshotterName = "csi-snapshotter";

/** Makes and deletes the archives that are snapshots. The driver refuses the parameters that --extra-create-metadata would add. */
function snapshotter({ imageRepository }: NfsCsiSpec) {
    // A folder with many files takes long to archive.
    return sidecarOf(snapshotterName, snapshotImage("sidecar", imageRepository), [
        ...elected,
        "--timeout=20m",
        noGroups,
    ]);
}

/** Whether the driver of these objects makes snapshots. */
export function makesSnapshots(objects: readonly KubeObject[]): boolean {
    return objects
        .filter(({ kind }) => kind === "Deployment")
        .some(({ spec }) => (spec as Workload).template.spec.containers.some(({ name }) => name === snapshotterName));
}

interface Workload {
    template: { spec: { containers: { name: string }[] } };
}

function sidecar({ imageRepository }: NfsCsiSpec, image: NfsCsiImage, name: string, args: string[]) {
    return sidecarOf(name, nfsCsiImage(image, imageRepository), args);
}

function sidecarOf(name: string, image: string, args: string[]) {
    return {
        name,
        image,
        args: [`--csi-address=${socket}`, "--v=2", ...args],
        securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
        },
        resources: { requests: { cpu: "10m", memory: "20Mi" } },
        volumeMounts: [socketMount] as object[],
    };
}
