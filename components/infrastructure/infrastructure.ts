import type * as pulumi from "@pulumi/pulumi";
import type { CloudProvider, DeepInput, OperationStart } from "../../provider/adapters/dynamic";
import type { CloudProviderSpec } from "../../provider/cloud-provider/cloud-provider";
import type { Role } from "../../provider/common/model";
import type { ServerSettings } from "../../provider/machine/machine";
import type { Replacement } from "../../provider/member/upgrade/server-replacement";
import type { GivenNames } from "../../provider/openstack/given-names";
import type { BeforeInput, ClusterHooks } from "../../provider/operation/hooks/hook-inputs";
import type { OperationStartSpec } from "../../provider/operation/operation-start-inputs";
import type { ReplaceWish } from "../../provider/operation/replacements";
import type { SshTarget } from "../../provider/ssh/types";
import type { KubernetesClusterArgs } from "../args/args";
import type { SshArgs } from "../args/ssh-args";
import type { CloudProviderRequest } from "./openstack/cloud-provider";

/** Where the machines of a cluster come from. Nothing outside of this folder knows which one it is. */
export interface Infrastructure {
    /** Names of the nodes, in order: known before anything exists. */
    readonly nodes: readonly NodeName[];
    /** Parent of the cluster's resources. Another parent makes other resources: all of them are replaced. */
    readonly parent: pulumi.Resource;
    /** The cluster's first resource waits for these checks. */
    readonly preflight: readonly pulumi.Resource[];
    /** The cloud's ids of what the inputs give by name, found by the checks. */
    readonly givenNames?: pulumi.Input<GivenNames>;
    /** Contents of the files that its inputs name, by input. */
    readonly fileContents: Record<string, unknown>;
    /** Of existing machines. Undefined: the cloud assigns them. */
    readonly addresses?: Addresses;
    /**
     * What the program wants of the cloud's own components in the cluster, with samples for what the cloud answers.
     * Undefined: there are none.
     */
    readonly cloudProvider?: DeepInput<Omit<CloudProviderSpec, "clusterId">>;
    /** Makes the machines, or takes the existing ones. */
    provision(request: ProvisionRequest): Provisioned;
}

/** Describes the machines of `args`, and registers the checks. `parent` is the cluster. */
export type InfrastructureFactory = (request: InfrastructureRequest) => Infrastructure;

export interface InfrastructureRequest {
    /** Name of the cluster resource. */
    name: string;
    args: KubernetesClusterArgs;
    parent: pulumi.Resource;
    /** What the checks refuse before they ask anybody. */
    problems?: pulumi.Input<string | undefined>;
}

export interface ProvisionRequest {
    clusterId: pulumi.Output<string>;
    /** For keyed hashes, which show that a value changed, and not the value. Secret. */
    fingerprintKey: pulumi.Output<string>;
    /** The inputs, besides the nodes, by which an operation is recognised. */
    compared: ComparedInputs;
    /** What the cluster's checks compare later programs with. */
    kept: pulumi.Output<string>;
    /** It is noted before anything acts. Undefined: no cluster. */
    record?: pulumi.Resource;
    /** Undefined: the cluster has no hooks. */
    hooks?:
        | { input: DeepInput<ClusterHooks>; before: pulumi.Output<BeforeInput>; endOf(node: string): pulumi.Resource }
        | undefined;
}

/** The inputs, besides the nodes, by which an operation is recognised. */
export type ComparedInputs = {
    [K in "kubernetesVersion" | "endpoint" | "settings"]-?: pulumi.Input<NonNullable<OperationStartSpec[K]>>;
} & { allowUnsupportedVersion?: boolean; ontoNew?: boolean; firstContent?: Promise<string | undefined> };

/** Infrastructure that exists, as far as the engine knows. */
export interface Provisioned {
    /** Runs before any machine is made or changed. */
    readonly start: OperationStart;
    readonly machines: readonly Machine[];
    readonly addresses: Addresses;
    /** Twice the same, with different placeholders for addresses that are not known at preview. */
    readonly placeholders?: readonly [Addresses, Addresses];
    /** With hooks: what is deleted after a node. Undefined: nodes leave first, and nothing comes later. */
    readonly endOf?: ((node: string) => pulumi.Resource) | undefined;
    /** The storage server, if the infrastructure makes it. */
    readonly storage?: MadeStorage;
    /** With servers that the program asks to replace: the Nodes must be given to it. */
    readonly turns?: Replacing;
    /** How machines are reached that say nothing else. */
    readonly ssh?: SshArgs | undefined;
    /** See KubernetesCluster. Undefined: the keys of the machines are not ours. */
    readonly knownHosts?: pulumi.Output<string>;
    /** Exchanges the login key of the machines, after all that keeps a login in the state. Undefined: the program does not ask for it. */
    rotateLogin?(after: readonly pulumi.Resource[], unchecked: object): void;
    /** Makes the cloud's own components in the cluster. Undefined: there is no cloud. */
    cloudProvider?(request: CloudProviderRequest): CloudProvider;
}

/** A machine, which is reached by SSH. */
export type Machine = NodeMachine | HelperMachine;

/** Name and group of a node. */
export interface NodeName {
    name: string;
    role: Role;
    /** Of workers only. */
    pool?: string;
}

export interface NodeMachine extends NodeName {
    purpose: "node";
    connection: DeepInput<SshTarget>;
    /** Its place in the program's inputs, if it has one. */
    programPath?: string;
    /** Undefined: no cloud can be asked about it. */
    server?: MachineServer;
}

/** `jump`: other machines are reached through it. `storage`: serves volumes to the nodes. */
export interface HelperMachine {
    name: string;
    purpose: "jump" | "storage";
    connection: DeepInput<SshTarget>;
}

/** A server that the infrastructure has made. */
export interface MachineServer {
    /** Undefined at preview, while it is not known whether the server stays. */
    id: pulumi.Output<string | undefined>;
    /** How the machine's resources ask the cloud about it. */
    settings: ServerSettings;
    /** Where the machine's Host needs no deletion of its own: with this, all servers go. */
    hostGoesWith?: pulumi.Resource;
    /** Made before the machine is prepared, and deleted after its node has left: a volume stays until its pods are gone. */
    usedByNode: readonly pulumi.Resource[];
    /** From what a new server is made, of a node that gets one on purpose in this run. */
    replacement?: pulumi.Output<Replacement | undefined>;
}

/** A storage server that the infrastructure has made. */
export interface MadeStorage extends Pick<MachineServer, "settings"> {
    address: pulumi.Input<string>;
    connection: DeepInput<SshTarget>;
    id: pulumi.Output<string>;
    /** By volume: "cinder:ID". */
    disks: Record<string, pulumi.Output<string>>;
    /** What brings the disks to the server, and clients and us to it: it must stay until the server is given back. */
    needs: readonly pulumi.Resource[];
    /** Keeps a network that was made here, while others are in it: everything in `after` stays until they have left. */
    guardNetwork(after: readonly pulumi.Resource[]): void;
    /** Makes the snapshots that the program asks for, after all that must not wait for them. Entry → id of its newest one. */
    takeSnapshots(after: readonly pulumi.Resource[]): pulumi.Output<Record<string, string>>;
}

/** Where nodes and API are reached. */
export interface Addresses {
    /** By node name. */
    nodes: Record<string, pulumi.Input<string>>;
    /** A virtual address that the infrastructure made; it replaces the one of the inputs. */
    vip?: { address: pulumi.Input<string>; prefixLength: pulumi.Input<number> };
    /** Address of the API from outside, if it differs from the address inside. */
    apiHost?: pulumi.Input<string>;
    /** Of the storage server that the infrastructure makes. */
    storage?: pulumi.Input<string>;
}

/** Nodes whose servers this run replaces, and their turns. */
export interface Replacing {
    /** By name. Known when the program starts: the state and the program decide. */
    pending: Promise<Pending>;
    /** For OperationStart. */
    asked: Promise<ReplaceWish>;
    /** What must be there before the server of this node goes. Nothing for a node that keeps its server. */
    before(node: string): Promise<pulumi.Resource[]>;
    /** Gives the Nodes, in the order in which they are made: an edge leads to a later one only if that joins in this run and waits for no such node, so there is no circle. */
    made(
        nodes: readonly (readonly [NodeName, pulumi.Resource])[],
        maxUnavailable: Record<string, number>,
        turnOf: (worker: NodeName) => number,
    ): void;
}

/** Name of each node that gets a new server in this run → what it has; undefined: a stopped run has taken the node out. */
export type Pending = ReadonlyMap<string, Former | undefined>;

/** What a node has before it gets a new server. */
export interface Former {
    /** Id of its server. */
    id: string;
    /** Its version of Kubernetes. */
    version?: string;
}

/** The machines that become nodes of the cluster. */
export function nodesOf(machines: readonly Machine[]): NodeMachine[] {
    return machines.filter(machine => machine.purpose === "node");
}
