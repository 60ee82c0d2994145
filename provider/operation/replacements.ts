import { didYouMean } from "../common/did-you-mean";
import { hasUnknown, unknownValue } from "../contract/values";
import { type Heals, onlyMasterStays, type Replaced } from "./heals";
import { listed, naturally } from "./names";
import type { NodeDescription } from "./operation";

/** What the program asks for: nodes get new servers of the cloud, in turns. */
export interface ReplaceWish {
    /** A node gets one new server for each request id. */
    run: string;
    /** Names of nodes. */
    nodes: string[];
    /** Those among them that have no new server yet, also those that a stopped run has left. */
    pending?: string[];
    /** Nodes that a former run has left at another version, and that this one moves. */
    behind?: string[];
    /** Further nodes that the program names, whose version `kubernetes.upgrade.pauseAfter` holds: they keep their servers in this run. */
    held?: string[];
}

/** Inputs of OperationStart. */
export interface ReplaceInput {
    /** Not stored. */
    replaceServers?: ReplaceWish;
}

interface Described extends ReplaceInput {
    heals?: Heals;
    spec?: {
        nodes?: Record<string, NodeDescription>;
        protect?: boolean;
        kubernetesVersion?: string;
    };
}

interface Due {
    run: string;
    /** In natural order. */
    nodes: string[];
    /** Named nodes that join in this run. */
    joining: string[];
    /** Named nodes that the program does not have. */
    strange: string[];
}

/** The nodes whose replacement this run begins. Undefined: the program requests none, or it is not known yet. Pure. */
export function dueReplacement(olds: Described, { replaceServers: wish, spec }: Described): Due | undefined {
    if (wish === undefined || hasUnknown(wish)) return undefined;
    const after = nodesOf({ spec: spec ?? {} });
    if (after === undefined) return undefined;
    const before = olds.spec === undefined ? {} : nodesOf(olds);
    if (before === undefined) return undefined;
    const { run, nodes: named } = wish;
    const isThere = (name: string) => Object.hasOwn(after, name);
    const stays = (name: string) => Object.hasOwn(before, name) && before[name]!.role === after[name]!.role;
    const open = named.filter(name => olds.heals?.replaced?.[name]?.run !== run);
    return {
        run,
        nodes: naturally(open.filter(name => isThere(name) && stays(name))),
        joining: naturally(open.filter(name => isThere(name) && !stays(name))),
        strange: naturally(open.filter(name => !isThere(name))),
    };
}

function nodesOf({ spec }: Described): Record<string, NodeDescription> | undefined {
    const nodes = (spec as unknown) === unknownValue ? undefined : spec?.nodes;
    return (nodes as unknown) === unknownValue ? undefined : nodes;
}

/** Adds the numbers of this run's replacements. `heals`: with those of its heals. */
export function numberReplacements(olds: Described, news: Described, heals: Heals | undefined): Heals | undefined {
    const { run, nodes, joining } = dueReplacement(olds, news) ?? { run: "", nodes: [], joining: [] };
    if (nodes.length + joining.length === 0) return heals;
    const number = Math.max(0, ...Object.values(heals?.nodes ?? {})) + 1;
    const all = (names: readonly string[], value: Replaced) => Object.fromEntries(names.map(name => [name, value]));
    const servers = { ...heals?.servers };
    for (const name of nodes) servers[name] = [...(servers[name] ?? []), number];
    return {
        ...heals,
        nodes: { ...heals?.nodes, ...Object.fromEntries(nodes.map(name => [name, number])) },
        ...(Object.keys(servers).length > 0 && { servers }),
        replaced: { ...heals?.replaced, ...all(joining, { run, number: 0 }), ...all(nodes, { run, number }) },
    };
}

/** Whether the last heal of the node was asked for by `replaceServers`. */
export function isReplacement({ nodes, replaced }: Heals, node: string): boolean {
    const last = replaced?.[node];
    return last !== undefined && last.number > 0 && last.number === nodes[node];
}

const untouched = "Nothing was touched";

/** The nodes whose replacement this run begins, or goes on with: what refuses the one also refuses the other. Pure. */
export function replacedInRun(olds: Described, news: Described): string[] {
    const due = dueReplacement(olds, news);
    if (due === undefined || olds.spec === undefined) return [];
    const left = news.replaceServers!.pending?.filter(name => Object.hasOwn(nodesOf(news)!, name)) ?? [];
    return naturally([...new Set([...due.nodes, ...left])]);
}

/** Why a replacement is refused before anything is touched, and what there is to say of it. */
export function replacementProblems(olds: Described, news: Described): { wrong: string[]; notes: string[] } {
    const due = dueReplacement(olds, news);
    if (due === undefined || olds.spec === undefined) return { wrong: [], notes: [] };
    const { joining, strange } = due;
    const [before, after] = [nodesOf(olds)!, nodesOf(news)!];
    const nodes = replacedInRun(olds, news);
    const masters = Object.keys(before).filter(name => before[name]!.role === "controlPlane");
    const only = masters.length === 1 && nodes.includes(masters[0]!);
    const behind = news.replaceServers!.behind ?? [];
    const mastersBehind = behind.filter(name => masters.includes(name));
    const [from, to] = [olds.spec.kubernetesVersion, news.spec?.kubernetesVersion];
    const moves = from !== undefined && to !== undefined && !hasUnknown([from, to]) && from !== to;
    const mastersNamed = nodes.filter(name => masters.includes(name));
    const pools = nodes.filter(name => after[name]!.role === "worker").map(name => after[name]!.pool);
    const poolNames = [...new Set(Object.values(after).flatMap(({ pool }) => pool ?? []))];
    const { held = [] } = news.replaceServers!;
    const keepsPlace = (name: string) => !nodes.includes(name) && !held.includes(name);
    const inPlace = Object.keys(before).filter(
        name =>
            (moves || behind.includes(name)) &&
            after[name]?.role === "worker" &&
            pools.includes(after[name]!.pool) &&
            keepsPlace(name),
    );
    const rows: [isWrong: boolean, problem: string][] = [
        [
            strange.length > 0,
            `.nodes: this cluster has no node and no pool ${listed(strange)}; it has ${listed(Object.keys(after))}${didYouMean(strange[0] ?? "", [...Object.keys(after), ...poolNames])}`,
        ],
        [only, `: ${onlyMasterStays(masters[0])}`],
        [
            nodes.length > 0 && news.spec?.protect === true,
            `: the server of ${listed(nodes)} would be deleted, and deleteProtection is true. ${untouched}. Set deleteProtection to false in a pulumi up of its own`,
        ],
        [
            moves && mastersNamed.length > 0,
            `: kubernetes.version cannot change in the run that replaces the server of ${listed(mastersNamed)}: control-plane nodes move to another version in place. ${untouched}. Do one ` +
                "of the two first, with a pulumi up of its own",
        ],
        [
            inPlace.length > 0,
            `: with another kubernetes.version a pool moves either by new servers or in place, and ${listed(inPlace)} would move in place beside ${listed(nodes)}. ${untouched}. Name whole ` +
                `pools, with a word that none of their nodes has had${moves ? "" : "; or let the others move first, with a pulumi up without replaceServers; or hold them back meanwhile (kubernetes.upgrade.pauseAfter)"}`,
        ],
        [
            // kubeadm joins a control-plane node only in the version that the cluster has.
            mastersBehind.length > 0 && mastersNamed.length > 0,
            `: ${listed(mastersBehind)} ${mastersBehind.length === 1 ? "has" : "have"} not moved to kubernetes.version ${from} yet, so a new control-plane node could not join. ${untouched}. Let ` +
                "the upgrade end first, with a pulumi up without replaceServers",
        ],
    ];
    const joins = `replaceServers: ${listed(joining)} join${joining.length === 1 ? "s" : ""} in this run, so the server is new`;
    return {
        wrong: rows.flatMap(([isWrong, problem]) => (isWrong ? [`replaceServers${problem}`] : [])),
        notes: due.nodes.length > 0 && joining.length > 0 ? [joins] : [],
    };
}
