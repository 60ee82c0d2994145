import * as pulumi from "@pulumi/pulumi";
import { type Args, ClusterApiProviders, OwnerMark } from "../../provider/adapters/dynamic";
import type { ClusterApiProvidersInputs } from "../../provider/cluster-api/cluster-api-providers";
import type { ManagementClusterArgs } from "../args/management-cluster-args";
import { anyKind, noteDefinedKinds } from "../cnf/defined-kinds";
import { componentsIn, kindsDefinedIn } from "../cnf/kinds-defined-in";
import { readingInputs } from "../common/invalid-input";
import { problemsWhenKnown, validate } from "../validation/validate";
import { type Vim, vimAccess, vimProblems } from "../vim/vim";
import { type Definitions, definitionsIn } from "./definitions";
import { providersOf, variablesOf } from "./providers";

/** Where Cluster API runs. Not a field, because a component's fields become its outputs. */
const vims = new WeakMap<ManagementCluster, Vim>();
/** What its providers define: kinds as "Cluster.cluster.x-k8s.io". */
const brought = new WeakMap<ManagementCluster, { kinds: string[]; definitions: Definitions }>();

/** Cluster API on a cluster, which can then make and keep further clusters. It is not destroyed while one of them exists. */
export class ManagementCluster extends pulumi.ComponentResource {
    /** Versions by provider, as clusterctl names it: `{ "cluster-api": "v1.13.6" }`. */
    readonly versions: pulumi.Output<Record<string, string>>;
    /** When the next certificate of a webhook is due, ISO 8601: an `up` after it makes a new one. */
    readonly renewalDue: pulumi.Output<string>;

    constructor(name: string, args: ManagementClusterArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:ManagementCluster", name, {}, options);
        validate("ManagementCluster", name, args, vimProblems(args?.vim));
        const { vim, imageRepository, timeoutSeconds = 600 } = args;
        vims.set(this, vim);
        const providers = readingInputs("ManagementCluster", name, () => providersOf(args));
        const variables = variablesOf(args);
        const parts = providers.map(({ componentsFile }) => componentsIn(componentsFile));
        const defined = parts.flatMap(kindsDefinedIn);
        brought.set(this, { kinds: defined, definitions: definitionsIn(parts.flatMap(objects => objects ?? [])) });
        noteDefinedKinds(defined);
        const owner = new OwnerMark(name, { name }, { parent: this, dependsOn: [vim] }).mark;
        const inputs = {
            name,
            owner,
            clusterId: vim.clusterIdentifier,
            serverVersion: vim.serverVersion,
            access: vimAccess(vim),
            providers,
            ...(Object.keys(variables).length > 0 && { variables }),
            ...(imageRepository !== undefined && { imageRepository }),
            timeoutSeconds,
            problems: problemsWhenKnown("ManagementCluster", name, args),
        };
        const made = new ClusterApiProviders(name, inputs as unknown as Args<ClusterApiProvidersInputs>, {
            parent: this,
            dependsOn: [vim],
        });
        this.versions = made.versions;
        this.renewalDue = made.renewalDue;
        this.registerOutputs({ versions: this.versions, renewalDue: this.renewalDue });
    }
}

/** What is wrong with a value that should be a ManagementCluster. */
export function managementProblems(given: unknown, input: string): string[] {
    if (given === undefined || vims.has(given as ManagementCluster)) return [];
    return [
        `${input}: is no ManagementCluster: make one (new nfv.ManagementCluster), or give a Vim as ${input}Vim where Cluster API is installed already`,
    ];
}

/** Whether its providers may define the kind "Foo.example.com". */
export function mayDefine(management: ManagementCluster, kind: string): boolean {
    const { kinds } = brought.get(management)!;
    return kinds.includes(anyKind) || kinds.includes(kind);
}

/** The schemas of its providers' kinds, as far as their components can be read. */
export const definitionsOf = (management: ManagementCluster): Definitions => brought.get(management)!.definitions;

/** The cluster on which it is. */
export const vimOf = (management: ManagementCluster): Vim => vims.get(management)!;
