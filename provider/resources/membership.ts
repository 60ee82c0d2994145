import type { CommonInputs, ResourceType } from "./types";
import { changed, same, unknownValue } from "./values";

export interface MembershipInputs extends CommonInputs {
    /** The program's nodes, each with its address; "": the cloud gives it. */
    nodes: Record<string, string>;
    /** What the program says of the endpoint, as text. */
    endpoint?: string;
    /** Made by check: another one after each change of the endpoint, also of one whose run did not end. */
    endpointNumber?: number;
    /** Made by check. Node → a number that is another one after the node left the program and came back, or moved. */
    generations?: Record<string, number>;
    /** Made by check: the highest number that was ever given. */
    latest?: number;
}

export interface MembershipState extends MembershipInputs {
    generations: Record<string, number>;
    endpointNumber: number;
}

/**
 * Which nodes the program has, and since when. The engine notes nothing of a deletion that was killed: the node's state stays as it was
 * before, although the node may have left its cluster. When the program takes the node back, its new number is what `up` sees.
 */
export const membership: ResourceType<MembershipInputs, MembershipState> = {
    check: (olds, news) => ({ inputs: { ...news, ...numbered(olds, news), ...ofEndpoint(olds, news) } }),
    diff: (_id, olds, news) => ({
        changes: changed(olds, news, ["nodes", "generations", "endpointNumber"]).length > 0,
    }),
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

/**
 * The engine notes nothing of a run that was killed on the way to another endpoint. When the program then has the former one again, the
 * number is what tells that nodes may have moved.
 */
function ofEndpoint(
    { endpoint: before, endpointNumber = 0 }: Partial<MembershipInputs>,
    { endpoint: after }: MembershipInputs,
): Pick<MembershipInputs, "endpoint" | "endpointNumber"> {
    if (after === unknownValue) return { endpoint: before, endpointNumber };
    return { endpointNumber: before === undefined || before === after ? endpointNumber : endpointNumber + 1 };
}

/** An address that is not known yet says nothing. */
const isOpen = (address: string | undefined) => address === unknownValue;

function mapOf(nodes: Record<string, string>, number: (name: string) => number): Record<string, number> {
    return Object.fromEntries(Object.keys(nodes).map(name => [name, number(name)]));
}

function settled({ generations = {}, endpointNumber = 0, ...inputs }: MembershipInputs): MembershipState {
    return { ...inputs, generations, endpointNumber };
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

/** Inputs of what hangs on the endpoint. */
export interface EndpointNumberInput {
    /** See MembershipInputs. @default 0 */
    endpointNumber?: number;
}

/** The endpoint changed since, perhaps there and back: what the state says may not be what is on the machines. An unknown number says nothing. */
export function mayHaveMoved(olds: EndpointNumberInput, news: EndpointNumberInput): boolean {
    const [before, after] = [olds.endpointNumber ?? 0, news.endpointNumber ?? 0];
    return typeof after === "number" && before !== after;
}
