import type { CloudCheckInputs, CloudCheckOutputs } from "../cloud/cloud-check";
import type { CloudLeftoversInputs } from "../cloud/cloud-leftovers";
import type { CloudStartInputs } from "../cloud/cloud-start-inputs";
import type { ProjectGuardInputs } from "../cloud/project-guard";
import type { ServerKeysInputs, ServerKeysState } from "../cloud/server-keys";
import type { VolumeSnapshotsInputs, VolumeSnapshotsState } from "../cloud/volume-snapshots";
import type { CloudProviderInputs } from "../cloud-provider/cloud-provider";
import type { BundleImagesInputs } from "../cluster/bundle-images";
import type { ClusterIdInputs, ClusterIdState } from "../cluster/cluster-id";
import type { ClusterKeysInputs, ClusterKeysState } from "../cluster/cluster-keys";
import type { ClusterNetworkInputs } from "../cluster/cluster-network";
import type { ClusterRecordInputs } from "../cluster/cluster-record";
import type { NodeEndInputs } from "../cluster/node-end";
import type { OperationEndInputs } from "../cluster/operation-end-inputs";
import type { ClusterApiProvidersInputs, ClusterApiProvidersState } from "../cluster-api/cluster-api-providers";
import type { ClusterMoveInputs, ClusterMoveState } from "../cluster-api/cluster-move";
import type { CredentialReportInputs } from "../cluster-api/credential-report";
import type { WorkloadClaimInputs, WorkloadClaimState } from "../cluster-api/workload/workload-claim";
import type { WorkloadRolloutInputs, WorkloadRolloutState } from "../cluster-api/workload/workload-rollout";
import type { CnfNamespaceInputs } from "../cnf/cnf-namespace";
import type { CnfObjectsInputs } from "../cnf/cnf-objects";
import type { CnfReadinessInputs } from "../cnf/cnf-readiness";
import type { OwnerMarkInputs } from "../cnf/owner-mark";
import type { CertificateExpiry } from "../common/expiry";
import type { ResourceType } from "../contract/types";
import type { EtcdBackupInputs, EtcdBackupState } from "../etcd/etcd-backup";
import type { HostInputs } from "../host/host-state";
import type { MastersInputs } from "../machine/program-masters";
import { type Disrupts, movingEndpoint, onItsNodes, rollingOut } from "../member/disrupts";
import type { NodeInputs } from "../member/node-state";
import type { StorageClassSetInputs } from "../nfs-csi/storage-class-set";
import type { OperationStartInputs, OperationStartOutputs } from "../operation/operation-start-inputs";
import type { AuthorityRotationInputs, AuthorityRotationState } from "../procedures/authorities/authority-rotation";
import type { RuntimeRestartInputs, RuntimeRestartState } from "../procedures/container-runtime/restart";
import type {
    EncryptionRotationInputs,
    EncryptionRotationState,
} from "../procedures/encryption-key/encryption-rotation";
import type { EtcdRestoreInputs, EtcdRestoreState } from "../procedures/etcd-restore/restore-state";
import type { LoginRotationInputs, LoginRotationState } from "../procedures/login-key/login-rotation";
import type { OsUpgradeInputs, OsUpgradeState } from "../procedures/os/os-upgrade";
import type {
    ServiceAccountRotationInputs,
    ServiceAccountRotationState,
} from "../procedures/service-account-key/service-account-rotation";
import type { SnapshotClassSetInputs } from "../snapshots/snapshot-class-set";
import type { PersistentVolumeSetInputs } from "../storage/persistent-volume-set";
import type { StorageBackupsInputs } from "../storage/storage-backups";
import type { StorageClientInputs } from "../storage/storage-client";
import type { StorageMachineInputs, StorageMachineState } from "../storage/storage-machine-state";
import type { VimInputs, VimOutputs } from "../vim/vim-inputs";
import { type Descriptor, describe } from "./descriptor";

/** Loaded on demand, with all steps. */
const bySteps: Disrupts = act =>
    (require("../cluster/known-steps") as typeof import("../cluster/known-steps")).disruptsBySteps(act);

/** Every resource type by its name in states. */
export const descriptors = {
    AuthorityRotation: describe<AuthorityRotationInputs, Pick<AuthorityRotationState, "rotated">>({
        request: true,
        titles: { make: "by rotate.authorities: make other authorities; after the grace, exchange them on all nodes" },
        methods: () =>
            (
                require("../procedures/authorities/authority-rotation") as typeof import("../procedures/authorities/authority-rotation")
            ).authorityRotation,
        outputs: ["rotated"],
        secretInputs: ["peers", "workers", "key"],
        secretOutputs: ["peers", "workers", "key"],
        disrupts: onItsNodes("kubelet restarts, and on control-plane nodes the static pods"),
    }),
    BundleImages: describe<BundleImagesInputs>({
        titles: { make: "push the bundle's images to the registry" },
        methods: () => (require("../cluster/bundle-images") as typeof import("../cluster/bundle-images")).bundleImages,
        outputs: [],
        secretInputs: ["registry.password"],
        secretOutputs: ["registry"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    CloudCheck: describe<CloudCheckInputs, CloudCheckOutputs>({
        titles: { make: "check the cloud: names, rights, quotas" },
        methods: () => (require("../cloud/cloud-check") as typeof import("../cloud/cloud-check")).cloudCheck,
        outputs: ["summary", "names", "project", "region"],
        secretInputs: [],
        secretOutputs: [],
        inPlan: "harmless",
        disrupts: "no node",
        irreplaceable:
            "it holds what the names of images, flavors and networks meant when the servers were made: they would be replaced",
    }),
    CloudLeftovers: describe<CloudLeftoversInputs>({
        titles: {
            make: "note that a destroy deletes what Kubernetes makes",
            end: "delete what Kubernetes made in the cloud",
        },
        methods: () =>
            (require("../cloud/cloud-leftovers") as typeof import("../cloud/cloud-leftovers")).cloudLeftovers,
        outputs: [],
        secretInputs: [],
        secretOutputs: [],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    CloudProvider: describe<CloudProviderInputs>({
        titles: { make: "install or change the cloud controller manager and Cinder CSI", leave: "take both away" },
        methods: () =>
            (require("../cloud-provider/cloud-provider") as typeof import("../cloud-provider/cloud-provider"))
                .cloudProvider,
        outputs: [],
        packed: true,
        secretInputs: ["controlPlane", "fingerprintKey", "spec.access.applicationCredentialSecret"],
        secretOutputs: ["secrets"],
        disrupts: bySteps,
    }),
    ClusterApiProviders: describe<
        ClusterApiProvidersInputs,
        Pick<ClusterApiProvidersState, "keys" | "objects" | "versions" | "renewalDue" | "pending">
    >({
        titles: { make: "install or change Cluster API's providers", leave: "take Cluster API's providers away" },
        methods: () =>
            (require("../cluster-api/cluster-api-providers") as typeof import("../cluster-api/cluster-api-providers"))
                .clusterApiProviders,
        outputs: ["keys", "objects", "versions", "renewalDue", "pending"],
        secretInputs: ["access", "variables"],
        secretOutputs: ["access", "variables", "keys"],
        disrupts: "no node",
    }),
    ClusterId: describe<ClusterIdInputs, Pick<ClusterIdState, "clusterId" | "fingerprintKey">>({
        titles: { make: "make the cluster's id, or refuse changes of inputs that the cluster keeps" },
        methods: () => (require("../cluster/cluster-id") as typeof import("../cluster/cluster-id")).clusterIdResource,
        outputs: ["clusterId", "fingerprintKey"],
        secretInputs: [],
        secretOutputs: ["fingerprintKey"],
        inPlan: "bookkeeping",
        disrupts: "no node",
        irreplaceable:
            "it holds the cluster's id: with another one, all machines would be reset and the cluster be lost",
    }),
    ClusterKeys: describe<ClusterKeysInputs, Pick<ClusterKeysState, "certificates" | "keys">>({
        titles: { make: "make the cluster's authorities and keys", change: "make the keys that are asked for" },
        methods: () => (require("../cluster/cluster-keys") as typeof import("../cluster/cluster-keys")).clusterKeys,
        outputs: ["certificates", "keys"],
        secretInputs: ["fingerprintKey"],
        secretOutputs: ["keys", "fingerprintKey"],
        disrupts: "no node",
        irreplaceable:
            "it holds the cluster's keys: with others, no node could join and encrypted Secrets could not be read any more",
    }),
    ClusterNetwork: describe<ClusterNetworkInputs>({
        titles: { make: "install or change the pod network", leave: "take the pod network away" },
        methods: () =>
            (require("../cluster/cluster-network") as typeof import("../cluster/cluster-network")).clusterNetwork,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        leavingInputs: ["acceptDrift"],
        secretInputs: ["controlPlane", "fingerprintKey"],
        secretOutputs: ["secrets"],
        disrupts: bySteps,
    }),
    ClusterRecord: describe<ClusterRecordInputs, Pick<ClusterRecordInputs, "changeNumbers">>({
        titles: { make: "record what the program wants of each node" },
        methods: () =>
            (require("../cluster/cluster-record") as typeof import("../cluster/cluster-record")).clusterRecord,
        outputs: ["changeNumbers"],
        secretInputs: [],
        secretOutputs: [],
        inPlan: "bookkeeping",
        disrupts: "no node",
        irreplaceable: "it counts what happened to the nodes: what a stopped run has left would not be mended",
    }),
    CnfNamespace: describe<CnfNamespaceInputs>({
        titles: { make: "make a network function's namespace", leave: "delete a network function's namespace" },
        methods: () => (require("../cnf/cnf-namespace") as typeof import("../cnf/cnf-namespace")).cnfNamespace,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        inPlan: "harmless",
        madeLate: true,
        disrupts: "no node",
    }),
    CnfObjects: describe<CnfObjectsInputs, Pick<CnfObjectsInputs, "taken" | "namespaced">>({
        titles: { make: "apply the objects of a network function", leave: "delete the objects of a network function" },
        methods: () => (require("../cnf/cnf-objects") as typeof import("../cnf/cnf-objects")).cnfObjects,
        outputs: ["taken", "namespaced"],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        inPlan: "harmless",
        madeLate: true,
        disrupts: "no node",
    }),
    CnfReadiness: describe<CnfReadinessInputs>({
        titles: { make: "wait for a network function" },
        methods: () => (require("../cnf/cnf-readiness") as typeof import("../cnf/cnf-readiness")).cnfReadiness,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        inPlan: "harmless",
        madeLate: true,
        disrupts: "no node",
    }),
    CredentialReport: describe<CredentialReportInputs>({
        titles: { make: "report where the cluster and its login are" },
        methods: () =>
            (require("../cluster-api/credential-report") as typeof import("../cluster-api/credential-report"))
                .credentialReport,
        outputs: [],
        secretInputs: ["token", "credentials"],
        secretOutputs: ["token", "credentials"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    EncryptionRotation: describe<EncryptionRotationInputs, Pick<EncryptionRotationState, "rotated">>({
        request: true,
        titles: { make: "by rotate.encryptionKey: encrypt all Secrets with another key" },
        methods: () =>
            (
                require("../procedures/encryption-key/encryption-rotation") as typeof import("../procedures/encryption-key/encryption-rotation")
            ).encryptionRotation,
        outputs: ["rotated"],
        secretInputs: ["peers", "key"],
        secretOutputs: ["peers", "key"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    EtcdBackup: describe<EtcdBackupInputs, Pick<EtcdBackupState, "last">>({
        titles: { make: "configure and make the snapshots of etcd", leave: "end the timer; the snapshots stay" },
        methods: () => (require("../etcd/etcd-backup") as typeof import("../etcd/etcd-backup")).etcdBackup,
        outputs: ["last"],
        packed: true,
        decidedByInputs: true,
        secretInputs: ["connection", "fingerprintKey"],
        secretOutputs: ["secrets"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    EtcdRestore: describe<EtcdRestoreInputs, Pick<EtcdRestoreState, "restored">>({
        titles: { make: "by etcdRestore: restore a snapshot of etcd on all control-plane nodes" },
        methods: () =>
            (require("../procedures/etcd-restore/restore") as typeof import("../procedures/etcd-restore/restore"))
                .etcdRestore,
        outputs: ["restored"],
        secretInputs: ["peers", "workers", "backup"],
        secretOutputs: ["peers", "workers", "backup"],
        disrupts: onItsNodes("etcd, the API server and kubelet stop and start again"),
    }),
    Host: describe<HostInputs>({
        titles: {
            make: "prepare the machines",
            change: "run the steps that changed on the machines",
            leave: "reset the machine; one whose server goes is only forgotten",
            end: "reset the machines; those whose servers go are only forgotten",
        },
        methods: () => (require("../host/host") as typeof import("../host/host")).host,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        sameMachine: true,
        secretInputs: ["connection", "fingerprintKey"],
        secretOutputs: ["secrets"],
        disrupts: "its node",
    }),
    LoginRotation: describe<LoginRotationInputs, Pick<LoginRotationState, "present" | "next">>({
        titles: { make: "by rotate.loginKey: let another SSH key in; in the next run, end the previous one" },
        methods: () =>
            (
                require("../procedures/login-key/login-rotation") as typeof import("../procedures/login-key/login-rotation")
            ).loginRotation,
        outputs: ["present", "next"],
        secretInputs: ["targets", "newKey"],
        secretOutputs: ["targets", "newKey"],
        inPlan: "harmless",
        disrupts: "no node",
        irreplaceable:
            "it holds which login key the machines let in: without it they could not be reached after a rotation",
    }),
    Masters: describe<MastersInputs>({
        titles: { make: "record how the program's control-plane nodes are reached" },
        methods: () => (require("../cluster/masters") as typeof import("../cluster/masters")).masters,
        outputs: [],
        secretInputs: ["peers", "toLookAt.*"],
        secretOutputs: ["peers", "toLookAt"],
        inPlan: "bookkeeping",
        disrupts: "no node",
        irreplaceable:
            "it holds how the masters of former programs are reached: a second cluster could begin beside theirs",
    }),
    NodeEnd: describe<NodeEndInputs>({
        titles: {
            make: "with hooks: record which nodes there are",
            leave: "with hooks: the node has gone; with the last one, run the hooks of the end",
            end: "with hooks: the node has gone",
        },
        methods: () => (require("../cluster/node-end") as typeof import("../cluster/node-end")).nodeEnd,
        outputs: [],
        secretInputs: [],
        secretOutputs: [],
        inPlan: "bookkeeping",
        disrupts: "no node",
    }),
    ClusterMove: describe<ClusterMoveInputs, Pick<ClusterMoveState, "clusters" | "pending">>({
        titles: { make: "move workload clusters to another management cluster" },
        methods: () =>
            (require("../cluster-api/cluster-move") as typeof import("../cluster-api/cluster-move")).clusterMove,
        outputs: ["clusters", "pending"],
        secretInputs: ["from", "to"],
        secretOutputs: ["from", "to"],
        disrupts: "no node",
    }),
    Node: describe<NodeInputs>({
        titles: {
            make: {
                controlPlane: "control-plane nodes join",
                worker: "workers join",
            },
            change: {
                controlPlane: "run the steps that changed on the control-plane nodes",
                worker: "run the steps that changed on the workers",
            },
            leave: {
                controlPlane:
                    "control-plane nodes leave: check the quorum, drain, leave etcd, reset what kubeadm did, delete the node object",
                worker: "workers leave: drain, reset what kubeadm did, delete the node object",
            },
        },
        methods: () => (require("../member/node") as typeof import("../member/node")).node,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        sameMachine: true,
        secretInputs: ["connection", "controlPlane", "fingerprintKey", "spec.keys"],
        secretOutputs: ["secrets"],
        disrupts: "its node",
    }),
    OperationEnd: describe<OperationEndInputs, { earliestExpiry: CertificateExpiry | undefined }>({
        titles: {
            make: "wait for the nodes, spread CoreDNS, read when certificates end; run the hooks of the end, unless nodes leave after it",
            end: "begin the termination and run the hooks of its start; no machine is contacted",
        },
        methods: () => (require("../cluster/operation-end") as typeof import("../cluster/operation-end")).operationEnd,
        outputs: ["earliestExpiry"],
        packed: true,
        decidedByInputs: true,
        leavingInputs: ["served"],
        secretInputs: ["controlPlane", "workers", "fingerprintKey", "access", "hooks"],
        secretOutputs: ["secrets"],
        inPlan: "bookkeeping",
        disrupts: movingEndpoint,
    }),
    OperationStart: describe<OperationStartInputs | CloudStartInputs, OperationStartOutputs>({
        titles: {
            make: "determine the operation; run the hooks of its start",
            end: "end the termination: delete what is left of the cluster in the cloud; run the hooks of the end",
        },
        methods: () =>
            (require("../cluster/operation-start") as typeof import("../cluster/operation-start")).operationStart,
        outputs: [
            ...(["operation", "operations", "generations", "images", "flavors", "retries"] as const),
            ...(["heals", "keptInputs", "shapes", "stackHash", "marked", "takenOut", "history"] as const),
        ],
        packed: true,
        secretInputs: ["ssh", "seed", "hooks"],
        secretOutputs: ["secrets"],
        inPlan: "bookkeeping",
        disrupts: "no node",
        irreplaceable: "it holds what the servers were made from: they would be replaced, all masters among them",
    }),
    OsUpgrade: describe<OsUpgradeInputs, Pick<OsUpgradeState, "done">>({
        request: true,
        reboots: true,
        titles: { make: "by os.upgrade: upgrade the packages of the operating system, with reboots" },
        methods: () =>
            (require("../procedures/os/os-upgrade") as typeof import("../procedures/os/os-upgrade")).osUpgrade,
        outputs: ["done"],
        secretInputs: ["targets"],
        secretOutputs: ["targets"],
        inPlan: "harmless",
        disrupts: onItsNodes("drained, packages upgraded, rebooted if needed"),
    }),
    OwnerMark: describe<OwnerMarkInputs, { mark: string }>({
        titles: { make: "make the mark that the Vim's objects carry" },
        methods: () => (require("../cnf/owner-mark") as typeof import("../cnf/owner-mark")).ownerMark,
        outputs: ["mark"],
        secretInputs: ["claim"],
        secretOutputs: ["claim"],
        inPlan: "bookkeeping",
        madeLate: true,
        disrupts: "no node",
        irreplaceable: "it holds the mark that the objects in the cluster carry: they would be a stranger's",
    }),
    PersistentVolumeSet: describe<PersistentVolumeSetInputs>({
        titles: { make: "make or change the PersistentVolumes", leave: "delete the PersistentVolumes" },
        methods: () =>
            (require("../storage/persistent-volume-set") as typeof import("../storage/persistent-volume-set"))
                .persistentVolumeSet,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    ProjectGuard: describe<ProjectGuardInputs>({
        titles: {
            make: "record the project and region of the servers",
            end: "refuse the credentials of another project or region",
        },
        methods: () => (require("../cloud/project-guard") as typeof import("../cloud/project-guard")).projectGuard,
        outputs: [],
        secretInputs: [],
        secretOutputs: [],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    RuntimeRestart: describe<RuntimeRestartInputs, Pick<RuntimeRestartState, "done">>({
        request: true,
        titles: { make: "by restart.containerRuntime: restart containerd on one node after another" },
        methods: () =>
            (
                require("../procedures/container-runtime/restart") as typeof import("../procedures/container-runtime/restart")
            ).runtimeRestart,
        outputs: ["done"],
        secretInputs: ["targets"],
        secretOutputs: ["targets"],
        inPlan: "harmless",
        disrupts: onItsNodes("containerd restarts; containers go on"),
    }),
    ServerKeys: describe<
        ServerKeysInputs,
        Pick<ServerKeysState, "seed" | "privateKey" | "publicKey" | "logins" | "keyNumbers">
    >({
        titles: { make: "make the servers' SSH keys" },
        methods: () => (require("../cloud/server-keys") as typeof import("../cloud/server-keys")).serverKeys,
        outputs: ["seed", "privateKey", "publicKey", "logins", "keyNumbers"],
        secretInputs: [],
        secretOutputs: ["seed", "privateKey", "logins"],
        inPlan: "harmless",
        disrupts: "no node",
        irreplaceable:
            "it holds the key that the servers let in and the keys that they show: no server could be reached any more",
    }),
    ServiceAccountRotation: describe<ServiceAccountRotationInputs, Pick<ServiceAccountRotationState, "rotated">>({
        request: true,
        titles: {
            make: "by rotate.serviceAccountKey: sign tokens with another key; after the grace, end the previous one",
        },
        methods: () =>
            (
                require("../procedures/service-account-key/service-account-rotation") as typeof import("../procedures/service-account-key/service-account-rotation")
            ).serviceAccountRotation,
        outputs: ["rotated"],
        secretInputs: ["peers", "key"],
        secretOutputs: ["peers", "key"],
        disrupts: onItsNodes("the API server restarts"),
    }),
    SnapshotClassSet: describe<SnapshotClassSetInputs>({
        titles: {
            make: "install the kinds of snapshots; make or change their classes",
            leave: "delete the snapshot classes",
        },
        methods: () =>
            (require("../snapshots/snapshot-class-set") as typeof import("../snapshots/snapshot-class-set"))
                .snapshotClassSet,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    StorageBackups: describe<StorageBackupsInputs>({
        titles: { make: "start and make the backups of the storage server", leave: "end the timers; the backups stay" },
        methods: () =>
            (require("../storage/storage-backups") as typeof import("../storage/storage-backups")).storageBackups,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        secretInputs: ["connection", "fingerprintKey"],
        secretOutputs: ["secrets"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    StorageClassSet: describe<StorageClassSetInputs>({
        titles: {
            make: "install the NFS CSI driver; make or change the storage classes",
            leave: "delete the storage classes",
        },
        methods: () =>
            (require("../nfs-csi/storage-class-set") as typeof import("../nfs-csi/storage-class-set")).storageClassSet,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    StorageClient: describe<StorageClientInputs>({
        titles: {
            make: "give nodes access to the exports",
            leave: "take access to the exports from nodes that have left",
        },
        methods: () =>
            (require("../storage/storage-client") as typeof import("../storage/storage-client")).storageClient,
        outputs: [],
        secretInputs: ["connection"],
        secretOutputs: ["connection"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    StorageMachine: describe<StorageMachineInputs, Pick<StorageMachineState, "hostKey" | "setUp">>({
        titles: {
            make: "prepare the storage server: volumes, settings of backups, restores, exports",
            leave: "give the storage server back; its volumes keep their data",
            end: "give the storage server back; its volumes keep their data",
        },
        methods: () =>
            (require("../storage/storage-machine") as typeof import("../storage/storage-machine")).storageMachine,
        outputs: ["hostKey", "setUp"],
        packed: true,
        decidedByInputs: true,
        sameMachine: true,
        secretInputs: ["access", "connection", "fingerprintKey", "spec.proxy"],
        secretOutputs: ["secrets"],
        disrupts: "no node",
    }),
    VimRegistration: describe<VimInputs, VimOutputs>({
        titles: { make: "prove the access as a VIM and renew its token", leave: "end the access as a VIM" },
        methods: () => (require("../vim/vim") as typeof import("../vim/vim")).vim,
        outputs: ["bearerToken", "kubeconfig", "serverVersion", "vimConnectionInfo", "tokenExpires", "clusterId"],
        secretInputs: ["auth"],
        secretOutputs: ["auth", "bearerToken", "kubeconfig", "vimConnectionInfo"],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    VolumeSnapshots: describe<VolumeSnapshotsInputs, Pick<VolumeSnapshotsState, "newest">>({
        titles: { make: "snapshot the storage server's volumes", end: "name the snapshots: the cloud keeps them" },
        methods: () =>
            (require("../cloud/volume-snapshots") as typeof import("../cloud/volume-snapshots")).volumeSnapshots,
        outputs: ["newest"],
        secretInputs: [],
        secretOutputs: [],
        inPlan: "harmless",
        disrupts: "no node",
    }),
    WorkloadClaim: describe<WorkloadClaimInputs, Pick<WorkloadClaimState, "kinds">>({
        titles: { make: "claim a workload cluster's names", leave: "release a workload cluster's names" },
        methods: () =>
            (
                require("../cluster-api/workload/workload-claim") as typeof import("../cluster-api/workload/workload-claim")
            ).workloadClaim,
        outputs: ["kinds"],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    WorkloadRollout: describe<
        WorkloadRolloutInputs,
        Pick<
            WorkloadRolloutState,
            "uid" | "endpoint" | "caCertificate" | "clientCertificate" | "clientKey" | "machines" | "clusterId"
        >
    >({
        titles: { make: "make or change a workload cluster", leave: "delete a workload cluster" },
        methods: () =>
            (
                require("../cluster-api/workload/workload-rollout") as typeof import("../cluster-api/workload/workload-rollout")
            ).workloadRollout,
        outputs: ["uid", "endpoint", "caCertificate", "clientCertificate", "clientKey", "machines", "clusterId"],
        secretInputs: ["access", "held"],
        secretOutputs: ["access", "held", "clientKey"],
        inPlan: "harmless",
        disrupts: rollingOut,
    }),
};

export type ResourceTypeName = keyof typeof descriptors;

/** Undefined: this version has no such type. */
export function descriptorOf(type: string): Descriptor | undefined {
    return Object.hasOwn(descriptors, type)
        ? (descriptors[type as ResourceTypeName] as unknown as Descriptor)
        : undefined;
}

/** The secret inputs that are packed apart: those that are not a part of another input. Of a type that is not ours none. */
export function secretNames(type: string): string[] {
    return descriptorOf(type)?.secretInputs.filter(path => !path.includes(".")) ?? [];
}

/** The methods of a type, with plain objects as inputs and state. */
export function resourceType(name: string): ResourceType<object, object> {
    const descriptor = descriptorOf(name);
    if (descriptor !== undefined) return descriptor.methods() as ResourceType<object, object>;
    const known = Object.keys(descriptors).join(", ");
    throw new Error(
        `This version of pulumi-nfv has no resource type "${name}", only ${known}. Is an older one installed?`,
    );
}
