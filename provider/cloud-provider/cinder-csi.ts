import {
    daemonSet,
    defaultRepository,
    deployment,
    kubeletFolder,
    masterLabel,
    serviceAccount,
    updates,
} from "../common/add-on-objects";
import { noGroups } from "../snapshots/controller";
import { snapshotImage } from "../snapshots/images";
import { cinderRights, controllerAccount, nodeAccount } from "./cinder-csi-rights";
import { cloudImage, type Sidecar, sidecarImage } from "./images";
import { cloudConfigFlag, configMount, configVolume } from "./objects";

export interface CinderCsiSpec {
    /** Written into the metadata of each volume; orphaned volumes of the cluster are found by it. */
    /**
     * Marks what the driver creates in the cloud, so that another cluster of the same name does not take it for its
     * own.
     */
    clusterId: string;
    /** "v1.36.0". */
    version: string;
    /** @default registry.k8s.io */
    imageRepository?: string;
    /** The cluster has the kinds of snapshots: the driver makes them. */
    snapshots?: boolean;
}

export const driverName = "cinder.csi.openstack.org";
export const cinderControllerName = "csi-cinder-controllerplugin";
export const cinderNodeName = "csi-cinder-nodeplugin";

const socketMount = { name: "socket-dir", mountPath: "/csi" };

/**
 * Cinder volumes as PersistentVolumes: the CSI driver, its controller and its node plugin. Does not include storage
 * classes. Upstream's pods have a livenessprobe, too: its Go module is not published, so no bundle could have it.
 */
export function cinderCsi(spec: CinderCsiSpec): object[] {
    return [
        {
            apiVersion: "storage.k8s.io/v1",
            kind: "CSIDriver",
            metadata: { name: driverName },
            spec: { attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ["Persistent"] },
        },
        serviceAccount(controllerAccount),
        serviceAccount(nodeAccount),
        ...cinderRights(spec),
        controller(spec),
        nodePlugin(spec),
    ];
}

function controller(spec: CinderCsiSpec): object {
    const labels = { app: cinderControllerName };
    const elected = ["--leader-election=true", "--timeout=3m"];
    return deployment(cinderControllerName, labels, updates.newFirst, {
        serviceAccountName: controllerAccount,
        priorityClassName: "system-cluster-critical",
        tolerations: [{ key: masterLabel, operator: "Exists", effect: "NoSchedule" }],
        containers: [
            sidecar(spec, "attacher", "csi-attacher", [...elected, "--default-fstype=ext4"]),
            sidecar(spec, "provisioner", "csi-provisioner", [
                ...elected,
                "--default-fstype=ext4",
                "--extra-create-metadata=true",
                // It would list snapshots, whose kinds this cluster may not have.
                ...(spec.snapshots ? [] : ["--snapshot-orphan-sweep-interval=0"]),
            ]),
            ...(spec.snapshots ? [snapshotter(spec, elected)] : []),
            sidecar(spec, "resizer", "csi-resizer", [
                "--leader-election=true",
                "--resize-timeout=3m",
                "--handle-volume-inuse-error=false",
            ]),
            plugin(spec, ["--provide-node-service=false", `--cluster=${spec.clusterId}`]),
        ],
        volumes: [{ name: "socket-dir", emptyDir: {} }, configVolume],
    });
}

function nodePlugin(spec: CinderCsiSpec): object {
    const labels = { app: cinderNodeName };
    const hostPath = (name: string, path: string, type: string) => ({ name, hostPath: { path, type } });
    const registrar = sidecar(spec, "nodeDriverRegistrar", "node-driver-registrar", [
        `--kubelet-registration-path=${kubeletFolder}/plugins/${driverName}/csi.sock`,
    ]);
    const driver = plugin(spec, ["--provide-controller-service=false"]);
    return daemonSet(cinderNodeName, labels, {
        serviceAccountName: nodeAccount,
        // It does not call the Kubernetes API.
        automountServiceAccountToken: false,
        priorityClassName: "system-node-critical",
        hostNetwork: true,
        tolerations: [{ operator: "Exists" }],
        containers: [
            {
                ...registrar,
                volumeMounts: [socketMount, { name: "registration-dir", mountPath: "/registration" }],
            },
            {
                ...driver,
                // It mounts and formats volumes in folders that the kubelet shares with pods.
                securityContext: { privileged: true },
                volumeMounts: [
                    socketMount,
                    { name: "kubelet-dir", mountPath: kubeletFolder, mountPropagation: "Bidirectional" },
                    { name: "device-dir", mountPath: "/dev", mountPropagation: "HostToContainer" },
                    configMount,
                ],
            },
        ],
        volumes: [
            hostPath("socket-dir", `${kubeletFolder}/plugins/${driverName}`, "DirectoryOrCreate"),
            hostPath("registration-dir", `${kubeletFolder}/plugins_registry`, "Directory"),
            hostPath("kubelet-dir", kubeletFolder, "Directory"),
            hostPath("device-dir", "/dev", "Directory"),
            configVolume,
        ],
    });
}

function plugin({ imageRepository = defaultRepository, version }: CinderCsiSpec, args: string[]): object {
    return {
        name: "cinder-csi-plugin",
        image: cloudImage(imageRepository, "cinderCsi", version),
        // The driver itself puts the slash before the path.
        args: ["/bin/cinder-csi-plugin", "--endpoint=unix://csi/csi.sock", cloudConfigFlag, ...args, "--v=1"],
        resources: { requests: { cpu: "20m", memory: "32Mi" } },
        volumeMounts: [socketMount, configMount],
    };
}

/** The names that it adds to a snapshot's metadata in the cloud are those in the cluster. */
function snapshotter({ imageRepository }: CinderCsiSpec, elected: string[]) {
    const args = [...elected, "--extra-create-metadata=true", noGroups];
    return sidecarOf("csi-snapshotter", snapshotImage("sidecar", imageRepository), args);
}

function sidecar({ imageRepository = defaultRepository }: CinderCsiSpec, image: Sidecar, name: string, args: string[]) {
    return sidecarOf(name, sidecarImage(imageRepository, image), args);
}

function sidecarOf(name: string, image: string, args: string[]) {
    return {
        name,
        image,
        args: ["--csi-address=/csi/csi.sock", ...args],
        resources: { requests: { cpu: "10m", memory: "20Mi" } },
        volumeMounts: [socketMount],
    };
}
