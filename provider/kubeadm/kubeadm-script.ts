import { formersFile } from "../endpoint/side-by-side";
import { kernelModulesFile } from "../shell/folders";
import { readScript, script } from "../shell/script-file";
import { unfinished } from "../steps/agent";
import { notesPath } from "../steps/observation-notes";
import { clusterKeys, manifestsAside, othersAside, ownKubernetesFiles } from "./kubernetes-files";
import {
    apiServerFolder,
    appliedFolder,
    auditLogFolder,
    auditPolicyFile,
    authorityBridge,
    authorityFile,
    bootstrapConfig,
    clusterConfigFile,
    configFolder,
    encryptionFile,
    etcdAside,
    etcdData,
    etcdDataNote,
    initStartedFile,
    joinStartedFile,
    keptForJoin,
    kubeletConfig,
    kubeletFlagsFile,
    kubernetesFolder,
    patchesFolder,
    pkiFolder,
    requestNotes,
    restoredNote,
    rotatedFile,
    seedFolder,
    snapshotFolder,
    soakNote,
    upgradeFolder,
} from "./paths";

/** Constants that each script of this folder may declare without its caller giving them. */
const constants = {
    API_SERVER_FOLDER: apiServerFolder,
    API_SERVER_MANIFEST: `${kubernetesFolder}/manifests/kube-apiserver.yaml`,
    APPLIED_FOLDER: appliedFolder,
    AUDIT_LOG_FOLDER: auditLogFolder,
    AUDIT_POLICY_FILE: auditPolicyFile,
    AUTHORITY_BRIDGE: authorityBridge,
    AUTHORITY_FILE: authorityFile,
    BOOTSTRAP_CONFIG: bootstrapConfig,
    CLUSTER_CONFIG_FILE: clusterConfigFile,
    CLUSTER_KEYS: clusterKeys.join(" "),
    CONFIG_FOLDER: configFolder,
    ENCRYPTION_FILE: encryptionFile,
    ETCD_ASIDE: etcdAside,
    ETCD_DATA: etcdData,
    ETCD_DATA_NOTE: etcdDataNote,
    /** Where the image of etcd is mounted for a moment. */
    ETCD_IMAGE_FOLDER: "/run/pulumi-nfv-etcd-image",
    FORMERS_FILE: formersFile,
    INIT_STARTED_FILE: initStartedFile,
    JOIN_STARTED_FILE: joinStartedFile,
    NODE_NOTES: notesPath("node"),
    /** Where kubeadm writes kubelet's flags at the join. */
    KUBEADM_FLAGS_FILE: "/var/lib/kubelet/kubeadm-flags.env",
    KEPT_FOR_JOIN: keptForJoin,
    KUBELET_CONFIG: kubeletConfig,
    KUBELET_FLAGS_FILE: kubeletFlagsFile,
    KUBERNETES_FOLDER: kubernetesFolder,
    MANIFESTS_ASIDE: manifestsAside,
    OTHERS_ASIDE: othersAside,
    OWN_KUBERNETES_FILES: ownKubernetesFiles.join(" "),
    PATCHES_FOLDER: patchesFolder,
    PKI_FOLDER: pkiFolder,
    PREPARED_FILE: kernelModulesFile,
    REQUEST_NOTES: requestNotes,
    RESTORED_NOTE: restoredNote,
    ROTATED_FILE: rotatedFile,
    /** The snapshot with which an init begins the cluster. */
    SEED_FOLDER: seedFolder,
    /** How long a rewritten certificate may take until it is served: the API server checks its files at least once a minute. */
    SERVED_SECONDS: 150,
    SNAPSHOT_FOLDER: snapshotFolder,
    SOAK_NOTE: soakNote,
    UNFINISHED: unfinished,
    UPGRADE_FOLDER: upgradeFolder,
} as const;

/** The text of a script file of this folder. `own`: further constants. */
export function kubeadmScript(path: string, own: Record<string, string | number> = {}): string {
    const declared = readScript(path).constants;
    const common = Object.entries(constants).filter(([name]) => declared.includes(name));
    return script(path, { ...Object.fromEntries(common), ...own });
}
