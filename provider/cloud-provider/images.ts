import { NfvError } from "../errors";

/**
 * Version of the cloud controller manager and the CSI driver by minor version of Kubernetes: their releases follow
 * Kubernetes'.
 */
export const cloudVersions: Readonly<Record<string, string>> = {
    "1.32": "v1.32.1",
    "1.33": "v1.33.1",
    "1.34": "v1.34.1",
    "1.35": "v1.35.0",
    "1.36": "v1.36.0",
};

/** All images below the repository. An image without a version has the one of `cloudVersions`. */
export const images = {
    cloudControllerManager: { name: "provider-os/openstack-cloud-controller-manager" },
    cinderCsi: { name: "provider-os/cinder-csi-plugin" },
    provisioner: { name: "sig-storage/csi-provisioner", version: "v6.2.1" },
    attacher: { name: "sig-storage/csi-attacher", version: "v4.13.0" },
    resizer: { name: "sig-storage/csi-resizer", version: "v2.3.0" },
    nodeDriverRegistrar: { name: "sig-storage/csi-node-driver-registrar", version: "v2.16.0" },
} as const satisfies Record<string, { name: string; version?: string }>;

export type Sidecar = Exclude<keyof typeof images, "cloudControllerManager" | "cinderCsi">;

/** The version for Kubernetes "1.34.4"; undefined if none is known. */
export function cloudVersionFor(kubernetesVersion: string): string | undefined {
    return cloudVersions[kubernetesVersion.split(".").slice(0, 2).join(".")];
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
