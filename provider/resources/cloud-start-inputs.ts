import type { BackEnd } from "../openstack/needs";
import type { CloudSettings } from "../openstack/settings";
import type { SshTarget } from "../ssh";
import type { OperationNode, OperationStartInputs, OperationStartSpec } from "./operation-start-inputs";

/** What is known of a node before its server exists. */
export interface StartNode extends OperationNode {
    /**
     * What its server is made of and cannot be changed on it, in words of the user's inputs: { flavor: "m1.large", bootVolume: "none", … }.
     * A key that only one side has is not compared: it was not known, or an earlier release did not write it.
     */
    shape: Record<string, string>;
    /** Name or id of the image of a new server. Undefined: it is part of the shape, or not known. */
    image?: string;
    /** Heat: name or id of the flavor of a new server. */
    flavor?: string;
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

/** The jump server. It is healed as nodes' servers are. */
export interface JumpInStack {
    name: string;
    /** Output with its floating address. */
    output: string;
    /** Logical name of the server in the template. */
    server?: string;
    /** Names or ids: of a new one. */
    image?: string;
    flavor?: string;
}

/** Of a cluster on a cloud. */
export interface CloudStartSpec extends OperationStartSpec {
    backEnd: BackEnd;
    cloud: CloudSettings;
    /** Heat. */
    stackName?: string;
    /** Heat: value of the stack's tag `pulumi-nfv.owner`; a stack of that name without it is not ours. */
    owner?: string;
    /** By name, which is also the server's. */
    nodes: Record<string, StartNode>;
    /** Heat: the jump server that all connections go through; host from this output of the stack. */
    jump?: JumpInStack;
    drain: { timeoutSeconds: number; policy: string };
    /**
     * Heat, a template of the user's: logical names of its volumes, networks and further servers, with all that each would be made
     * again for.
     */
    kept?: Record<string, string>;
    /** What becomes of what Kubernetes made in the cloud: `delete` or `list`. */
    leftovers: string;
    /** Nodes and volumes must not leave. Heat deletes them in an update of the stack, which no protection in the state stops. @default false */
    protect?: boolean;
}

/** How all machines are reached, without what differs. */
export type CommonTarget = Omit<SshTarget, "host" | "hostKey">;

export interface CloudStartInputs extends OperationStartInputs {
    spec: CloudStartSpec;
    /** Secret. A given jump host is in it. */
    ssh: CommonTarget;
    /** Of ServerKeys; host keys follow from it. Undefined: the servers have host keys of their own. Secret. */
    seed?: string;
    /** Of CloudCheck: id of the project in which the cluster was made. */
    project?: string;
    /** Of CloudCheck: the region in which the cluster was made. */
    region?: string;
    /** Filled in by check(), with Heat: node → how often its server was to be made, the jump server's too. Grows when a refresh finds that a server is lost. */
    generations?: Record<string, number>;
    /** Filled in by check(), with Heat: server → image that it was made from: the id that the name had when it was first used. */
    images?: Record<string, string>;
    /** Filled in by check(), with Heat: the same of its flavor. */
    flavors?: Record<string, string>;
    /** Filled in by a refresh, with Heat: node → id in Nova of its server, which is lost. */
    missing?: Record<string, string>;
}

export type CloudStartState = CloudStartInputs;
