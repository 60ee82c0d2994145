import { defaultRepository } from "../common/add-on-objects";

/** All images of the NFS CSI driver, below the repository. */
export const nfsCsiImages = {
    plugin: "sig-storage/nfsplugin:v4.13.4",
    provisioner: "sig-storage/csi-provisioner:v6.2.1",
    resizer: "sig-storage/csi-resizer:v2.3.0",
    nodeDriverRegistrar: "sig-storage/csi-node-driver-registrar:v2.16.0",
} as const;

export type NfsCsiImage = keyof typeof nfsCsiImages;

/** Full name of one of these images. */
export function nfsCsiImage(image: NfsCsiImage, repository: string = defaultRepository): string {
    return `${repository}/${nfsCsiImages[image]}`;
}
