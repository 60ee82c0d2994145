import { typeToken } from "../../provider/dynamic";
import { ownState, type StateOutputs } from "../../provider/own-state";
import type { Heals } from "../../provider/resources/heals";
import type { ReplaceWish } from "../../provider/resources/replacements";
import type { NodeName, Pending, Replacing } from "./infrastructure";

/** `pending`: see pendingReplacements; `behind`: see mastersBehind. */
export function replacing(wish: ReplaceWish, pending: Promise<Pending>, behind: Promise<string[]>): Replacing {
    type Made = Parameters<Replacing["made"]>;
    let give: (made: Made) => void = () => {};
    // The servers are registered before the Nodes, and wait for Nodes.
    const all = new Promise<Made>(resolve => {
        give = resolve;
    });
    return {
        pending,
        asked: Promise.all([pending, behind]).then(([names, late]) => ({
            ...wish,
            pending: [...names.keys()],
            ...(late.length > 0 && { behind: late }),
        })),
        before: async node => {
            const names = await pending;
            if (!names.has(node)) return [];
            const [nodes, maxUnavailable] = await all;
            const made = nodes.map(([name]) => name);
            const waits = turnAfter(node, { made, pending: names, maxUnavailable });
            return nodes.flatMap(([{ name }, resource]) => (waits.includes(name) ? [resource] : []));
        },
        made: (...made) => give(made),
    };
}

export interface Turns {
    /** In the order in which their Nodes are made. */
    made: readonly NodeName[];
    pending: { has(name: string): boolean };
    /** By pool. */
    maxUnavailable: Record<string, number>;
}

/**
 * The nodes that must have joined before the server of this node goes: the control-plane nodes before it, then the workers of one pool after those of another, in a pool as many at
 * once as `maxUnavailable` allows. So a wrong image costs no more servers than that. Pure.
 */
export function turnAfter(node: string, { made, pending, maxUnavailable }: Turns): string[] {
    const at = made.findIndex(({ name }) => name === node);
    const earlier = made.slice(0, Math.max(0, at));
    const masters = earlier.filter(({ role }) => role === "controlPlane");
    const { pool: own } = made[at]!;
    const workers = earlier.filter(each => each.role === "worker" && pending.has(each.name));
    const ofPools = [...new Set(workers.map(({ pool }) => pool))].flatMap(pool => {
        const atOnce = maxUnavailable[pool ?? ""] ?? 1;
        const members = workers.filter(each => each.pool === pool);
        const before = pool === own ? members.slice(0, Math.max(0, members.length + 1 - atOnce)) : members;
        // Those before them are behind others of their pool.
        return before.slice(-atOnce);
    });
    // Each control-plane node is made after the former ones.
    return [...masters.slice(-1), ...ofPools].map(({ name }) => name);
}

export interface Asked {
    clusterName: string;
    wish: ReplaceWish;
    nodes: readonly NodeName[];
}

/**
 * The nodes that get a new server in this run: those that had none under this word, and those whose replacement a stopped run has left. The state says
 * it: OperationStart has what was asked for, each Node what was done.
 */
export async function pendingReplacements(
    { clusterName, wish, nodes }: Asked,
    readState: () => Promise<StateOutputs> = ownState,
): Promise<Pending> {
    const state = await readState();
    const start = outputsOf(state, "OperationStart").find(each => specOf(each)["clusterName"] === clusterName);
    if (start === undefined) return new Map();
    const { clusterId, nodes: before = {} } = specOf(start) as {
        clusterId?: string;
        nodes?: Record<string, { role?: string }>;
    };
    const heals = start["heals"] as Heals | undefined;
    const isPending = ({ name, role }: NodeName) => {
        if (before[name]?.role !== role) return false;
        const last = heals?.replaced?.[name];
        if (last?.run !== wish.run) return true;
        return last.number > 0 && last.number > (doneIn(state, `${clusterId}/${name}`) ?? 0);
    };
    const asked = nodes.filter(({ name }) => wish.nodes.includes(name));
    const serverOf = (name: string) => nodeIn(state, `${clusterId}/${name}`)?.["serverId"] as string | undefined;
    return new Map(asked.filter(isPending).map(({ name }) => [name, serverOf(name)]));
}

/** Control-plane nodes that a stopped upgrade has left at another version than the program asked for last. */
export async function mastersBehind(
    { clusterName }: Pick<Asked, "clusterName">,
    readState: () => Promise<StateOutputs> = ownState,
): Promise<string[]> {
    const state = await readState();
    const start = outputsOf(state, "OperationStart").find(each => specOf(each)["clusterName"] === clusterName);
    if (start === undefined) return [];
    const { clusterId, kubernetesVersion: wanted } = specOf(start) as Record<string, string | undefined>;
    if (wanted === undefined) return [];
    const nodes = outputsOf(state, "Node").map(specOf);
    const isBehind = (spec: Record<string, unknown>) =>
        spec["clusterId"] === clusterId &&
        spec["role"] === "controlPlane" &&
        ![undefined, wanted].includes(spec["kubernetesVersion"] as string);
    return nodes.filter(isBehind).map(spec => String(spec["name"]));
}

/** Number of the last heal that a Node's state has as done; undefined if the state has no such Node. */
export function doneIn(state: StateOutputs, wholeName: string): number | undefined {
    const found = nodeIn(state, wholeName);
    return found && ((found["heal"] as number | undefined) ?? 0);
}

function nodeIn(state: StateOutputs, wholeName: string): Record<string, unknown> | undefined {
    return outputsOf(state, "Node").find(outputs => {
        const { clusterId, name } = specOf(outputs);
        return `${clusterId}/${name}` === wholeName;
    });
}

function outputsOf(state: StateOutputs, type: "OperationStart" | "Node"): Record<string, unknown>[] {
    return Object.entries(state).flatMap(([urn, resource]) =>
        urn.split("::")[2]?.endsWith(typeToken(type)) && resource?.outputs ? [resource.outputs] : [],
    );
}

/** A spec is stored as JSON; see provider/resources/stored-machine.ts. */
function specOf({ spec }: Record<string, unknown>): Record<string, unknown> {
    return typeof spec === "string" ? JSON.parse(spec) : ((spec ?? {}) as Record<string, unknown>);
}
