import type { Role } from "../model";
import type { BackEnd } from "../openstack/needs";
import type { CloudSettings } from "../openstack/settings";
import type { SshTarget } from "../ssh";
import type { CommonInputs } from "./types";

/** What is known of a node before its server exists. */
export interface StartNode {
    role: Role;
    pool?: string;
    /**
     * What its server is made of and cannot be changed on it, in words of the user's inputs: { flavor: "m1.large", bootVolume: "none", … }.
     * A key that only one side has is not compared: it was not known, or an earlier release did not write it.
     */
    shape: Record<string, string>;
    /** Name or id of the image of a new server. Undefined: it is part of the shape, or not known. */
    image?: string;
    /** Heat: what of the stack is about this node. */
    stack?: NodeInStack;
}

export interface NodeInStack {
    /** Logical name of the server in the template. */
    server: string;
    /** Logical names of what is made anew when the server is lost. @default the server */
    healed?: string[];
    /** Output with the node's address in the cluster's network. */
    address: string;
    /** Output with the address for SSH. @default that of `address` */
    sshAddress?: string;
}

export interface OperationStartSpec {
    clusterId: string;
    clusterName: string;
    backEnd: BackEnd;
    cloud: CloudSettings;
    /** Heat. */
    stackName?: string;
    /** Heat: value of the stack's tag `pulumi-nfv.owner`; a stack of that name without it is not ours. */
    owner?: string;
    /** Nodes that shall be, by name, which is also the server's. */
    nodes: Record<string, StartNode>;
    /** Heat: the jump server that all connections go through; host from this output of the stack. */
    jump?: { name: string; output: string };
    drain: { timeoutSeconds: number; policy: string };
    /** What becomes of what Kubernetes made in the cloud: `delete` or `list`. */
    leftovers: string;
    /** Nodes and volumes must not leave. Heat deletes them in an update of the stack, which no protection in the state stops. @default false */
    protect?: boolean;
}

/** How all machines are reached, without what differs. */
export type CommonTarget = Omit<SshTarget, "host" | "hostKey">;

export interface OperationStartInputs extends CommonInputs {
    spec: OperationStartSpec;
    /** Secret. A given jump host is in it. */
    ssh: CommonTarget;
    /** Of ServerKeys; host keys follow from it. Undefined: the servers have host keys of their own. Secret. */
    seed?: string;
    /** Of CloudCheck: id of the project in which the cluster was made. */
    project?: string;
    /** Filled in by check(): nodes that leave. */
    leaving?: string[];
    /** Filled in by check(): node → how often its server was to be made. Grows when a refresh finds that a server is lost. */
    generations?: Record<string, number>;
    /** Filled in by check(): node → image that its server was made from, in the words of that time. */
    images?: Record<string, string>;
    /** Filled in by a refresh: node → id in Nova of its server, which is lost. */
    missing?: Record<string, string>;
}

export interface OperationStartState extends OperationStartInputs {
    generations: Record<string, number>;
}
