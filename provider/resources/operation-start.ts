import type { Role } from "../model";
import type { CloudSettings } from "../openstack/settings";
import type { SshTarget } from "../ssh";
import type { CommonInputs, ResourceType } from "./types";
import { at, changed, failuresOf, same, text, topLevel, unknownValue } from "./values";

/** What is known of a node before its server exists. */
export interface StartNode {
    role: Role;
    pool?: string;
    /** What its server is made of, in words of the user's inputs: { image: "debian-12", flavor: "m1.large", … }. */
    shape: Record<string, string>;
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
    backEnd: "heat" | "nova";
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
}

/** How all machines are reached, without what differs. */
export type CommonTarget = Omit<SshTarget, "host" | "hostKey">;

export interface OperationStartInputs extends CommonInputs {
    spec: OperationStartSpec;
    /** Secret. A given jump host is in it. */
    ssh: CommonTarget;
    /** Of ServerKeys; host keys follow from it. Undefined: the servers have host keys of their own. Secret. */
    seed?: string;
    /** Filled in by check(): nodes that leave. */
    leaving?: string[];
    /** Filled in by check(): node → how often its server was to be made. Grows when a refresh finds that a server is lost. */
    generations?: Record<string, number>;
    /** Filled in by a refresh: nodes whose servers are lost. */
    missing?: string[];
}

export interface OperationStartState extends OperationStartInputs {
    generations: Record<string, number>;
}

/** A cluster with another of these is another cluster. */
const identity = ["spec.clusterId", "spec.clusterName"];

/** What happens before the infrastructure is touched: who leaves is drained and taken out while its server is still there. */
export const operationStart: ResourceType<OperationStartInputs, OperationStartState> = {
    check: (olds, news) => ({
        inputs: planned(olds, news),
        failures: [
            ...failuresOf(news, { "spec.clusterName": text, "spec.backEnd": backEnd }),
            ...shapeProblems(nodesOf(olds), nodesOf(news)),
        ],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, identity);
        const update =
            (olds.missing ?? []).length > 0 ||
            !same(withoutSettings(olds), withoutSettings(news)) ||
            changed(olds, news, ["ssh", "seed", "generations"]).length > 0;
        return { changes: replaces.length > 0 || update, replaces: topLevel(replaces) };
    },
    create: async inputs => ({ id: `${inputs.spec.clusterName}/operation-start`, outs: settled(inputs) }),
    update: async (_id, _olds, news) => ({ outs: settled(news) }),
    read: async (id, state) => ({ id, props: state }),
    delete: async () => {},
};

const backEnd = (value: unknown) => (value === "heat" || value === "nova" ? undefined : "must be heat or nova");

function nodesOf(inputs: Partial<OperationStartInputs>): Record<string, StartNode> {
    const nodes = at(inputs, "spec.nodes");
    return nodes === undefined || nodes === unknownValue ? {} : (nodes as Record<string, StartNode>);
}

/** The inputs with what preview shall say, and what those behind this resource must know before it acts. */
function planned(olds: Partial<OperationStartInputs>, news: OperationStartInputs): OperationStartInputs {
    const nodes = nodesOf(news);
    const lost = new Set(olds.missing ?? []);
    const generation = (name: string) => (olds.generations?.[name] ?? 1) + (lost.has(name) ? 1 : 0);
    return {
        ...news,
        leaving: Object.keys(nodesOf(olds)).filter(name => !Object.hasOwn(nodes, name)),
        generations: Object.fromEntries(Object.keys(nodes).map(name => [name, generation(name)])),
    };
}

/** Servers are made once: what they are made of can only be said before. */
function shapeProblems(olds: Record<string, StartNode>, news: Record<string, StartNode>) {
    return Object.entries(news).flatMap(([name, { shape }]) => {
        const before = olds[name]?.shape;
        if (before === undefined) return [];
        const differs = [...new Set([...Object.keys(before), ...Object.keys(shape)])].filter(
            key => shape[key] !== unknownValue && !same(before[key], shape[key]),
        );
        return differs.map(key => ({ property: "spec", reason: shapeRefusal(name, key, before[key], shape[key]) }));
    });
}

const shapeRefusal = (node: string, key: string, from = "none", to = "none") =>
    `${node}: ${key} cannot be changed on an existing server yet: it has ${from}, ${to} is asked for, and the cloud would rebuild the ` +
    "server under the running node. Set it back, or make a pool with the new value, move the pods there, then remove the old pool.";

/** Parts of the spec that ask for something; the others only say how. */
function withoutSettings({ spec }: OperationStartInputs) {
    const { drain: _, leftovers: __, cloud: ___, ...rest } = spec;
    return rest;
}

function settled(inputs: OperationStartInputs): OperationStartState {
    const { missing: _, ...rest } = inputs;
    return { ...rest, generations: inputs.generations ?? {} };
}
