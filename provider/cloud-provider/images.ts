import { NfvError } from "../common/errors";
import { cloudProviderFor } from "../kubernetes/releases";

/** All images below the repository. An image without a version has that of `cloudVersionFor`. */
export const images = {
    cloudControllerManager: { name: "provider-os/openstack-cloud-controller-manager" },
    cinderCsi: { name: "provider-os/cinder-csi-plugin" },
    provisioner: { name: "sig-storage/csi-provisioner", version: "v6.2.1" },
    attacher: { name: "sig-storage/csi-attacher", version: "v4.13.0" },
    resizer: { name: "sig-storage/csi-resizer", version: "v2.3.0" },
    nodeDriverRegistrar: { name: "sig-storage/csi-node-driver-registrar", version: "v2.16.0" },
} as const satisfies Record<string, { name: string; version?: string }>;

export type Sidecar = Exclude<keyof typeof images, "cloudControllerManager" | "cinderCsi">;

/** The version for Kubernetes "1.36.3", or for the minor before it if there is none yet; undefined: none is known. */
export function cloudVersionFor(kubernetesVersion: string): string | undefined {
    const found = cloudProviderFor(kubernetesVersion);
    return found === undefined || found.behind > 1 ? undefined : found.version;
}

/** The version that the user wants, or the one for this Kubernetes. @throws INVALID_INPUT if neither is known */
export function cloudVersion(kubernetesVersion: string, wanted?: string): string {
    const version = wanted ?? cloudVersionFor(kubernetesVersion);
    if (version !== undefined) return version;
    const cause = `no version of OpenStack's cloud provider is known for Kubernetes ${kubernetesVersion}`;
    throw new NfvError({ code: "INVALID_INPUT", cause, hint: "Name it: version." });
}

/** Full name of one of these images. */
export function cloudImage(repository: string, image: "cloudControllerManager" | "cinderCsi", version: string): string {
    return `${repository}/${images[image].name}:${version}`;
}

export function sidecarImage(repository: string, sidecar: Sidecar): string {
    const { name, version } = images[sidecar];
    return `${repository}/${name}:${version}`;
}
