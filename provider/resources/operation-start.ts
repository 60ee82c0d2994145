import { settleLeftovers } from "./cloud-leftovers";
import type { OperationStartInputs, OperationStartState, StartNode } from "./operation-start-inputs";
import { deleteOrphan, lostServers, markLost } from "./stack-servers";
import { takeOut } from "./take-out";
import type { ResourceType } from "./types";
import { at, changed, failuresOf, same, text, unknownValue } from "./values";

/** Programs of this run that still have this resource: what is deleted then is only its former self. */
const inProgram = new Set<string>();

/** What happens before the infrastructure is touched: who leaves is drained and taken out while its server is still there. */
export const operationStart: ResourceType<OperationStartInputs, OperationStartState> = {
    check: (olds, news) => {
        if (news.resourceUrn !== undefined) inProgram.add(news.resourceUrn);
        return {
            inputs: planned(olds, news),
            failures: [
                ...failuresOf(news, { "spec.clusterName": text, "spec.backEnd": backEnd }),
                ...shapeProblems(nodesOf(olds), nodesOf(news)),
            ],
        };
    },
    // Never a replacement: the infrastructure behind it lives on, whatever changes.
    diff: (_id, olds, news) => ({
        changes:
            (olds.missing ?? []).length > 0 || changed(olds, news, ["spec", "ssh", "seed", "generations"]).length > 0,
    }),
    create: async inputs => ({ id: `${inputs.spec.clusterName}/operation-start`, outs: settled(inputs) }),
    update: async (_id, olds, news, context) => {
        if (news.spec.backEnd === "heat") {
            await markLost(olds, news, context);
            await takeOut(olds, news, context);
        }
        return { outs: settled(news) };
    },
    read: async (id, state, context) => {
        const missing = await lostServers(state, context);
        if (missing.length === 0 && (state.missing ?? []).length === 0) return { id, props: state };
        const found = { ...state, missing };
        // Also as inputs: check() of the next operation sees nothing else.
        return { id, props: found, inputs: found };
    },
    delete: async (_id, state, context) => {
        if (state.resourceUrn !== undefined && inProgram.has(state.resourceUrn)) return;
        if (state.spec.backEnd === "heat") await deleteOrphan(state.spec, context);
        // What Kubernetes makes is told apart by the cluster's name, which the cluster by another back end has, too.
        if (state.resourceUrn !== undefined && goesOn(state.resourceUrn)) return;
        await settleLeftovers({ ...state.spec, policy: state.spec.leftovers, last: true }, context);
    },
};

/** Whether this program has the cluster on servers of another back end: they differ in one part of the URN. */
function goesOn(urn: string): boolean {
    const cluster = (each: string) => each.replace(/:ClusterOn\w+\$/, ":ClusterOn$");
    return [...inProgram].some(other => cluster(other) === cluster(urn));
}

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
        return differs.map(key => ({ property: "", reason: shapeRefusal(name, key, before[key], shape[key]) }));
    });
}

const shapeRefusal = (node: string, key: string, from = "none", to = "none") =>
    `${node}: ${key} cannot be changed on an existing server yet: it has ${from}, ${to} is asked for, and the cloud would rebuild the ` +
    "server under the running node. Set it back, or make a pool with the new value, move the pods there, then remove the old pool.";

function settled(inputs: OperationStartInputs): OperationStartState {
    const { missing: _, ...rest } = inputs;
    return { ...rest, generations: inputs.generations ?? {} };
}
