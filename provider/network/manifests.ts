import { NfvError } from "../common/errors";
import { flannelManifest } from "./flannel";
import { podnetManifest } from "./podnet";

export type Cni = "bridge" | "flannel" | "manifests" | "none";

export interface CniSpec {
    cni: Cni;
    podCidr: string;
    /** Path of kubectl on the nodes: see `kubectlPathOf`. */
    kubectlPath: string;
    /** For `manifests`: the user's YAML texts. */
    manifests?: string[];
    /** Another image for `bridge` or `flannel` (without tag for flannel). */
    image?: string;
}

const renderers: Record<Cni, (spec: CniSpec) => string> = {
    bridge: podnetManifest,
    flannel: flannelManifest,
    manifests: ({ manifests }) => (manifests ?? []).map(text => text.trimEnd() + "\n").join("---\n"),
    none: () => "",
};

/** The pod network as one YAML text; empty: nothing to apply. */
export function networkManifest(spec: CniSpec): string {
    const render = renderers[spec.cni];
    if (!render) {
        const known = Object.keys(renderers).join(", ");
        throw new NfvError({ code: "INVALID_INPUT", cause: `network.cni: "${spec.cni}" is none of ${known}` });
    }
    return render(spec);
}

/** Path of kubectl on the nodes: bundles are linked to /usr/local/bin, packages and images have it in /usr/bin. */
export function kubectlPathOf(source: { bundle?: unknown }): string {
    return source.bundle ? "/usr/local/bin/kubectl" : "/usr/bin/kubectl";
}
