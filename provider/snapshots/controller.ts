import {
    clusterRights,
    deployment,
    localRights,
    masterLabel,
    namespace,
    rule,
    serviceAccount,
    updates,
} from "../common/add-on-objects";
import type { KubeObject } from "../vim";
import { snapshotImage } from "./images";
import { controllerRules } from "./rights";

export interface SnapshotControllerSpec {
    /** @default registry.k8s.io */
    imageRepository?: string;
}

export const snapshotControllerName = "snapshot-controller";
const leaseName = "snapshot-controller-leader";
const roleName = `pulumi-nfv:${snapshotControllerName}`;

/** Groups of snapshots have kinds of their own, which these clusters do not have. */
export const noGroups = "--feature-gates=CSIVolumeGroupSnapshot=false";

/** The controller of all snapshots in a cluster, whatever their driver. The drivers have the sidecar csi-snapshotter. */
export function snapshotController({ imageRepository }: SnapshotControllerSpec): KubeObject[] {
    const labels = { app: snapshotControllerName };
    const lease = "coordination.k8s.io";
    const container = {
        name: snapshotControllerName,
        image: snapshotImage("controller", imageRepository),
        args: ["--v=2", "--leader-election=true", `--leader-election-namespace=${namespace}`, noGroups],
        securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
        },
        resources: { requests: { cpu: "10m", memory: "20Mi" } },
    };
    return [
        serviceAccount(snapshotControllerName),
        ...clusterRights(roleName, snapshotControllerName, controllerRules),
        ...localRights(`${roleName}-lease`, snapshotControllerName, `${roleName}-lease`, [
            rule(lease, "leases", "create"),
            { ...rule(lease, "leases", "get", "update"), resourceNames: [leaseName] },
        ]),
        deployment(snapshotControllerName, labels, updates.newFirst, {
            serviceAccountName: snapshotControllerName,
            priorityClassName: "system-cluster-critical",
            nodeSelector: { "kubernetes.io/os": "linux" },
            securityContext: {
                runAsNonRoot: true,
                runAsUser: 65534,
                seccompProfile: { type: "RuntimeDefault" },
            },
            tolerations: [{ key: masterLabel, operator: "Exists", effect: "NoSchedule" }],
            containers: [container],
        }),
    ] as KubeObject[];
}

/** What the controller makes by itself and leaves behind. */
export const leftBehind: KubeObject = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: leaseName, namespace },
};
