import type { HostSpec } from "../model";

/** Tag of the sandbox image by minor version of kubeadm; the newest row also applies to later versions. */
const tags: [minor: number, tag: string][] = [
    [34, "3.10.1"],
    [31, "3.10"],
    [29, "3.9"],
];

/** The sandbox ("pause") image: the user's, or the bundle's, or the one that this version of kubeadm wants. */
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
