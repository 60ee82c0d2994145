import type { EndpointSpec } from "../common/model";
import { parseFormers, urlOf } from "./side-by-side";

/** What is known of a node that must move to the endpoint. */
export interface NodeAtEndpoint {
    name: string;
    isMaster: boolean;
    /** Control-plane nodes only: the node's own API server. Clients on the node that use it keep using it. */
    ownServer?: string;
    /** Undefined if the node did not answer. */
    seen?: { servers: readonly string[]; formers: readonly string[] };
    /** Why it did not answer. */
    reason?: string;
}

/** What to do, in this order. Each list is done one node after another. */
export interface MovePlan {
    /**
     * Control-plane nodes that must prove, before any node moves, that they serve the new endpoint. Empty: nothing to
     * do.
     */
    prove: string[];
    /** Control-plane nodes come first. */
    move: string[];
    /** Nodes that did not answer. While there is one, the former endpoint stays. */
    missing: { name: string; reason: string }[];
    /** Control-plane nodes come first: when they drop the former endpoint, it is gone for all nodes. */
    takeAway: string[];
}

/** Returns undefined if all nodes use the endpoint and nothing of a former one is left. Pure. */
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
        // Only the node itself knows whether its kubelet was restarted since; so it is visited again.
        move: names(there.filter(node => between.includes(node) || elsewhere.includes(node))),
        missing: sorted
            .filter(({ seen }) => seen === undefined)
            .map(({ name, reason }) => ({ name, reason: reason ?? "it does not answer" })),
        takeAway: names(between),
    };
}
