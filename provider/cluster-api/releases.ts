import { NfvError } from "../common/errors";
import { readComponents } from "./components";
import { labelOf } from "./provider-names";
import type { ProviderName, ProviderSpec } from "./types";

/** Versions of Cluster API's rules between its core and the providers. */
export type Contract = "v1beta1" | "v1beta2";

/** The first patch release that knows a minor version of Kubernetes; 0: all do. */
type Since = Readonly<Record<string, number>>;

/** One minor release of Cluster API: core, kubeadm bootstrap and kubeadm control plane. */
export interface ClusterApiRelease {
    contract: Contract;
    /** Contracts of providers that it works with. */
    accepts: readonly Contract[];
    /** Minor versions of Kubernetes of the management cluster. */
    management: Since;
    /** Minor versions of Kubernetes of workload clusters, besides those above. */
    onlyWorkload: readonly string[];
}

/** From Cluster API's page "Version support". */
export const clusterApiReleases: Readonly<Record<string, ClusterApiRelease>> = {
    "1.11": {
        contract: "v1beta2",
        accepts: ["v1beta2", "v1beta1"],
        management: { "1.30": 0, "1.31": 0, "1.32": 0, "1.33": 0, "1.34": 1 },
        onlyWorkload: ["1.28", "1.29"],
    },
    "1.12": {
        contract: "v1beta2",
        accepts: ["v1beta2", "v1beta1"],
        management: { "1.31": 0, "1.32": 0, "1.33": 0, "1.34": 0, "1.35": 1, "1.36": 8 },
        onlyWorkload: ["1.29", "1.30"],
    },
    "1.13": {
        contract: "v1beta2",
        accepts: ["v1beta2", "v1beta1"],
        management: { "1.32": 0, "1.33": 0, "1.34": 0, "1.35": 0, "1.36": 1, "1.37": 6 },
        onlyWorkload: ["1.30", "1.31"],
    },
    "1.14": {
        contract: "v1beta2",
        accepts: ["v1beta2", "v1beta1"],
        management: { "1.33": 0, "1.34": 0, "1.35": 0, "1.36": 0, "1.37": 3 },
        onlyWorkload: ["1.31", "1.32"],
    },
};

/** Contracts of infrastructure providers that this package knows, by minor release. */
export const infrastructureReleases: Readonly<Record<string, Readonly<Record<string, Contract>>>> = {
    openstack: { "0.12": "v1beta1", "0.13": "v1beta1", "0.14": "v1beta1" },
};

/** A provider to be checked. With components, these say which contracts it has, whatever its name. */
export type CheckedProvider = ProviderName & Partial<Pick<ProviderSpec, "components" | "variables">>;

/**
 * Whether these providers work together on a management cluster of this Kubernetes version ("1.36.3"), for workload clusters of
 * those versions.
 * @throws INVALID_INPUT with all that does not fit
 */
export function checkReleases(
    providers: readonly CheckedProvider[],
    kubernetes: { management: string; workload?: readonly string[] },
): void {
    const core = providers.find(({ type }) => type === "core");
    if (core === undefined) return;
    if (!/^v?\d+\.\d+\.\d/.test(core.version))
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `Cluster API ${core.version} is no full version: write it like "v1.14.3"`,
        });
    const release = clusterApiReleases[minorOf(core.version)];
    if (release === undefined) {
        const known = Object.keys(clusterApiReleases).join(", ");
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `Cluster API ${core.version} is not known to this package; known are ${known}`,
        });
    }
    const problems = [
        managementProblem(core, release, kubernetes.management),
        ...(kubernetes.workload ?? []).map(version => workloadProblem(core, release, version)),
        ...providers.map(provider => providerProblem(provider, core, release)),
    ].filter(problem => problem !== undefined);
    if (problems.length > 0) throw new NfvError({ code: "INVALID_INPUT", cause: problems.join("; ") });
}

function managementProblem(core: ProviderName, release: ClusterApiRelease, version: string): string | undefined {
    const since = release.management[minorOf(version)];
    if (since === undefined) {
        const fitting = Object.keys(release.management).join(", ");
        return `Cluster API ${core.version} does not run on Kubernetes ${version}, but on ${fitting}`;
    }
    return patchOf(core.version) >= since
        ? undefined
        : `Kubernetes ${version} needs Cluster API v${minorOf(core.version)}.${since}, and this is ${core.version}`;
}

function workloadProblem(core: ProviderName, release: ClusterApiRelease, version: string): string | undefined {
    return release.onlyWorkload.includes(minorOf(version))
        ? undefined
        : managementProblem(core, release, version)?.replace("run on", "make clusters of");
}

/** The minor of Cluster API that takes no provider with this contract any more. */
const contractEnds: Partial<Record<string, string>> = { v1beta1: "1.16" };

/** What preview says of providers that offer nothing but a contract which ends. Pure. */
export function endingContracts(providers: readonly CheckedProvider[]): string[] {
    return providers.flatMap(provider => {
        const contracts = contractsOf(provider);
        const ends = contracts.map(contract => contractEnds[contract]);
        if (contracts.length === 0 || ends.includes(undefined)) return [];
        return `${labelOf(provider)} ${provider.version} offers contract ${contracts.join(", ")} alone, which Cluster API takes no longer from ${ends[0]} on: stay below it, or take a later release of the provider`;
    });
}

/** The kubeadm providers are parts of Cluster API's own release. */
function providerProblem(
    provider: CheckedProvider,
    core: ProviderName,
    release: ClusterApiRelease,
): string | undefined {
    if (provider.name === "kubeadm" && provider.version !== core.version) {
        return `${labelOf(provider)} ${provider.version} must have the version of the core, ${core.version}`;
    }
    const contracts = contractsOf(provider);
    const fits =
        contracts.length === 0 || contracts.some(contract => (release.accepts as readonly string[]).includes(contract));
    return fits
        ? undefined
        : `${labelOf(provider)} ${provider.version} has contract ${contracts.join(", ")}; Cluster API ${core.version} accepts ${release.accepts.join(", ")}`;
}

/**
 * The contracts of a provider: by the labels of its definitions ("cluster.x-k8s.io/v1beta2: v1beta1_v1beta2"), else by our table. Empty:
 * it has none, as providers of add-ons, or it is not known.
 */
export function contractsOf(provider: CheckedProvider): string[] {
    const { type, name, version, components, variables } = provider;
    if (components === undefined) {
        const known = type === "infrastructure" ? infrastructureReleases[name]?.[minorOf(version)] : undefined;
        return known === undefined ? [] : [known];
    }
    const labels = readComponents({ type, name, components, variables: variables ?? {} })
        .filter(({ kind }) => kind === "CustomResourceDefinition")
        .flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}));
    const contracts = labels.map(label => /^cluster\.x-k8s\.io\/(v\d+(?:alpha|beta)?\d*)$/.exec(label)?.[1]);
    return [...new Set(contracts.filter(contract => contract !== undefined))].sort();
}

function minorOf(version: string): string {
    return version.replace(/^v/, "").split(".").slice(0, 2).join(".");
}

function patchOf(version: string): number {
    return Number.parseInt(version.split(".")[2], 10);
}
