import * as pulumi from "@pulumi/pulumi";
import { isMachine } from "../machine/stored-machine";
import type { InputsOf, OutputsOf } from "./descriptor";
import { descriptorOf, descriptors, type ResourceTypeName } from "./descriptors";
import { isMemory } from "./irreplaceable";
import { dependenciesOf, promiseOf, withoutDependencies } from "./later";
import { ownState } from "./own-state";
import { packInputs } from "./pack";
import { providerText } from "./provider-text";
import { filterDebug, filterLoadedSdks } from "./sdk-debug";

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
    constructor(type: ResourceTypeName, name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
        const { outputs, secretInputs, secretOutputs, packed, sameMachine } = descriptorOf(type)!;
        const urn = urnOf(name, type, options.parent);
        const sent = (packed ? packInputs : markSecrets)({ ...args, resourceUrn: urn }, secretInputs);
        const { inputs, dependsOn } = isMachine(type) ? namedOnce(sent) : { inputs: sent };
        const properties = {
            ...Object.fromEntries(outputs.map(output => [output, undefined])),
            ...inputs,
            ...(isMemory(type) && { known: isKnownToState(urn) }),
            __provider: providerText(type),
        };
        const ours = {
            additionalSecretOutputs: [...secretOutputs],
            dependsOn,
            ...(sameMachine && { deleteBeforeReplace: true }),
        };
        const { stackTraceLimit, prepareStackTrace } = Error;
        try {
            // The SDK takes four stack traces for each property, for its own debugging, and one for each resource,
            // which goes into the state. They show only this package's code; the component has the trace of the user's
            // program. So we switch them off.
            Error.stackTraceLimit = 0;
            Error.prepareStackTrace = () => "";
            super(typeToken(type), name, properties, pulumi.mergeOptions(ours, options));
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
export function urnOf(name: string, type: ResourceTypeName, parent: pulumi.Resource | undefined): Promise<string> {
    return promiseOf(pulumi.createUrn(name, typeToken(type), parent));
}

/** Input for the check in index.ts, which removes it: see irreplaceable.ts. */
async function isKnownToState(urn: Promise<string>): Promise<boolean> {
    const [state, itself] = await Promise.all([ownState(), urn]);
    return state[itself] !== undefined;
}

type Described<Type extends ResourceTypeName> = (typeof descriptors)[Type];

/** Of each kind of inputs that the type has. */
type ArgsOf<Inputs> = Inputs extends object ? Args<Inputs> : never;

/** A resource of a type: its outputs are those of its descriptor. */
type Resource<Type extends ResourceTypeName> = pulumi.CustomResource & {
    readonly [Output in keyof OutputsOf<Described<Type>>]: pulumi.Output<OutputsOf<Described<Type>>[Output]>;
};

type ResourceClass<Type extends ResourceTypeName> = new (
    name: string,
    args: ArgsOf<InputsOf<Described<Type>>>,
    options?: pulumi.CustomResourceOptions,
) => Resource<Type>;

function classOf<Type extends ResourceTypeName>(type: Type): ResourceClass<Type> {
    const made = class extends NfvResource {
        constructor(name: string, args: object, options?: pulumi.CustomResourceOptions) {
            super(type, name, args, options);
        }
    };
    return made as unknown as ResourceClass<Type>;
}

const classes = Object.fromEntries(Object.keys(descriptors).map(type => [type, classOf(type as ResourceTypeName)])) as {
    [Type in ResourceTypeName]: ResourceClass<Type>;
};

export const { ClusterRecord, Host, Node, Masters, NodeEnd, OperationStart, OperationEnd } = classes;
export const { ClusterId, ClusterKeys, ClusterNetwork, BundleImages, OwnerMark, VimRegistration } = classes;
export const { CloudCheck, CloudLeftovers, CloudProvider, ProjectGuard, ServerKeys, VolumeSnapshots } = classes;
export const { StorageMachine, StorageClient, StorageBackups, StorageClassSet, SnapshotClassSet, PersistentVolumeSet } =
    classes;
export const { AuthorityRotation, EncryptionRotation, LoginRotation, ServiceAccountRotation } = classes;
export const { EtcdBackup, EtcdRestore, OsUpgrade, RuntimeRestart, CnfNamespace, CnfObjects, CnfReadiness } = classes;
export const { ClusterApiProviders, ClusterMove, CredentialReport, WorkloadClaim, WorkloadRollout } = classes;
export type AuthorityRotation = InstanceType<typeof AuthorityRotation>;
export type BundleImages = InstanceType<typeof BundleImages>;
export type CloudCheck = InstanceType<typeof CloudCheck>;
export type CloudProvider = InstanceType<typeof CloudProvider>;
export type ClusterId = InstanceType<typeof ClusterId>;
export type ClusterNetwork = InstanceType<typeof ClusterNetwork>;
export type ClusterRecord = InstanceType<typeof ClusterRecord>;
export type EncryptionRotation = InstanceType<typeof EncryptionRotation>;
export type EtcdBackup = InstanceType<typeof EtcdBackup>;
export type EtcdRestore = InstanceType<typeof EtcdRestore>;
export type Host = InstanceType<typeof Host>;
export type LoginRotation = InstanceType<typeof LoginRotation>;
export type Masters = InstanceType<typeof Masters>;
export type Node = InstanceType<typeof Node>;
export type NodeEnd = InstanceType<typeof NodeEnd>;
export type OperationEnd = InstanceType<typeof OperationEnd>;
export type OperationStart = InstanceType<typeof OperationStart>;
export type OsUpgrade = InstanceType<typeof OsUpgrade>;
export type RuntimeRestart = InstanceType<typeof RuntimeRestart>;
export type PersistentVolumeSet = InstanceType<typeof PersistentVolumeSet>;
export type ServerKeys = InstanceType<typeof ServerKeys>;
export type ServiceAccountRotation = InstanceType<typeof ServiceAccountRotation>;
export type SnapshotClassSet = InstanceType<typeof SnapshotClassSet>;
export type StorageBackups = InstanceType<typeof StorageBackups>;
export type StorageClassSet = InstanceType<typeof StorageClassSet>;
export type StorageClient = InstanceType<typeof StorageClient>;
export type StorageMachine = InstanceType<typeof StorageMachine>;
export type VimRegistration = InstanceType<typeof VimRegistration>;

/** Marks the values at these paths as secrets, `*` for each key. Where a path leads into an output, the whole output becomes secret. */
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
    if (key === "*") {
        return Object.fromEntries(Object.entries(object).map(([name, each]) => [name, mark(each, rest)]));
    }
    return object[key] === undefined ? object : { ...object, [key]: mark(object[key], rest) };
}
