import type { CommonInputs, ResourceType } from "./types";
import { changed, same, unknownValue } from "./values";

export interface MembershipInputs extends CommonInputs {
    /** The program's nodes, each with its address; "": the cloud gives it. */
    nodes: Record<string, string>;
    /** Made by check. Node → a number that is another one after the node left the program and came back, or moved. */
    generations?: Record<string, number>;
    /** Made by check: the highest number that was ever given. */
    latest?: number;
}

export interface MembershipState extends MembershipInputs {
    generations: Record<string, number>;
}

/**
 * Which nodes the program has, and since when. The engine notes nothing of a deletion that was killed: the node's state stays as it was
 * before, although the node may have left its cluster. When the program takes the node back, its new number is what `up` sees.
 */
export const membership: ResourceType<MembershipInputs, MembershipState> = {
    check: (olds, news) => ({ inputs: { ...news, ...numbered(olds, news) } }),
    diff: (_id, olds, news) => ({ changes: changed(olds, news, ["nodes", "generations"]).length > 0 }),
    create: async inputs => ({ id: "membership", outs: settled(inputs) }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: settled(news) }),
    delete: async () => {},
};

/** All nodes of the first program have the number 0, as has every node whose state knows of none. */
function numbered(
    { nodes: before, generations = {}, latest = 0 }: Partial<MembershipInputs>,
    { nodes }: MembershipInputs,
): Pick<MembershipInputs, "generations" | "latest"> {
    if ((nodes as unknown) === unknownValue) return { generations, latest };
    if (before === undefined) return { generations: mapOf(nodes, () => 0), latest };
    const isNew = (name: string) =>
        !Object.hasOwn(before, name) || (![before[name], nodes[name]].some(isOpen) && !same(before[name], nodes[name]));
    const next = Object.keys(nodes).some(isNew) ? latest + 1 : latest;
    return { generations: mapOf(nodes, name => (isNew(name) ? next : (generations[name] ?? 0))), latest: next };
}

/** An address that is not known yet says nothing. */
const isOpen = (address: string | undefined) => address === unknownValue;

function mapOf(nodes: Record<string, string>, number: (name: string) => number): Record<string, number> {
    return Object.fromEntries(Object.keys(nodes).map(name => [name, number(name)]));
}

function settled({ generations = {}, ...inputs }: MembershipInputs): MembershipState {
    return { ...inputs, generations };
}

/** Inputs of what belongs to one node. */
export interface GenerationInput {
    /** The node's number, see MembershipInputs. @default 0 */
    generation?: number;
}

/** The node came back to the program: what its state says may be of before it left. An unknown number says nothing. */
export function isTakenBack(olds: GenerationInput, news: GenerationInput): boolean {
    const [before, after] = [olds.generation ?? 0, news.generation ?? 0];
    return typeof after === "number" && before !== after;
}
