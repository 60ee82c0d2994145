import { defaultRepository } from "../common/add-on-objects";

/** Images of upstream's external-snapshotter, below the repository. */
export const snapshotImages = {
    controller: "sig-storage/snapshot-controller:v8.7.0",
    sidecar: "sig-storage/csi-snapshotter:v8.7.0",
} as const;

/** Full name of one of these images. */
export function snapshotImage(image: keyof typeof snapshotImages, repository: string = defaultRepository): string {
    return `${repository}/${snapshotImages[image]}`;
}
