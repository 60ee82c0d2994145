import { typeToken } from "../../provider/adapters/dynamic";
import { outputsOf, ownState, type StateOutputs } from "../../provider/adapters/own-state";
import { onceFor } from "../../provider/common/once-for";
import type { Heals } from "../../provider/operation/heals";
import type { ReplaceWish } from "../../provider/operation/replacements";
import type { NodeName, Pending, Replacing } from "./infrastructure";

/** Each by the function of its name. */
interface Found {
    pending: Promise<Pending>;
    joining: Promise<ReadonlySet<string>>;
    behind: Promise<string[]>;
    held: Promise<string[]>;
}

export function replacing(wish: ReplaceWish, { pending: open, joining, behind, held }: Found): Replacing {
    type Made = Parameters<Replacing["made"]>;
    let give: (made: Made) => void = () => {};
    // The servers are registered before the Nodes, and wait for Nodes.
    const all = new Promise<Made>(resolve => {
        give = resolve;
    });
    const pending = Promise.all([open, held]).then(
        ([names, waiting]) => new Map([...names].filter(([name]) => !waiting.includes(name))),
    );
    return {
        pending,
        asked: Promise.all([pending, behind, held]).then(([names, late, waiting]) => ({
            ...wish,
            nodes: wish.nodes.filter(name => !waiting.includes(name)),
            pending: [...names.keys()],
            ...(late.length > 0 && { behind: late }),
            ...(waiting.length > 0 && { held: waiting }),
        })),
        before: async node => {
            const names = await pending;
            if (!names.has(node)) return [];
            const [nodes, maxUnavailable, turnOf] = await all;
            const made = nodes.map(([name]) => name);
            const waits = turnAfter(node, { made, pending: names, joining: await joining, maxUnavailable, turnOf });
            return nodes.flatMap(([{ name }, resource]) => (waits.includes(name) ? [resource] : []));
        },
        made: (...made) => give(made),
    };
}

export interface Turns {
    /** In the order in which their Nodes are made. */
    made: readonly NodeName[];
    pending: { has(name: string): boolean };
    /** Nodes that join in this run. */
    joining: { has(name: string): boolean };
    /** By pool. */
    maxUnavailable: Record<string, number>;
    /** Of a worker: those of a higher number join, and leave, behind all of a lower one (`kubernetes.upgrade.order`). */
    turnOf(worker: NodeName): number;
}

/**
 * The nodes that must have joined before the server of this node goes: the control-plane nodes before it, then the workers of one pool after those of another, in a pool as many at
 * once as `maxUnavailable` allows. So a wrong image costs no more servers than that. New workers of its pool come first: a pool that grows in this run never has
 * fewer workers than before. Pure.
 */
export function turnAfter(node: string, { made, pending, joining, maxUnavailable, turnOf }: Turns): string[] {
    const at = made.findIndex(({ name }) => name === node);
    const earlier = made.slice(0, Math.max(0, at));
    const masters = earlier.filter(({ role }) => role === "controlPlane");
    const { pool: own } = made[at]!;
    // One of a later turn joins behind this node itself.
    const isNew = (each: NodeName) => joining.has(each.name) && !pending.has(each.name);
    const newOnes = made.filter(
        each => each.role === "worker" && each.pool === own && isNew(each) && turnOf(each) <= turnOf(made[at]!),
    );
    const workers = earlier.filter(each => each.role === "worker" && pending.has(each.name));
    const ofPools = [...new Set(workers.map(({ pool }) => pool))].flatMap(pool => {
        const atOnce = maxUnavailable[pool ?? ""] ?? 1;
        const members = workers.filter(each => each.pool === pool);
        const isOfTurn = (each: NodeName) => pool === own && turnOf(each) === turnOf(made[at]!);
        const [ofTurn, former] = [members.filter(isOfTurn), members.filter(each => !isOfTurn(each))];
        const before = ofTurn.slice(0, Math.max(0, ofTurn.length + 1 - atOnce));
        // Those before them are behind others of their pool.
        return [...former.slice(-atOnce), ...before.slice(-atOnce)];
    });
    // Each control-plane node is made after the former ones.
    return [...new Set([...masters.slice(-1), ...ofPools, ...newOnes])].map(({ name }) => name);
}

type Read = () => Promise<StateOutputs>;

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
    readState: Read = ownState,
): Promise<Pending> {
    const state = await readState();
    const start = startOf(state, clusterName);
    if (start === undefined) return new Map();
    const { clusterId, nodes: before = {} } = start.spec;
    const there = nodesIn(state);
    const isPending = ({ name, role }: NodeName) => {
        if (before[name]?.role !== role) return false;
        const last = start.heals?.replaced?.[name];
        if (last?.run !== wish.run) return true;
        return last.number > 0 && last.number > (doneOf(there.get(`${clusterId}/${name}`)) ?? 0);
    };
    const asked = nodes.filter(({ name }) => wish.nodes.includes(name));
    const formerOf = (name: string) => {
        const node = there.get(`${clusterId}/${name}`);
        if (node?.["serverId"] === undefined) return undefined;
        const { kubernetesVersion: version } = specOf(node);
        return { id: String(node["serverId"]), ...(typeof version === "string" && { version }) };
    };
    return new Map(asked.filter(isPending).map(({ name }) => [name, formerOf(name)]));
}

/**
 * Workers that keep their servers in this run, because `kubernetes.upgrade.pauseAfter` holds them at the version that they have. One whose replacement a former
 * run has begun goes on.
 */
export async function heldReplacements(
    { clusterName, wish, nodes, holds, version }: Asked & { holds(node: string): boolean; version: string },
    readState: Read = ownState,
): Promise<string[]> {
    const state = await readState();
    const start = startOf(state, clusterName);
    if (start === undefined) return [];
    const there = nodesIn(state);
    const isHeld = (node: NodeName) => {
        const found = there.get(`${start.spec.clusterId}/${node.name}`);
        if (found === undefined || specOf(found)["kubernetesVersion"] === version) return false;
        return holds(node.name) && (start.heals?.nodes[node.name] ?? 0) <= (doneOf(found) ?? 0);
    };
    return nodes.filter(node => wish.nodes.includes(node.name) && isHeld(node)).map(({ name }) => name);
}

/** Nodes that join a cluster that exists, also those whose join a former run has not ended. Not one that was healed where `asksToHeal`: it may wait for others of its pool. */
export async function joiningNodes(
    { clusterName, nodes, asksToHeal }: Omit<Asked, "wish"> & { asksToHeal(name: string): boolean },
    readState: Read = ownState,
): Promise<Set<string>> {
    const state = await readState();
    const start = startOf(state, clusterName);
    if (start === undefined) return new Set();
    const known = nodesIn(state);
    const isThere = ({ name }: NodeName) => {
        const node = known.get(`${start.spec.clusterId}/${name}`);
        return node !== undefined && node["pending"] === undefined;
    };
    const waits = ({ name }: NodeName) => start.heals?.nodes[name] !== undefined && asksToHeal(name);
    return new Set(nodes.filter(each => !isThere(each) && !waits(each)).map(({ name }) => name));
}

/** Nodes at another version than the program asked for last: a run was stopped, or held workers back. `holds`: whether this one still does. */
export async function nodesBehind(
    { clusterName, holds }: Pick<Asked, "clusterName"> & { holds(name: string): boolean },
    readState: Read = ownState,
): Promise<string[]> {
    const state = await readState();
    const { clusterId, kubernetesVersion: wanted } = startOf(state, clusterName)?.spec ?? {};
    if (wanted === undefined) return [];
    const nodes = outputsOf(state, typeToken("Node")).map(specOf);
    const isBehind = (spec: Record<string, unknown>) =>
        spec["clusterId"] === clusterId &&
        ![undefined, wanted].includes(spec["kubernetesVersion"] as string) &&
        !holds(String(spec["name"]));
    return nodes.filter(isBehind).map(spec => String(spec["name"]));
}

interface Start {
    spec: { clusterId?: string; kubernetesVersion?: string; nodes?: Record<string, { role?: string }> };
    heals?: Heals;
}

/** Undefined: the state has no such cluster. */
function startOf(state: StateOutputs, clusterName: string): Start | undefined {
    const found = outputsOf(state, typeToken("OperationStart")).find(
        each => specOf(each)["clusterName"] === clusterName,
    );
    return found && { ...found, spec: specOf(found) };
}

/** Number of the last heal that a Node's state has as done; undefined if the state has no such Node. */
export function doneIn(state: StateOutputs, wholeName: string): number | undefined {
    return doneOf(nodesIn(state).get(wholeName));
}

function doneOf(node: Record<string, unknown> | undefined): number | undefined {
    return node && ((node["heal"] as number | undefined) ?? 0);
}

/** "CLUSTERID/NAME" → outputs of the Node. Each node of a large cluster asks, and each spec is to be parsed. */
const nodesIn = onceFor(
    (state: StateOutputs): ReadonlyMap<string, Record<string, unknown>> =>
        new Map(
            outputsOf(state, typeToken("Node")).map(outputs => {
                const { clusterId, name } = specOf(outputs);
                return [`${clusterId}/${name}`, outputs] as const;
            }),
        ),
);

/** A spec is stored as JSON; see provider/machine/stored-machine.ts. */
function specOf({ spec }: Record<string, unknown>): Record<string, unknown> {
    return typeof spec === "string" ? JSON.parse(spec) : ((spec ?? {}) as Record<string, unknown>);
}
