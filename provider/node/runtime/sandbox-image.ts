import type { HostSpec } from "../../common/model";

/** The sandbox ("pause") image: the user's, or the bundle's. Empty: the machine asks its kubeadm. */
export function sandboxImageOf(spec: HostSpec): string {
    if (spec.sandboxImage) return spec.sandboxImage;
    const staged = spec.source.bundle?.files?.find(
        file => file.image !== undefined && /\/pause:[^/]+$/.test(file.image),
    );
    return staged?.image ?? "";
}
