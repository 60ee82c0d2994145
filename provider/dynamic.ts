import * as pulumi from "@pulumi/pulumi";
import type { CertificateExpiry } from "./expiry";
import { isMemory } from "./irreplaceable";
import { dependenciesOf, promiseOf, withoutDependencies } from "./later";
import { ownState } from "./own-state";
import { packInputs, textOfKnown } from "./pack";
import { providerText } from "./provider-text";
import type { BundleImagesInputs } from "./resources/bundle-images";
import type { CloudCheckInputs } from "./resources/cloud-check";
import type { CloudLeftoversInputs } from "./resources/cloud-leftovers";
import type { CloudProviderInputs } from "./resources/cloud-provider";
import type { CloudStartInputs } from "./resources/cloud-start-inputs";
import type { ClusterIdInputs } from "./resources/cluster-id";
import type { ClusterKeysInputs, ClusterKeysState } from "./resources/cluster-keys";
import type { ClusterNetworkInputs } from "./resources/cluster-network";
import type { CnfNamespaceInputs } from "./resources/cnf-namespace";
import type { CnfObjectsInputs } from "./resources/cnf-objects";
import type { HostInputs } from "./resources/host";
import type { MastersInputs } from "./resources/masters";
import type { MembershipInputs } from "./resources/membership";
import type { NodeInputs } from "./resources/node";
import type { OperationEndInputs } from "./resources/operation-end";
import type { OperationStartInputs } from "./resources/operation-start-inputs";
import type { OwnerMarkInputs } from "./resources/owner-mark";
import type { ProjectGuardInputs } from "./resources/project-guard";
import type { ResourceTypeName } from "./resources/registry";
import { secretProperties } from "./resources/secrets";
import type { ServerKeysInputs } from "./resources/server-keys";
import { isMachine } from "./resources/stored-machine";
import type { VimInputs } from "./resources/vim-inputs";
import { filterDebug, filterLoadedSdks } from "./sdk-debug";
import type { VimConnectionInfo } from "./vim";

filterDebug(pulumi.log);
filterLoadedSdks();

/** The type token in the state. */
export function typeToken(type: ResourceTypeName): string {
    return `pulumi-nodejs:dynamic/nfv:${type}`;
}

/** Plain data in which each part may be an output. */
export type DeepInput<T> = pulumi.Input<T extends object ? { [K in keyof T]: DeepInput<T[K]> } : T>;

/** Inputs of a resource as a program writes them. NfvResource adds the resource's own URN. */
export type Args<T> = {
    [K in keyof Omit<T, "resourceUrn">]:
        | DeepInput<T[K]>
        | (K extends "steps" ? Promise<pulumi.Output<T[K]> | T[K]> : never);
};

/** One of our resources in a TypeScript program: like pulumi.dynamic.Resource, but with a provider text of our own. */
abstract class NfvResource extends pulumi.CustomResource {
    constructor(
        type: ResourceTypeName,
        name: string,
        args: object,
        outputs: readonly string[],
        options: pulumi.CustomResourceOptions = {},
    ) {
        const secrets = secretProperties[type];
        const urn = urnOf(name, type, options.parent);
        const sent = (secrets.packed ? packInputs : markSecrets)({ ...args, resourceUrn: urn }, secrets.inputs);
        const { inputs, dependsOn } = isMachine(type) ? namedOnce(sent) : { inputs: sent };
        const properties = {
            ...Object.fromEntries(outputs.map(output => [output, undefined])),
            ...inputs,
            ...(isMemory(type) && { known: isKnownToState(urn) }),
            __provider: providerText(type),
        };
        const { stackTraceLimit, prepareStackTrace } = Error;
        try {
            // The SDK takes four stack traces for each property, for its own debugging, and one for each resource,
            // which goes into the state. They show only this package's code; the component has the trace of the user's
            // program. So we switch them off.
            Error.stackTraceLimit = 0;
            Error.prepareStackTrace = () => "";
            super(
                typeToken(type),
                name,
                properties,
                pulumi.mergeOptions({ additionalSecretOutputs: secrets.outputs, dependsOn }, options),
            );
        } finally {
            Error.stackTraceLimit = stackTraceLimit;
            Error.prepareStackTrace = prepareStackTrace;
        }
    }
}

/** If what one of these inputs depends on is replaced, the engine asks `diff` whether this resource is, too. */
const identities = ["hostId", "serverId"];

/**
 * The engine stores the resources that each input depends on, and all of them once more. For the other inputs once is
 * enough: they keep the order of operations.
 */
function namedOnce(sent: Record<string, unknown>) {
    const others = Object.keys(sent).filter(name => !identities.includes(name));
    return {
        inputs: { ...sent, ...Object.fromEntries(others.map(name => [name, withoutDependencies(sent[name])])) },
        dependsOn: others.map(name => dependenciesOf(sent[name])) as unknown as pulumi.Resource[],
    };
}

/**
 * The URN as a bare promise. An output would depend on the parent. Whatever depends on a component waits for all of its
 * children, so children that wait for the parent would wait for each other forever.
 */
function urnOf(name: string, type: ResourceTypeName, parent: pulumi.Resource | undefined): Promise<string> {
    return promiseOf(pulumi.createUrn(name, typeToken(type), parent));
}

/** Input for the check in index.ts, which removes it: see irreplaceable.ts. */
async function isKnownToState(urn: Promise<string>): Promise<boolean> {
    const [state, itself] = await Promise.all([ownState(), urn]);
    return state[itself] !== undefined;
}

/** @see ClusterIdInputs */
export class ClusterId extends NfvResource {
    /** Known at preview once the cluster exists: it never changes. */
    declare readonly clusterId: pulumi.Output<string>;
    /** Secret. */
    declare readonly fingerprintKey: pulumi.Output<string>;

    constructor(name: string, args: Args<ClusterIdInputs>, options?: pulumi.CustomResourceOptions) {
        super("ClusterId", name, args, ["clusterId", "fingerprintKey"], options);
    }
}

/** @see ClusterKeysInputs */
export class ClusterKeys extends NfvResource {
    declare readonly certificates: pulumi.Output<ClusterKeysState["certificates"]>;
    /** Secret. */
    declare readonly keys: pulumi.Output<ClusterKeysState["keys"]>;

    constructor(name: string, args: Args<ClusterKeysInputs>, options?: pulumi.CustomResourceOptions) {
        super("ClusterKeys", name, args, ["certificates", "keys"], options);
    }
}

/** @see CloudCheckInputs */
export class CloudCheck extends NfvResource {
    declare readonly summary: pulumi.Output<string>;
    /** Ids of the objects that the user gave by name: see GivenNames. Known at preview. */
    declare readonly names: pulumi.Output<Record<string, string>>;
    /** Id of the project in which the cluster was created. Undefined if the cloud could not be queried. */
    declare readonly project: pulumi.Output<string | undefined>;
    /** The region in which the cluster was created. Undefined if the cloud could not be queried or names no region. */
    declare readonly region: pulumi.Output<string | undefined>;

    constructor(name: string, args: Args<CloudCheckInputs>, options?: pulumi.CustomResourceOptions) {
        super(
            "CloudCheck",
            name,
            { ...args, needs: textOfKnown(args.needs) },
            ["summary", "names", "project", "region"],
            options,
        );
    }
}

/** @see BundleImagesInputs */
export class BundleImages extends NfvResource {
    constructor(name: string, args: Args<BundleImagesInputs>, options?: pulumi.CustomResourceOptions) {
        super("BundleImages", name, args, [], options);
    }
}

/**
 * The replacement is the same machine, so the former resource must be deleted before the new one is created. `diff`
 * asks for that too, but with `pulumi up --replace` the engine does not call `diff`.
 */
const sameMachine: pulumi.CustomResourceOptions = { deleteBeforeReplace: true };

/** @see HostInputs */
export class Host extends NfvResource {
    constructor(name: string, args: Args<HostInputs>, options?: pulumi.CustomResourceOptions) {
        super("Host", name, args, [], { ...sameMachine, ...options });
    }
}

/** @see MastersInputs */
export class Masters extends NfvResource {
    constructor(name: string, args: Args<MastersInputs>, options?: pulumi.CustomResourceOptions) {
        super("Masters", name, args, [], options);
    }
}

/** @see MembershipInputs */
export class Membership extends NfvResource {
    /** Known at preview, also if it changes. */
    declare readonly generations: pulumi.Output<Record<string, number>>;
    declare readonly endpointNumber: pulumi.Output<number>;

    constructor(name: string, args: Args<MembershipInputs>, options?: pulumi.CustomResourceOptions) {
        super("Membership", name, args, ["generations", "endpointNumber"], options);
    }
}

/** @see NodeInputs */
export class Node extends NfvResource {
    constructor(name: string, args: Args<NodeInputs>, options?: pulumi.CustomResourceOptions) {
        super("Node", name, args, [], { ...sameMachine, ...options });
    }
}

/** @see ClusterNetworkInputs */
export class ClusterNetwork extends NfvResource {
    constructor(name: string, args: Args<ClusterNetworkInputs>, options?: pulumi.CustomResourceOptions) {
        super("ClusterNetwork", name, args, [], options);
    }
}

/** @see CloudProviderInputs */
export class CloudProvider extends NfvResource {
    constructor(name: string, args: Args<CloudProviderInputs>, options?: pulumi.CustomResourceOptions) {
        super("CloudProvider", name, args, [], options);
    }
}

/** @see OperationEndInputs */
export class OperationEnd extends NfvResource {
    /** Undefined if no node was queried. */
    declare readonly earliestExpiry: pulumi.Output<CertificateExpiry | undefined>;

    constructor(name: string, args: Args<OperationEndInputs>, options?: pulumi.CustomResourceOptions) {
        super("OperationEnd", name, args, ["earliestExpiry"], options);
    }
}

/** @see ServerKeysInputs */
export class ServerKeys extends NfvResource {
    /** Each host key is derived from it: hostKeyOf(seed, server name). Secret. */
    declare readonly seed: pulumi.Output<string>;
    /** OpenSSH form. Secret. */
    declare readonly privateKey: pulumi.Output<string>;
    /** "ssh-ed25519 AAAA…". */
    declare readonly publicKey: pulumi.Output<string>;

    constructor(name: string, args: Args<ServerKeysInputs>, options?: pulumi.CustomResourceOptions) {
        super("ServerKeys", name, args, ["seed", "privateKey", "publicKey"], options);
    }
}

/** @see OperationStartInputs, CloudStartInputs */
export class OperationStart extends NfvResource {
    /** The operations of the last run that changed something, in one line. Known at preview. */
    declare readonly operation: pulumi.Output<string | undefined>;
    /** With Heat: node → how many times its server was requested. Known at preview, also if it grows. */
    declare readonly generations: pulumi.Output<Record<string, number>>;
    /** With Heat: node → image of its server. Known at preview. */
    declare readonly images: pulumi.Output<Record<string, string>>;
    /** With Heat: node → flavor of its server. Known at preview. */
    declare readonly flavors: pulumi.Output<Record<string, string>>;
    /** What the checks have seen: see leftOutOfRun. Known at preview. */
    declare readonly keptInputs: pulumi.Output<string | undefined>;
    /** With Nova: node → hash of what is fixed of its server, as the checks have seen it. Known at preview. */
    declare readonly shapes: pulumi.Output<Record<string, string> | undefined>;
    /** With Heat: hash of the stack that was prepared for. Known at preview. */
    declare readonly stackHash: pulumi.Output<string | undefined>;
    /** With Heat: servers that the stack may delete, because their nodes have left. */
    declare readonly takenOut: pulumi.Output<Record<string, string> | undefined>;
    /** With Heat: what the stack may replace, because its server is lost. */
    declare readonly marked: pulumi.Output<Record<string, string> | undefined>;

    constructor(
        name: string,
        args: Args<OperationStartInputs> | Args<CloudStartInputs>,
        options?: pulumi.CustomResourceOptions,
    ) {
        super("OperationStart", name, args, startOutputs, options);
    }
}

const startOutputs = [
    "operation",
    "generations",
    "images",
    "flavors",
    "keptInputs",
    "shapes",
    "stackHash",
    "marked",
    "takenOut",
];

/** @see ProjectGuardInputs */
export class ProjectGuard extends NfvResource {
    constructor(name: string, args: Args<ProjectGuardInputs>, options?: pulumi.CustomResourceOptions) {
        super("ProjectGuard", name, args, [], options);
    }
}

/** @see CloudLeftoversInputs */
export class CloudLeftovers extends NfvResource {
    constructor(name: string, args: Args<CloudLeftoversInputs>, options?: pulumi.CustomResourceOptions) {
        super("CloudLeftovers", name, args, [], options);
    }
}

/** @see OwnerMarkInputs */
export class OwnerMark extends NfvResource {
    declare readonly mark: pulumi.Output<string>;

    constructor(name: string, args: Args<OwnerMarkInputs>, options?: pulumi.CustomResourceOptions) {
        super("OwnerMark", name, args, ["mark"], options);
    }
}

/** @see CnfObjectsInputs */
export class CnfObjects extends NfvResource {
    /** Keys of the objects that this resource took over. Known at preview. */
    declare readonly taken: pulumi.Output<string[] | undefined>;

    constructor(name: string, args: Args<CnfObjectsInputs>, options?: pulumi.CustomResourceOptions) {
        super("CnfObjects", name, args, ["taken"], options);
    }
}

/** @see CnfNamespaceInputs */
export class CnfNamespace extends NfvResource {
    constructor(name: string, args: Args<CnfNamespaceInputs>, options?: pulumi.CustomResourceOptions) {
        super("CnfNamespace", name, args, [], options);
    }
}

/** @see VimInputs */
export class VimRegistration extends NfvResource {
    /** Known at preview, also if another one is requested. */
    declare readonly clusterId: pulumi.Output<string>;
    /** Secret. */
    declare readonly bearerToken: pulumi.Output<string>;
    /** Secret. */
    declare readonly kubeconfig: pulumi.Output<string>;
    declare readonly serverVersion: pulumi.Output<string>;
    declare readonly tokenExpires: pulumi.Output<string>;
    /** Secret. */
    declare readonly vimConnectionInfo: pulumi.Output<VimConnectionInfo>;

    constructor(name: string, args: Args<VimInputs>, options?: pulumi.CustomResourceOptions) {
        const outputs = [
            "bearerToken",
            "kubeconfig",
            "serverVersion",
            "vimConnectionInfo",
            "tokenExpires",
            "clusterId",
        ];
        super("VimRegistration", name, args, outputs, options);
    }
}

/** Marks the values at these paths as secrets. Where a path leads into an output, the whole output becomes secret. */
export function markSecrets(inputs: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
    return paths.reduce((result, path) => mark(result, path.split(".")) as Record<string, unknown>, inputs);
}

function mark(value: unknown, [key, ...rest]: string[]): unknown {
    if (value === undefined || value === null) {
        return value;
    }
    if (key === undefined || pulumi.Output.isInstance(value) || value instanceof Promise) {
        return pulumi.secret(value);
    }
    const object = value as Record<string, unknown>;
    return object[key] === undefined ? object : { ...object, [key]: mark(object[key], rest) };
}
