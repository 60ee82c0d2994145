/** Where everything of ours on a node lives. */
export const stateFolder = "/var/lib/pulumi-nfv";

/** Copies of the files that were there before us, for the reset. */
export const originalsFolder = `${stateFolder}/original`;

/** Names of the packages that were not there before us, one a line. */
export const installedPackagesFile = `${stateFolder}/installed-packages`;

/** The HTTP proxy as environment variables: root only, as there may be a login in it. Read by systemd and by shells. */
export const proxyEnvironmentFile = "/etc/pulumi-nfv/proxy.env";

/** Programs of ours: the staged Kubernetes versions and the load balancer's check. */
export const programFolder = "/usr/local/lib/pulumi-nfv";

/** Binaries of one Kubernetes version out of a bundle; without effect until the node switches to them. */
export function versionFolder(version: string): string {
    return `${programFolder}/kubernetes/${version}`;
}
