/** All our state on a node. */
export const stateFolder = "/var/lib/pulumi-nfv";

/** Copies of the files that existed before us, for the reset. */
export const originalsFolder = `${stateFolder}/original`;

/** Names of the packages that were not installed before us, one per line. */
export const installedPackagesFile = `${stateFolder}/installed-packages`;

/** Names of the plugins in /opt/cni/bin that came from a bundle, one per line. */
export const stagedPluginsFile = `${stateFolder}/staged-plugins`;

/** Names of the plugins that the cluster's CNI configuration used, one per line: noted when that is deleted. */
export const clusterPluginsFile = `${stateFolder}/cluster-plugins`;

/**
 * The HTTP proxy as environment variables, for systemd and shells. Only root may read it, because it may contain a
 * login.
 */
export const proxyEnvironmentFile = "/etc/pulumi-nfv/proxy.env";

/** One of the first files that a host gets: by it a machine is known as prepared by us. */
export const kernelModulesFile = "/etc/modules-load.d/pulumi-nfv.conf";

/** Our programs: the staged Kubernetes versions and the load balancer's check. */
export const programFolder = "/usr/local/lib/pulumi-nfv";

/** Binaries of one Kubernetes version from a bundle; no effect until the node switches to them. */
export function versionFolder(version: string): string {
    return `${programFolder}/kubernetes/${version}`;
}

/** kubeadm's kubeconfig for administrators; on control-plane nodes only. */
export const adminConfig = "/etc/kubernetes/admin.conf";

/** Holds the cluster's id after a successful init or join. */
export const memberFile = `${stateFolder}/member`;

/** Packages of Kubernetes, and what they depend on of the same repository, separated by spaces. */
export const kubernetesPackages = "kubelet kubeadm kubectl kubernetes-cni cri-tools";
