import { NfvError } from "../common/errors";
import type { ProviderName, ProviderType } from "./types";

/**
 * The types in the order of installation and upgrade: the core first, because all others build on its kinds.
 * `inventory`: clusterctl's word for it; `prefix`: before the name in labels and in the inventory.
 */
export const providerTypes: Record<ProviderType, { inventory: string; prefix: string }> = {
    core: { inventory: "CoreProvider", prefix: "" },
    bootstrap: { inventory: "BootstrapProvider", prefix: "bootstrap-" },
    controlPlane: { inventory: "ControlPlaneProvider", prefix: "control-plane-" },
    infrastructure: { inventory: "InfrastructureProvider", prefix: "infrastructure-" },
    ipam: { inventory: "IPAMProvider", prefix: "ipam-" },
    runtimeExtension: { inventory: "RuntimeExtensionProvider", prefix: "runtime-extension-" },
    addon: { inventory: "AddonProvider", prefix: "addon-" },
};

/** The label of a provider's objects, and its name in the inventory. */
export const providerLabel = "cluster.x-k8s.io/provider";

/** "control-plane-kubeadm". */
export function labelOf({ type, name }: Pick<ProviderName, "type" | "name">): string {
    return `${providerTypes[type].prefix}${name}`;
}

/** The inverse: "control-plane-kubeadm" is kubeadm of type controlPlane. */
export function providerOf(label: string): Pick<ProviderName, "type" | "name"> {
    const prefixed = Object.entries(providerTypes).find(([, { prefix }]) => prefix !== "" && label.startsWith(prefix));
    if (prefixed === undefined) return { type: "core", name: label };
    return { type: prefixed[0] as ProviderType, name: label.slice(prefixed[1].prefix.length) };
}

/** Providers in the order of installation and upgrade. */
export function inOrder<P extends ProviderName>(providers: readonly P[]): P[] {
    const rank = Object.keys(providerTypes);
    return [...providers].sort((a, b) => rank.indexOf(a.type) - rank.indexOf(b.type));
}

/** @throws INVALID_INPUT for a list that is no management cluster */
export function checkProviders(providers: readonly ProviderName[]): void {
    const problem = providers.map(nameProblem).find(found => found !== undefined) ?? listProblem(providers);
    if (problem !== undefined) throw new NfvError({ code: "INVALID_INPUT", cause: `providers: ${problem}` });
}

function nameProblem({ type, name, version }: ProviderName): string | undefined {
    if (!Object.hasOwn(providerTypes, type)) {
        return `${name}: type ${JSON.stringify(type)} is none of ${Object.keys(providerTypes).join(", ")}`;
    }
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return `${JSON.stringify(name)} is no name of a provider`;
    if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
        return `${name}: version ${JSON.stringify(version)} is not written as "v1.13.6"`;
    }
    return undefined;
}

function listProblem(providers: readonly ProviderName[]): string | undefined {
    const labels = providers.map(labelOf);
    const twice = labels.find((label, i) => labels.indexOf(label) !== i);
    if (twice !== undefined) return `${twice} is there twice`;
    const cores = providers.filter(({ type }) => type === "core").length;
    return cores === 1 ? undefined : `${cores} are of type core, and there must be one`;
}
