import type { CommonInputs, ResourceType } from "../contract/types";
import { changed, same, unknownValue } from "../contract/values";

export interface MembershipInputs extends CommonInputs {
    /** The program's nodes with their addresses; "" if the cloud assigns the address. */
    nodes: Record<string, string>;
    /** The endpoint in the program, as text. */
    endpoint?: string;
    /** Set by check: changes with each change of the endpoint, also if the run of that change was interrupted. */
    endpointNumber?: number;
    /** Set by check. Node → a number that changes when the node leaves the program and comes back, or moves. */
    generations?: Record<string, number>;
    /** Set by check: the highest number so far. */
    latest?: number;
}

export interface MembershipState extends MembershipInputs {
    generations: Record<string, number>;
    endpointNumber: number;
}

/**
 * Records which nodes the program has, and since when. If a deletion is killed, the engine does not record it: the
 * node's state is unchanged, although the node may have left its cluster. If the program then has the node again, its
 * new number makes `up` act.
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

/** All nodes of the first program have the number 0. */
function numbered(
    { nodes: before, generations = {}, latest = 0 }: Partial<MembershipInputs>,
    { nodes }: MembershipInputs,
): Pick<MembershipInputs, "generations" | "latest"> {
    if ((nodes as unknown) === unknownValue) return { generations, latest };
    if (before === undefined) return { generations: mapOf(nodes, () => 0), latest };
    const isNew = (name: string) =>
        !Object.hasOwn(before, name) || (![before[name], nodes[name]].some(isOpen) && !same(before[name], nodes[name]));
    const next = Object.keys(nodes).some(isNew) ? latest + 1 : latest;
    return { generations: mapOf(nodes, name => (isNew(name) ? next : generations[name]!)), latest: next };
}

/**
 * If a run is killed while it moves the endpoint, the engine does not record that. If the program then has the former
 * endpoint again, the changed number shows that nodes may have moved.
 */
function ofEndpoint(
    { endpoint: before, endpointNumber = 0 }: Partial<MembershipInputs>,
    { endpoint: after }: MembershipInputs,
): Pick<MembershipInputs, "endpoint" | "endpointNumber"> {
    if (after === unknownValue) return { endpoint: before, endpointNumber };
    return { endpointNumber: before === undefined || before === after ? endpointNumber : endpointNumber + 1 };
}

/** An unknown address counts as unchanged. */
const isOpen = (address: string | undefined) => address === unknownValue;

function mapOf(nodes: Record<string, string>, number: (name: string) => number): Record<string, number> {
    return Object.fromEntries(Object.keys(nodes).map(name => [name, number(name)]));
}

function settled({ generations = {}, endpointNumber = 0, ...inputs }: MembershipInputs): MembershipState {
    return { ...inputs, generations, endpointNumber };
}

/** Inputs of a Host or a Node. */
export interface GenerationInput {
    /** The node's number, see MembershipInputs. */
    generation: number;
}

/**
 * The node came back to the program, so its state may be from before it left. An unknown number counts as unchanged.
 */
export function isTakenBack(olds: Partial<GenerationInput>, news: Partial<GenerationInput>): boolean {
    return typeof news.generation === "number" && olds.generation !== news.generation;
}

/** Inputs of resources that depend on the endpoint. */
export interface EndpointNumberInput {
    /** See MembershipInputs. The Node of a worker has none. */
    endpointNumber?: number;
}

/**
 * The endpoint changed since, perhaps back and forth, so the state may differ from the machines. An unknown number
 * counts as unchanged.
 */
export function mayHaveMoved(olds: EndpointNumberInput, news: EndpointNumberInput): boolean {
    return typeof news.endpointNumber === "number" && olds.endpointNumber !== news.endpointNumber;
}
