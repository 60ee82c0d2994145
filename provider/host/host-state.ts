import type { HostSpec } from "../common/model";
import type { DriftInput, DriftState } from "../machine/drift";
import type { MachineState } from "../machine/machine";
import type { MachineInputs } from "../member/machine-inputs";
import { runtimeFiles } from "../node/runtime/bundle-runtime";
import { sandboxImageOf } from "../node/runtime/sandbox-image";
import type { KeptLogin } from "./kept-logins";

export interface HostInputs extends MachineInputs, DriftInput {
    spec: HostSpec;
}

/** What is stored of a Host: all that its deletion, a refresh and the next diff need. */
export interface HostState
    extends Omit<HostInputs, "spec" | "steps" | "fingerprintKey" | "pool">,
        MachineState,
        DriftState {
    spec: KeptSpec;
    /** Of a control-plane node: the logins of the others, through which a run without Masters takes it out of the cluster. */
    controlPlane?: readonly KeptLogin[];
    /** See loginOf. */
    login?: string;
}

/** What is stored of the spec of a Host. */
export type KeptSpec = Pick<
    HostSpec,
    "clusterId" | "name" | "role" | "address" | "caCertHash" | "kubernetesVersion" | "endpoint" | "source"
> &
    /** The one in use; empty: the one that kubeadm names. */
    Pick<HostSpec, "sandboxImage"> &
    /** Of a control-plane node. */
    Partial<Pick<HostSpec, "masters">>;

export function keptSpec(spec: HostSpec): KeptSpec {
    const { clusterId, name, role, address, caCertHash, kubernetesVersion, endpoint, masters } = spec;
    const kind = (["bundle", "apt", "dnf"] as const).find(each => spec.source[each] !== undefined) ?? "image";
    // A reset takes the bundle's container runtime away.
    const files = runtimeFiles(spec);
    return {
        ...{ clusterId, name, role, address, caCertHash, kubernetesVersion, endpoint },
        ...(role === "controlPlane" && { masters }),
        source: files.length > 0 ? { bundle: { path: "", files } } : sourceOfKind[kind],
        sandboxImage: sandboxImageOf(spec),
    };
}

const sourceOfKind = { image: { image: {} }, bundle: { bundle: { path: "" } }, apt: { apt: {} }, dnf: { dnf: {} } };

/**
 * A spec of the same steps as the one that was kept, but for those that bring files of a bundle. The files that the
 * steps replace as a whole have the same content, so that a reset recognises them.
 */
export function specOf(kept: KeptSpec): HostSpec {
    return {
        clusterName: "",
        network: { podCidr: "", serviceCidr: "", dnsDomain: "" },
        masters: [],
        registries: [],
        trustedCertificates: [],
        sysctls: {},
        ...kept,
    };
}
