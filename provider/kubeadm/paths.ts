import { stateFolder } from "../shell/folders";

/** kubeadm's own folders on a node, and ours within. */
export const kubernetesFolder = "/etc/kubernetes";
export const pkiFolder = `${kubernetesFolder}/pki`;
/** Policy, encryption and kubeadm files of ours: one folder, mounted into the API server. */
export const configFolder = `${kubernetesFolder}/pulumi-nfv`;
export const patchesFolder = `${configFolder}/patches`;
export const apiServerFolder = `${configFolder}/kube-apiserver`;
export const auditPolicyFile = `${apiServerFolder}/audit-policy.yaml`;
export const encryptionFile = `${apiServerFolder}/encryption.yaml`;
export const auditLogFolder = "/var/log/kubernetes/audit";
/** The whole configuration with this master as local endpoint: for init and for all later phases. */
export const clusterConfigFile = `${configFolder}/cluster.yaml`;
export const kubeletConfig = `${kubernetesFolder}/kubelet.conf`;
/** There while a join waits for the kubelet's first certificate. */
export const bootstrapConfig = `${kubernetesFolder}/bootstrap-kubelet.conf`;
/** Holds the cluster's id once init or join has ended well. */
export const memberFile = `${stateFolder}/member`;
/** Holds the cluster's id from the begin of init on: a machine that stopped halfway goes on with init. */
export const initStartedFile = `${stateFolder}/init-started`;
/** Hashes of what has been applied last, one file each. */
export const appliedFolder = `${stateFolder}/applied`;
/** kubelet's flags that are ours, as they were applied last. */
export const kubeletFlagsFile = `${appliedFolder}/kubelet-flags`;
/** The authority's certificate when this machine became a member: another key is another cluster's. */
export const authorityFile = `${stateFolder}/authority`;
/** Holds the cluster's id from the begin of a join on: what a join that stopped halfway left is ours to take away. */
export const joinStartedFile = `${stateFolder}/join-started`;
/** While a reset goes on: the machine had an etcd of ours, so what is in /var/lib/etcd is ours to delete. */
export const etcdDataNote = `${stateFolder}/etcd-data`;
