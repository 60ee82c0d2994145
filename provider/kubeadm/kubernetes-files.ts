import { kubernetesFolder, pkiFolder } from "./paths";

const authorities = ["ca", "etcd/ca", "front-proxy-ca"];
const certificates = [
    "apiserver",
    "apiserver-kubelet-client",
    "apiserver-etcd-client",
    "front-proxy-client",
    "etcd/server",
    "etcd/peer",
    "etcd/healthcheck-client",
];
const configs = ["admin", "super-admin", "kubelet", "bootstrap-kubelet", "controller-manager", "scheduler"];
const staticPods = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/**
 * Paths, relative to /etc/kubernetes, of what kubeadm and we write there. Our folders and kubeadm's backups are deleted
 * as a whole.
 */
export const ownKubernetesFiles: readonly string[] = [
    ...configs.map(name => `${name}.conf`),
    ...staticPods.map(name => `manifests/${name}.yaml`),
    ...[...authorities, ...certificates].flatMap(name => [`pki/${name}.crt`, `pki/${name}.key`]),
    "pki/sa.key",
    "pki/sa.pub",
];

/** Each of these keys gives access to the whole cluster, so no copy of them stays. */
export const clusterKeys = [...authorities.map(name => `${name}.key`), "sa.key"].map(name => `${pkiFolder}/${name}`);

/** Where files of others are during kubeadm's reset. */
export const othersAside = `${kubernetesFolder}/pki.others`;
/** Where static pods go for good that kubeadm did not make. */
export const manifestsAside = `${kubernetesFolder}/manifests.others`;
