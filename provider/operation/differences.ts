import { listed, naturally } from "./names";
import type { ClusterDescription } from "./operation";

/** The differences between two descriptions of one cluster. */
export interface Differences {
    before?: ClusterDescription;
    after?: ClusterDescription;
    /** Names in natural order. A node whose role changes is in both lists: it leaves and joins. */
    added: string[];
    removed: string[];
    /** Name → reason. Only nodes that stay, and servers that are not nodes. */
    replaced: Map<string, string>;
    /** Input → description of the change. */
    changed: Map<string, string>;
}

/** If one of the two is missing, everything in the other one is new or removed. */
export function differences(
    before: ClusterDescription | undefined,
    after: ClusterDescription | undefined,
): Differences {
    const added = without(after?.nodes ?? {}, before?.nodes ?? {});
    const removed = without(before?.nodes ?? {}, after?.nodes ?? {});
    const both = before !== undefined && after !== undefined;
    return {
        before,
        after,
        added,
        removed,
        replaced: both ? replacedServers(before, after, new Set([...added, ...removed])) : new Map(),
        changed: both ? changedInputs(before, after) : new Map(),
    };
}

type Nodes = ClusterDescription["nodes"];

function without(some: Nodes, others: Nodes): string[] {
    return naturally(Object.keys(some).filter(name => own(others, name)?.role !== some[name]!.role));
}

function replacedServers(
    before: ClusterDescription,
    after: ClusterDescription,
    moving: ReadonlySet<string>,
): Map<string, string> {
    const other = Object.keys(after.nodes).filter(
        name => !moving.has(name) && differ(before.nodes[name]!.machine, after.nodes[name]!.machine),
    );
    const lost = (before.lost ?? []).filter(name => !moving.has(name));
    const { run, nodes = [], how = "asked for" } = after.asked ?? {};
    const why = new Map([
        ...nodes.filter(name => !moving.has(name)).map(name => [name, `${how}: ${run}`] as const),
        ...other.map(name => [name, "another machine"] as const),
        ...lost.map(name => [name, "its server is gone"] as const),
    ]);
    return new Map(naturally([...why.keys()]).map(name => [name, why.get(name)!]));
}

function changedInputs(before: ClusterDescription, after: ClusterDescription): Map<string, string> {
    const changed = new Map<string, string>();
    const [olds, news] = [before.settings ?? {}, after.settings ?? {}];
    // At preview all settings may be unknown.
    const names = before.settings && after.settings ? new Set([...Object.keys(olds), ...Object.keys(news)]) : [];
    for (const name of names) {
        if (isChanged(olds, news, name) && !isOfNewPool(name, before, after)) changed.set(name, name);
    }
    const moved = Object.keys(after.nodes).filter(name => {
        const [from, to] = [own(before.nodes, name), after.nodes[name]!];
        return from !== undefined && from.role === to.role && from.pool !== to.pool;
    });
    if (moved.length > 0) changed.set("pools", `pools (${listed(moved)} in another pool)`);
    const tell = (name: string, what: string, from: string | undefined, to: string | undefined) => {
        if (differ(from, to)) changed.set(name, `${what} ${from} to ${to}`);
    };
    tell("kubernetes.version", "Kubernetes", before.kubernetesVersion, after.kubernetesVersion);
    tell("controlPlane.endpoint", "endpoint", before.endpoint, after.endpoint);
    return changed;
}

type Settings = NonNullable<ClusterDescription["settings"]>;

/** An input that only one description has is a difference, unless its value is unknown. */
function isChanged(olds: Settings, news: Settings, name: string): boolean {
    const [before, after] = [own(olds, name), own(news, name)];
    if (Object.hasOwn(olds, name) && Object.hasOwn(news, name)) return differ(before, after);
    return (before ?? after) !== undefined;
}

/** Inputs of a pool appear and disappear with its nodes. */
function isOfNewPool(name: string, { nodes: olds }: ClusterDescription, { nodes: news }: ClusterDescription): boolean {
    const pool = /^pools\.([^.]+)\./.exec(name)?.[1];
    if (pool === undefined) return false;
    return [olds, news].some(nodes => !Object.values(nodes).some(node => node.pool === pool));
}

function differ(before: string | undefined, after: string | undefined): boolean {
    return before !== undefined && after !== undefined && before !== after;
}

function own<T>(all: Record<string, T>, name: string): T | undefined {
    return Object.hasOwn(all, name) ? all[name] : undefined;
}
