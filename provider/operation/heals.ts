import { didYouMean } from "../common/did-you-mean";
import { hasUnknown, unknownValue } from "../contract/values";
import { listed, naturally } from "./names";
import type { NodeDescription } from "./operation";

/** `rejoin`: the node leaves and joins again on its own machine. `server`: it leaves and joins on a new server of the cloud. */
export type Cure = "rejoin" | "server";

/** What the program asks for. */
export interface HealWish {
    /** Another word than the last one asks for one heal. */
    run: string;
    /** Names. @default all nodes */
    nodes?: string[];
    cure: Cure;
}

/** What the state keeps of it, also when the program asks no more: a word heals once. */
export interface Heals {
    /** The last word of `heal`. */
    run?: string;
    /**
     * Node → number of the heal that was asked for last; all nodes of one word have the same. Those that left the program are kept: a run
     * that is killed does not record that they leave, and they may come back.
     */
    nodes: Record<string, number>;
    /** Node → the numbers of its heals with a new server, in order. */
    servers?: Record<string, number[]>;
    /** Node → its last replacement by `replaceServers`. */
    replaced?: Record<string, Replaced>;
}

/** The last request id of a node. A replacement is a heal with a new server: both count with the same numbers. */
export interface Replaced {
    run: string;
    /** Number of its heal. 0: the node joined under this word, so its server is new. */
    number: number;
}

/** Inputs of OperationStart. */
export interface HealsInput {
    /** Not stored. */
    heal?: HealWish;
    /** Set by check. */
    heals?: Heals;
}

interface Described extends HealsInput {
    spec?: { nodes?: Record<string, NodeDescription>; protect?: boolean };
}

interface Due {
    run: string;
    cure: Cure;
    /** In natural order. */
    nodes: string[];
    /** Named nodes that the program does not have. */
    strange: string[];
    /** Named nodes that join in this run: they have nothing to heal. */
    joining: string[];
}

/** The heal that this run begins. Undefined: none, or it is not known yet. Pure. */
export function dueHeal(olds: Described, { heal, spec }: Described): Due | undefined {
    if (heal === undefined || heal.run === olds.heals?.run || hasUnknown(heal)) return undefined;
    const [before, after] = [nodesOf(olds), nodesOf({ spec: spec ?? {} })];
    // The first run makes the nodes: there is nothing to heal.
    if (before === undefined || after === undefined) return undefined;
    const { run, cure, nodes: named = Object.keys(after) } = heal;
    const isThere = (name: string) => Object.hasOwn(after, name);
    const stays = (name: string) =>
        isThere(name) && Object.hasOwn(before, name) && before[name]!.role === after[name]!.role;
    return {
        run,
        cure,
        nodes: naturally(named.filter(stays)),
        strange: naturally(named.filter(name => !isThere(name))),
        joining: naturally(named.filter(name => isThere(name) && !stays(name))),
    };
}

function nodesOf({ spec }: Described): Record<string, NodeDescription> | undefined {
    const nodes = (spec as unknown) === unknownValue ? undefined : spec?.nodes;
    return (nodes as unknown) === unknownValue ? undefined : nodes;
}

/** What check stores in place of the request: its id and the numbers. */
export function numberHeals(olds: Described, news: Described): Pick<HealsInput, "heals"> {
    const { heals } = olds;
    const { heal } = news;
    const none = heals ? { heals } : {};
    if (heal === undefined || heal.run === heals?.run || hasUnknown(heal)) return none;
    if (olds.spec === undefined) return { heals: { run: heal.run, nodes: {} } };
    const due = dueHeal(olds, news);
    if (due === undefined) return none;
    const number = Math.max(0, ...Object.values(heals?.nodes ?? {})) + 1;
    const numbers = Object.fromEntries(due.nodes.map(name => [name, number]));
    const servers = { ...heals?.servers };
    for (const name of due.cure === "server" ? due.nodes : []) servers[name] = [...(servers[name] ?? []), number];
    return {
        heals: {
            ...heals,
            run: due.run,
            nodes: { ...heals?.nodes, ...numbers },
            ...(Object.keys(servers).length > 0 && { servers }),
        },
    };
}

/** Why a heal is refused before anything is touched, and what there is to say of it. */
export function healProblems(olds: Described, news: Described): { wrong: string[]; notes: string[] } {
    const due = dueHeal(olds, news);
    if (due === undefined) return { wrong: [], notes: sameWord(olds, news) };
    const { cure, nodes, strange, joining } = due;
    const [before, after] = [nodesOf(olds)!, nodesOf(news)!];
    const masters = Object.keys(before).filter(name => before[name]!.role === "controlPlane");
    const only = masters.length === 1 && nodes.includes(masters[0]!) ? masters[0] : undefined;
    const wrong = [
        ...(strange.length > 0
            ? [
                  `heal.nodes: this cluster has no node ${listed(strange)}; it has ${listed(Object.keys(after))}${didYouMean(strange[0]!, Object.keys(after))}`,
              ]
            : []),
        ...(only !== undefined ? [`heal: ${onlyMasterStays(only)} in heal.nodes`] : []),
        ...(cure === "server" && news.spec?.protect === true
            ? [
                  `heal: the server of ${listed(nodes)} would be deleted, and deleteProtection is true. Nothing was touched. Set heal.cure to "rejoin", ` +
                      "or set deleteProtection to false in a pulumi up of its own",
              ]
            : []),
        ...(cure === "server" && nodes.length > 1
            ? [
                  `heal: one node per run gets a new server, and ${listed(nodes)} are asked for: the servers of one run are deleted before the first ` +
                      "new one has joined, so a wrong image or a full cloud would cost all of them. Nothing was touched. Name one in heal.nodes and run " +
                      `pulumi up, then the next one under another word: { run: "${due.run}-2", nodes: ["${nodes[1]}"] }. Or set heal.cure to "rejoin": then ` +
                      "they leave and join again on their own servers, in turns",
              ]
            : []),
    ];
    const joins = `heal: ${listed(joining)} join${joining.length === 1 ? "s" : ""} in this run, so there is nothing to heal`;
    return { wrong, notes: joining.length > 0 ? [joins] : [] };
}

export const onlyMasterStays = (name: string | undefined) =>
    `${name} is the only control-plane node, so it cannot leave: etcd with all data of the cluster is on it. Nothing was touched. Add two control-plane nodes first, or name other nodes`;

/** A person who adds a node under the former word expects that it is healed. */
function sameWord({ heals }: Described, { heal, spec }: Described): string[] {
    if (heals === undefined || heal?.nodes === undefined || hasUnknown([heal, spec?.nodes])) return [];
    if (heal.run !== heals.run) return [];
    const last = Math.max(0, ...Object.values(heals.nodes));
    const missing = heal.nodes.filter(name => last > 0 && heals.nodes[name] !== last);
    if (missing.length === 0) return [];
    return [`heal: ${listed(missing)} was not asked for under the word "${heal.run}"; another word heals it`];
}

/** Inputs of a Node. */
export interface HealInput {
    /** Number of the heal that was asked for last, see Heals. In the state: of the last one that was done. @default 0 */
    heal?: number;
    /** The program asks no more: what a stopped run has left of the heal is mended, and the node is not healed. */
    healWithdrawn?: true;
}

/** What a Node's state keeps. */
export interface HealState {
    heal?: number;
    /** Number of a heal that was withdrawn before its end. Where the program asks for it again, it goes on. */
    withdrawnHeal?: number;
}

/** Whether the node is to be healed. An unknown number counts as unchanged. */
export function isHealed({ heal: done = 0 }: HealState, { heal, healWithdrawn }: HealInput): boolean {
    return typeof heal === "number" && heal !== done && healWithdrawn !== true;
}

/** Whether a stopped run may have left the node half out of its cluster, and the program does not ask for the heal any more. */
export function isHealWithdrawn(
    { heal: done = 0, withdrawnHeal }: HealState,
    { heal, healWithdrawn }: HealInput,
): boolean {
    return typeof heal === "number" && heal !== done && healWithdrawn === true && heal !== withdrawnHeal;
}

/** What an update or a creation keeps. */
export function keptHeal(olds: HealState | undefined, { heal, healWithdrawn }: HealInput): HealState {
    const isOpen = olds !== undefined && healWithdrawn === true && heal !== (olds.heal ?? 0);
    const { heal: done, withdrawnHeal } = isOpen
        ? { heal: olds.heal, withdrawnHeal: heal }
        : { heal, withdrawnHeal: undefined };
    return { ...(done !== undefined && { heal: done }), ...(withdrawnHeal !== undefined && { withdrawnHeal }) };
}

/** The last heal with a new server that was asked for up to `number`: another one is another server. */
export function serverHealUpTo({ servers }: Heals, node: string, number: number): number | undefined {
    return servers?.[node]?.filter(each => each <= number).at(-1);
}
