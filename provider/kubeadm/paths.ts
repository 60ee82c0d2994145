import { stateFolder } from "../shell/folders";

export { memberFile } from "../shell/folders";

/** kubeadm's folders on a node, and ours below them. */
export const kubernetesFolder = "/etc/kubernetes";
export const pkiFolder = `${kubernetesFolder}/pki`;
/** Our policy, encryption and kubeadm files: one folder, mounted into the API server. */
export const configFolder = `${kubernetesFolder}/pulumi-nfv`;
export const patchesFolder = `${configFolder}/patches`;
export const apiServerFolder = `${configFolder}/kube-apiserver`;
export const auditPolicyFile = `${apiServerFolder}/audit-policy.yaml`;
export const encryptionFile = `${apiServerFolder}/encryption.yaml`;
export const auditLogFolder = "/var/log/kubernetes/audit";
/** The whole kubeadm configuration with this node as local endpoint: for init and all later phases. */
export const clusterConfigFile = `${configFolder}/cluster.yaml`;
export const kubeletConfig = `${kubernetesFolder}/kubelet.conf`;
/** On a control-plane node, a line "CLUSTERID KIND" for each kind of key whose first one the cluster has left (first-keys.ts). */
export const rotatedFile = `${stateFolder}/rotated`;
/** Word and snapshot of the last restore of etcd that was done: "WORD ID". A control-plane node that joins takes it over. */
export const restoredNote = `${stateFolder}/etcd-restored`;
/** For each request that is carried out node by node, a file with the last word, how far it is on this machine, and the boot: "WORD STAGE BOOT". A node that joins takes over what is done. */
export const requestNotes = `${stateFolder}/requests`;
/** Exists while a join waits for kubelet's first certificate. */
export const bootstrapConfig = `${kubernetesFolder}/bootstrap-kubelet.conf`;
/** Holds the cluster's id from the start of init on: after an interruption, the machine continues with init. */
export const initStartedFile = `${stateFolder}/init-started`;
/** Hashes of the settings applied last, one file each. */
export const appliedFolder = `${stateFolder}/applied`;
/** Our kubelet flags as applied last. */
export const kubeletFlagsFile = `${appliedFolder}/kubelet-flags`;
/** The authority's certificate when this machine became a member. Another key means another cluster. */
export const authorityFile = `${stateFolder}/authority`;
/** Certificate of the authority as the one before it has signed it: behind the API server's own, for pods that started before a rotation. */
export const authorityBridge = `${configFolder}/authority-bridge.crt`;
/** Holds the cluster's id from the start of a join on: we may delete what an interrupted join left. */
export const joinStartedFile = `${stateFolder}/join-started`;
/** What a join puts back behind kubeadm's reset: the cluster's keys, and our files. Root alone may read it. */
export const keptForJoin = `${stateFolder}/kept-for-join`;
/** Exists during a reset: the machine had an etcd of ours, so we may delete what is in /var/lib/etcd. */
export const etcdDataNote = `${stateFolder}/etcd-data`;
/** Where kubeadm's etcd has its data. */
export const etcdData = "/var/lib/etcd";
/** etcd's manifest while its data is exchanged (force-new-cluster.sh). */
export const etcdAside = `${configFolder}/etcd-aside.yaml`;
/** A snapshot of etcd that a restore onto new machines brought: "note" has its word and id, "placed" exists when etcd's data was made of it. Root alone may read it. */
export const seedFolder = `${stateFolder}/etcd-seed`;
/** Exists while the node moves to another version: "move" has the former and the new one, "control-plane" what its servers have reached. */
export const upgradeFolder = `${stateFolder}/upgrade`;
/** Holds the version that this node has moved to, while it is still to be watched with that (`soakSeconds`). */
export const soakNote = `${stateFolder}/soaks`;
/** etcd's data from before each upgrade, on control-plane nodes. Root alone may read it. */
export const snapshotFolder = `${stateFolder}/etcd-before-upgrade`;
