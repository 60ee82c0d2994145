import type { EndpointSpec } from "../model";
import { parseFormers, urlOf } from "./side-by-side";

/** What was seen of a node that shall talk to the endpoint. */
export interface NodeAtEndpoint {
    name: string;
    isMaster: boolean;
    /** Its own API server, if it is a master: what talks to it stays there. */
    ownServer?: string;
    /** Undefined: it did not answer. */
    seen?: { servers: readonly string[]; formers: readonly string[] };
    /** Why it did not answer. */
    reason?: string;
}

/** What is to be done, in this order, each list one node after another. */
export interface MovePlan {
    /** The masters serve the new endpoint: to be proven on each before anything moves. Empty: nothing is to be done. */
    prove: string[];
    /** Masters first. */
    move: string[];
    /** Nodes that did not answer: with one of them the former endpoint stays. */
    missing: { name: string; reason: string }[];
    /** Masters first: with them the former endpoint goes for everybody. */
    takeAway: string[];
}

/** Undefined: all nodes are at the endpoint and nothing is left of another one. Pure. */
export function planMove(endpoint: EndpointSpec, nodes: readonly NodeAtEndpoint[]): MovePlan | undefined {
    const sorted = [...nodes.filter(({ isMaster }) => isMaster), ...nodes.filter(({ isMaster }) => !isMaster)];
    const url = urlOf(endpoint);
    const there = sorted.filter(({ seen }) => seen !== undefined);
    const between = there.filter(({ seen }) => parseFormers(seen!.formers).length > 0);
    const elsewhere = there.filter(({ seen, ownServer }) =>
        seen!.servers.some(each => each !== url && each !== ownServer),
    );
    if (between.length === 0 && elsewhere.length === 0) return undefined;
    const names = (list: readonly NodeAtEndpoint[]) => list.map(({ name }) => name);
    return {
        prove: names(there.filter(({ isMaster }) => isMaster)),
        // A kubelet that was not started again since is found on the node only.
        move: names(there.filter(node => between.includes(node) || elsewhere.includes(node))),
        missing: sorted
            .filter(({ seen }) => seen === undefined)
            .map(({ name, reason }) => ({ name, reason: reason ?? "it does not answer" })),
        takeAway: names(between),
    };
}
