import type { NodeSpec } from "../common/model";
import type { BackEnd } from "../openstack/requirements";
import type { CloudSettings } from "../openstack/settings";
import type { OperationNode, OperationStartInputs, OperationStartSpec } from "../operation/operation-start-inputs";
import type { SshTarget } from "../ssh";

/** What is known of a node before its server exists. */
export interface StartNode extends OperationNode {
    /**
     * Properties of its server that cannot be changed on it, in terms of the user's inputs: { flavor: "m1.large",
     * bootVolume: "none", … }. A key that only one side has is not compared: it was unknown, or a volume comes or goes.
     */
    shape: Record<string, string>;
    /** Name or id of the image for a new server. Undefined: it is part of the shape, or unknown. */
    image?: string;
    /** Heat: name or id of the flavor for a new server. */
    flavor?: string;
    /** Heat: this node's parts of the stack. */
    stack?: NodeInStack;
}

export interface NodeInStack {
    /** Logical name of the server in the template. */
    server: string;
    /** Logical names of what is recreated when the server is lost. @default the server */
    healed?: string[];
    /** Logical names of all that was made for this node only. @default the server */
    parts?: string[];
    /** Names of the parameters for the server's image and flavor. A template of the user may have others. */
    madeOf?: { images: string; flavors: string };
    /** Name of the output with the node's address in the cluster's network. */
    address: string;
    /** Name of the output with the address for SSH. @default that of `address` */
    sshAddress?: string;
}

/** The jump server. A lost one is recreated like a node's server. */
export interface JumpInStack {
    name: string;
    /** Name of the output with its floating address. */
    output: string;
    /** Logical name of the server in the template. */
    server?: string;
    /** Names or ids for a new one. */
    image?: string;
    flavor?: string;
}

/** Inputs for a cluster on a cloud. */
export interface CloudStartSpec extends OperationStartSpec {
    backEnd: BackEnd;
    cloud: CloudSettings;
    /** With Heat: name of the stack. */
    stackName?: string;
    /** With Heat: value of the stack's tag `pulumi-nfv.owner`. A stack of that name without it is not ours. */
    owner?: string;
    /** By name of the node, which is also the server's. */
    nodes: Record<string, StartNode>;
    /** With Heat: the jump server for all connections; this output of the stack has its host. */
    jump?: JumpInStack;
    drain: NodeSpec["drain"];
    /** With Heat: pool → its own, if it has one. */
    poolDrains?: Record<string, NodeSpec["drain"]>;
    /**
     * With Heat and a template of the user: logical names of its volumes, networks and other servers, with the
     * properties whose change would recreate each.
     */
    kept?: Record<string, string>;
    /**
     * With Heat and a template of the user: what the nodes' servers are made of, `<resource>/<property>` → keyed hash,
     * or `unknownSetting`.
     */
    parts?: Record<string, string>;
    /** What to do with what Kubernetes made in the cloud: `delete` or `list`. */
    leftovers: string;
    /**
     * Refuses to remove nodes and volumes. Heat deletes them in an update of the stack, which Pulumi's `protect` does
     * not prevent. @default false
     */
    protect?: boolean;
    /** The program has a storage server in the cloud. */
    storage?: true;
}

/** How all machines are reached: the common part. */
export type CommonTarget = Omit<SshTarget, "host" | "hostKey">;

export interface CloudStartInputs extends OperationStartInputs {
    spec: CloudStartSpec;
    /** Secret. Includes the user's jump host if there is one. */
    ssh: CommonTarget;
    /** From ServerKeys; host keys are derived from it: see hostKeyOf. Undefined: the servers have their own host keys. Secret. */
    seed?: string;
    /** From CloudCheck: id of the project in which the cluster was created. */
    project?: string;
    /** With Heat: hash of the stack that this resource prepares, also given out. */
    stackHash?: string;
    /** With Nova: node → hash of its `shape`, also given out: what the checks have seen. */
    shapes?: Record<string, string>;
    /** From CloudCheck: the region in which the cluster was created. */
    region?: string;
    /**
     * Set by check(), with Heat: node (or jump server) → how many times its server was requested. Grows when a refresh
     * finds the server lost.
     */
    generations?: Record<string, number>;
    /**
     * Set by check(), with Heat: server → id of the image that it was made from, as resolved when the name was first
     * used.
     */
    images?: Record<string, string>;
    /** Set by check(), with Heat: server → id of its flavor, likewise. */
    flavors?: Record<string, string>;
    /**
     * Set by a refresh, with Heat: grows if the last change of the stack failed. The refresh makes the engine forget that,
     * and without a change of the stack the engine would not ask Heat to finish it.
     */
    retries?: number;
    /** Set by a refresh, with Heat: node → Nova id of its lost server. */
    missing?: Record<string, string>;
    /** Given out, with Heat: resource of the stack → id of those whose nodes have left the cluster. */
    takenOut?: Record<string, string>;
    /** Given out, with Heat: resource of the stack → id of what the last update marked as lost. */
    marked?: Record<string, string>;
}

export type CloudStartState = CloudStartInputs;
