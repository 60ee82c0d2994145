import type { CertificateExpiry } from "../expiry";
import type { AuthorityRotationInputs, AuthorityRotationState } from "./authority-rotation";
import type { BundleImagesInputs } from "./bundle-images";
import type { CloudCheckInputs, CloudCheckOutputs } from "./cloud-check";
import type { CloudLeftoversInputs } from "./cloud-leftovers";
import type { CloudProviderInputs } from "./cloud-provider";
import type { CloudStartInputs } from "./cloud-start-inputs";
import type { ClusterApiProvidersInputs, ClusterApiProvidersState } from "./cluster-api-providers";
import type { ClusterIdInputs, ClusterIdState } from "./cluster-id";
import type { ClusterKeysInputs, ClusterKeysState } from "./cluster-keys";
import type { ClusterMoveInputs, ClusterMoveState } from "./cluster-move";
import type { ClusterNetworkInputs } from "./cluster-network";
import type { CnfNamespaceInputs } from "./cnf-namespace";
import type { CnfObjectsInputs } from "./cnf-objects";
import type { CnfReadinessInputs } from "./cnf-readiness";
import type { CredentialReportInputs } from "./credential-report";
import { type Descriptor, describe } from "./descriptor";
import { bySteps, movingEndpoint, onItsNodes, restoring, rollingOut } from "./disrupts";
import type { EncryptionRotationInputs, EncryptionRotationState } from "./encryption-rotation";
import type { EtcdBackupInputs, EtcdBackupState } from "./etcd-backup";
import type { EtcdRestoreInputs, EtcdRestoreState } from "./etcd-restore";
import type { HookReachInputs } from "./hook-reach";
import type { HostInputs } from "./host";
import type { HostKeyRotationInputs, HostKeyRotationState } from "./host-key-rotation";
import type { LoginRotationInputs, LoginRotationState } from "./login-rotation";
import type { MastersInputs } from "./masters";
import type { MembershipInputs, MembershipState } from "./membership";
import type { NodeEndInputs } from "./node-end";
import type { NodeInputs } from "./node-state";
import type { OperationEndInputs } from "./operation-end-inputs";
import type { OperationStartInputs, OperationStartOutputs } from "./operation-start-inputs";
import type { OsUpgradeInputs, OsUpgradeState } from "./os-upgrade";
import type { OwnerMarkInputs } from "./owner-mark";
import type { PersistentVolumeSetInputs } from "./persistent-volume-set";
import type { ProjectGuardInputs } from "./project-guard";
import type { ServerKeysInputs, ServerKeysState } from "./server-keys";
import type { ServiceAccountRotationInputs, ServiceAccountRotationState } from "./service-account-rotation";
import type { SnapshotClassSetInputs } from "./snapshot-class-set";
import type { StorageBackupsInputs } from "./storage-backups";
import type { StorageClassSetInputs } from "./storage-class-set";
import type { StorageClientInputs } from "./storage-client";
import type { StorageMachineInputs, StorageMachineState } from "./storage-machine-state";
import type { ResourceType } from "./types";
import type { VimInputs, VimOutputs } from "./vim-inputs";
import type { VolumeSnapshotsInputs, VolumeSnapshotsState } from "./volume-snapshots";
import type { WorkloadClaimInputs, WorkloadClaimState } from "./workload-claim";
import type { WorkloadRolloutInputs, WorkloadRolloutState } from "./workload-rollout";

/** Every resource type by its name in states. */
export const descriptors = {
    AuthorityRotation: describe<AuthorityRotationInputs, Pick<AuthorityRotationState, "rotated">>({
        methods: () => (require("./authority-rotation") as typeof import("./authority-rotation")).authorityRotation,
        outputs: ["rotated"],
        secretInputs: ["peers", "workers", "key"],
        secretOutputs: ["peers", "workers", "key"],
        disrupts: onItsNodes("kubelet restarts, and on control-plane nodes the static pods"),
    }),
    BundleImages: describe<BundleImagesInputs>({
        methods: () => (require("./bundle-images") as typeof import("./bundle-images")).bundleImages,
        outputs: [],
        secretInputs: ["registry.password"],
        secretOutputs: ["registry"],
        disrupts: "no node",
    }),
    CloudCheck: describe<CloudCheckInputs, CloudCheckOutputs>({
        methods: () => (require("./cloud-check") as typeof import("./cloud-check")).cloudCheck,
        outputs: ["summary", "names", "project", "region"],
        secretInputs: [],
        secretOutputs: [],
        disrupts: "no node",
        irreplaceable:
            "it holds what the names of images, flavors and networks meant when the servers were made: they would be replaced",
    }),
    CloudLeftovers: describe<CloudLeftoversInputs>({
        methods: () => (require("./cloud-leftovers") as typeof import("./cloud-leftovers")).cloudLeftovers,
        outputs: [],
        secretInputs: [],
        secretOutputs: [],
        disrupts: "no node",
    }),
    CloudProvider: describe<CloudProviderInputs>({
        methods: () => (require("./cloud-provider") as typeof import("./cloud-provider")).cloudProvider,
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
        methods: () =>
            (require("./cluster-api-providers") as typeof import("./cluster-api-providers")).clusterApiProviders,
        outputs: ["keys", "objects", "versions", "renewalDue", "pending"],
        secretInputs: ["access", "variables"],
        secretOutputs: ["access", "variables", "keys"],
        disrupts: "no node",
    }),
    ClusterId: describe<ClusterIdInputs, Pick<ClusterIdState, "clusterId" | "fingerprintKey">>({
        methods: () => (require("./cluster-id") as typeof import("./cluster-id")).clusterIdResource,
        outputs: ["clusterId", "fingerprintKey"],
        secretInputs: [],
        secretOutputs: ["fingerprintKey"],
        disrupts: "no node",
        irreplaceable:
            "it holds the cluster's id: with another one, all machines would be reset and the cluster be lost",
    }),
    ClusterKeys: describe<ClusterKeysInputs, Pick<ClusterKeysState, "certificates" | "keys">>({
        methods: () => (require("./cluster-keys") as typeof import("./cluster-keys")).clusterKeys,
        outputs: ["certificates", "keys"],
        secretInputs: ["fingerprintKey"],
        secretOutputs: ["keys", "fingerprintKey"],
        disrupts: "no node",
        irreplaceable:
            "it holds the cluster's keys: with others, no node could join and encrypted Secrets could not be read any more",
    }),
    ClusterNetwork: describe<ClusterNetworkInputs>({
        methods: () => (require("./cluster-network") as typeof import("./cluster-network")).clusterNetwork,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        leavingInputs: ["acceptDrift"],
        secretInputs: ["controlPlane", "fingerprintKey"],
        secretOutputs: ["secrets"],
        disrupts: bySteps,
    }),
    CnfNamespace: describe<CnfNamespaceInputs>({
        methods: () => (require("./cnf-namespace") as typeof import("./cnf-namespace")).cnfNamespace,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    CnfObjects: describe<CnfObjectsInputs, Pick<CnfObjectsInputs, "taken" | "namespaced">>({
        methods: () => (require("./cnf-objects") as typeof import("./cnf-objects")).cnfObjects,
        outputs: ["taken", "namespaced"],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    CnfReadiness: describe<CnfReadinessInputs>({
        methods: () => (require("./cnf-readiness") as typeof import("./cnf-readiness")).cnfReadiness,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    CredentialReport: describe<CredentialReportInputs>({
        methods: () => (require("./credential-report") as typeof import("./credential-report")).credentialReport,
        outputs: [],
        secretInputs: ["token", "credentials"],
        secretOutputs: ["token", "credentials"],
        disrupts: "no node",
    }),
    EncryptionRotation: describe<EncryptionRotationInputs, Pick<EncryptionRotationState, "rotated">>({
        methods: () => (require("./encryption-rotation") as typeof import("./encryption-rotation")).encryptionRotation,
        outputs: ["rotated"],
        secretInputs: ["peers", "key"],
        secretOutputs: ["peers", "key"],
        disrupts: "no node",
    }),
    EtcdBackup: describe<EtcdBackupInputs, Pick<EtcdBackupState, "last">>({
        methods: () => (require("./etcd-backup") as typeof import("./etcd-backup")).etcdBackup,
        outputs: ["last"],
        packed: true,
        decidedByInputs: true,
        secretInputs: ["connection", "fingerprintKey"],
        secretOutputs: ["secrets"],
        disrupts: "no node",
    }),
    EtcdRestore: describe<EtcdRestoreInputs, Pick<EtcdRestoreState, "restored">>({
        methods: () => (require("./etcd-restore") as typeof import("./etcd-restore")).etcdRestore,
        outputs: ["restored"],
        packed: true,
        secretInputs: ["controlPlane", "workers"],
        secretOutputs: ["secrets"],
        disrupts: restoring,
    }),
    HookReach: describe<HookReachInputs>({
        methods: () => (require("./hook-reach") as typeof import("./hook-reach")).hookReach,
        outputs: [],
        secretInputs: ["reach"],
        secretOutputs: ["reach"],
        disrupts: "no node",
    }),
    Host: describe<HostInputs>({
        methods: () => (require("./host") as typeof import("./host")).host,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        sameMachine: true,
        secretInputs: ["connection", "fingerprintKey"],
        secretOutputs: ["secrets"],
        disrupts: "its node",
    }),
    HostKeyRotation: describe<HostKeyRotationInputs, Pick<HostKeyRotationState, "present" | "next">>({
        methods: () => (require("./host-key-rotation") as typeof import("./host-key-rotation")).hostKeyRotation,
        outputs: ["present", "next"],
        secretInputs: ["targets", "seed", "newSeed"],
        secretOutputs: ["targets", "seed", "newSeed"],
        disrupts: "no node",
        irreplaceable:
            "it holds which host keys the machines show: without it they could not be reached after a rotation",
    }),
    LoginRotation: describe<LoginRotationInputs, Pick<LoginRotationState, "present" | "next">>({
        methods: () => (require("./login-rotation") as typeof import("./login-rotation")).loginRotation,
        outputs: ["present", "next"],
        secretInputs: ["targets", "newKey"],
        secretOutputs: ["targets", "newKey"],
        disrupts: "no node",
        irreplaceable:
            "it holds which login key the machines let in: without it they could not be reached after a rotation",
    }),
    Masters: describe<MastersInputs>({
        methods: () => (require("./masters") as typeof import("./masters")).masters,
        outputs: [],
        secretInputs: ["peers", "toLookAt.*"],
        secretOutputs: ["peers", "toLookAt"],
        disrupts: "no node",
        irreplaceable:
            "it holds how the masters of former programs are reached: a second cluster could begin beside theirs",
    }),
    Membership: describe<MembershipInputs, Pick<MembershipState, "generations" | "endpointNumber">>({
        methods: () => (require("./membership") as typeof import("./membership")).membership,
        outputs: ["generations", "endpointNumber"],
        secretInputs: [],
        secretOutputs: [],
        disrupts: "no node",
        irreplaceable: "it counts what happened to the nodes: what a stopped run has left would not be mended",
    }),
    NodeEnd: describe<NodeEndInputs>({
        methods: () => (require("./node-end") as typeof import("./node-end")).nodeEnd,
        outputs: [],
        secretInputs: [],
        secretOutputs: [],
        disrupts: "no node",
    }),
    ClusterMove: describe<ClusterMoveInputs, Pick<ClusterMoveState, "clusters" | "pending">>({
        methods: () => (require("./cluster-move") as typeof import("./cluster-move")).clusterMove,
        outputs: ["clusters", "pending"],
        secretInputs: ["from", "to"],
        secretOutputs: ["from", "to"],
        disrupts: "no node",
    }),
    Node: describe<NodeInputs>({
        methods: () => (require("./node") as typeof import("./node")).node,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        sameMachine: true,
        secretInputs: ["connection", "controlPlane", "fingerprintKey", "spec.keys"],
        secretOutputs: ["secrets"],
        disrupts: "its node",
    }),
    OperationEnd: describe<OperationEndInputs, { earliestExpiry: CertificateExpiry | undefined }>({
        methods: () => (require("./operation-end") as typeof import("./operation-end")).operationEnd,
        outputs: ["earliestExpiry"],
        packed: true,
        decidedByInputs: true,
        leavingInputs: ["served"],
        secretInputs: ["controlPlane", "workers", "fingerprintKey", "access", "hooks"],
        secretOutputs: ["secrets"],
        disrupts: movingEndpoint,
    }),
    OperationStart: describe<OperationStartInputs | CloudStartInputs, OperationStartOutputs>({
        methods: () => (require("./operation-start") as typeof import("./operation-start")).operationStart,
        outputs: [
            ...(["operation", "operations", "generations", "images", "flavors", "retries"] as const),
            ...([
                "wishNumbers",
                "heals",
                "keptInputs",
                "shapes",
                "stackHash",
                "marked",
                "takenOut",
                "history",
            ] as const),
        ],
        packed: true,
        secretInputs: ["ssh", "seed", "hooks"],
        secretOutputs: ["secrets"],
        disrupts: "no node",
        irreplaceable: "it holds what the servers were made from: they would be replaced, all masters among them",
    }),
    OsUpgrade: describe<OsUpgradeInputs, Pick<OsUpgradeState, "upgraded">>({
        methods: () => (require("./os-upgrade") as typeof import("./os-upgrade")).osUpgrade,
        outputs: ["upgraded"],
        secretInputs: ["targets"],
        secretOutputs: ["targets"],
        disrupts: onItsNodes("drained, packages upgraded, rebooted if needed"),
    }),
    OwnerMark: describe<OwnerMarkInputs, { mark: string }>({
        methods: () => (require("./owner-mark") as typeof import("./owner-mark")).ownerMark,
        outputs: ["mark"],
        secretInputs: ["claim"],
        secretOutputs: ["claim"],
        disrupts: "no node",
        irreplaceable: "it holds the mark that the objects in the cluster carry: they would be a stranger's",
    }),
    PersistentVolumeSet: describe<PersistentVolumeSetInputs>({
        methods: () =>
            (require("./persistent-volume-set") as typeof import("./persistent-volume-set")).persistentVolumeSet,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    ProjectGuard: describe<ProjectGuardInputs>({
        methods: () => (require("./project-guard") as typeof import("./project-guard")).projectGuard,
        outputs: [],
        secretInputs: [],
        secretOutputs: [],
        disrupts: "no node",
    }),
    ServerKeys: describe<
        ServerKeysInputs,
        Pick<ServerKeysState, "seed" | "seeds" | "seedNumbers" | "privateKey" | "publicKey" | "logins" | "keyNumbers">
    >({
        methods: () => (require("./server-keys") as typeof import("./server-keys")).serverKeys,
        outputs: ["seed", "seeds", "seedNumbers", "privateKey", "publicKey", "logins", "keyNumbers"],
        secretInputs: [],
        secretOutputs: ["seed", "seeds", "privateKey", "logins"],
        disrupts: "no node",
        irreplaceable:
            "it holds the key that the servers let in and the keys that they show: no server could be reached any more",
    }),
    ServiceAccountRotation: describe<ServiceAccountRotationInputs, Pick<ServiceAccountRotationState, "rotated">>({
        methods: () =>
            (require("./service-account-rotation") as typeof import("./service-account-rotation"))
                .serviceAccountRotation,
        outputs: ["rotated"],
        secretInputs: ["peers", "key"],
        secretOutputs: ["peers", "key"],
        disrupts: onItsNodes("the API server restarts"),
    }),
    SnapshotClassSet: describe<SnapshotClassSetInputs>({
        methods: () => (require("./snapshot-class-set") as typeof import("./snapshot-class-set")).snapshotClassSet,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    StorageBackups: describe<StorageBackupsInputs>({
        methods: () => (require("./storage-backups") as typeof import("./storage-backups")).storageBackups,
        outputs: [],
        packed: true,
        decidedByInputs: true,
        secretInputs: ["connection", "fingerprintKey"],
        secretOutputs: ["secrets"],
        disrupts: "no node",
    }),
    StorageClassSet: describe<StorageClassSetInputs>({
        methods: () => (require("./storage-class-set") as typeof import("./storage-class-set")).storageClassSet,
        outputs: [],
        secretInputs: ["access"],
        secretOutputs: ["access"],
        disrupts: "no node",
    }),
    StorageClient: describe<StorageClientInputs>({
        methods: () => (require("./storage-client") as typeof import("./storage-client")).storageClient,
        outputs: [],
        secretInputs: ["connection"],
        secretOutputs: ["connection"],
        disrupts: "no node",
    }),
    StorageMachine: describe<StorageMachineInputs, Pick<StorageMachineState, "hostKey" | "setUp">>({
        methods: () => (require("./storage-machine") as typeof import("./storage-machine")).storageMachine,
        outputs: ["hostKey", "setUp"],
        packed: true,
        decidedByInputs: true,
        sameMachine: true,
        secretInputs: ["access", "connection", "fingerprintKey", "spec.proxy"],
        secretOutputs: ["secrets"],
        disrupts: "no node",
    }),
    VimRegistration: describe<VimInputs, VimOutputs>({
        methods: () => (require("./vim") as typeof import("./vim")).vim,
        outputs: ["bearerToken", "kubeconfig", "serverVersion", "vimConnectionInfo", "tokenExpires", "clusterId"],
        secretInputs: ["auth"],
        secretOutputs: ["auth", "bearerToken", "kubeconfig", "vimConnectionInfo"],
        disrupts: "no node",
    }),
    VolumeSnapshots: describe<VolumeSnapshotsInputs, Pick<VolumeSnapshotsState, "newest">>({
        methods: () => (require("./volume-snapshots") as typeof import("./volume-snapshots")).volumeSnapshots,
        outputs: ["newest"],
        secretInputs: [],
        secretOutputs: [],
        disrupts: "no node",
    }),
    WorkloadClaim: describe<WorkloadClaimInputs, Pick<WorkloadClaimState, "kinds">>({
        methods: () => (require("./workload-claim") as typeof import("./workload-claim")).workloadClaim,
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
        methods: () => (require("./workload-rollout") as typeof import("./workload-rollout")).workloadRollout,
        outputs: ["uid", "endpoint", "caCertificate", "clientCertificate", "clientKey", "machines", "clusterId"],
        secretInputs: ["access", "held"],
        secretOutputs: ["access", "held", "clientKey"],
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

/** The methods of a type, with plain objects as inputs and state. */
export function resourceType(name: string): ResourceType<object, object> {
    const descriptor = descriptorOf(name);
    if (descriptor !== undefined) return descriptor.methods() as ResourceType<object, object>;
    const known = Object.keys(descriptors).join(", ");
    throw new Error(
        `This version of pulumi-nfv has no resource type "${name}", only ${known}. Is an older one installed?`,
    );
}
