import type { HostSpec } from "../model";

/** Tag of the sandbox image that kubeadm of a minor version wants; the newest row holds for all later ones. */
const tags: [minor: number, tag: string][] = [
    [34, "3.10.1"],
    [31, "3.10"],
    [29, "3.9"],
];

/** The sandbox ("pause") image: as said, else the bundle's, else the one that kubeadm of this version wants. */
export function sandboxImageOf(spec: HostSpec): string {
    if (spec.sandboxImage) return spec.sandboxImage;
    const staged = spec.source.bundle?.files?.find(
        file => file.image !== undefined && /\/pause:[^/]+$/.test(file.image),
    );
    if (staged) return staged.image!;
    const minor = Number(spec.kubernetesVersion.split(".")[1]);
    const tag = (tags.find(([from]) => minor >= from) ?? tags[tags.length - 1])[1];
    return `registry.k8s.io/pause:${tag}`;
}
