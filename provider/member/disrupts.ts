import { type EndpointNumberInput, mayHaveMoved } from "../operation/wishes";
import { openedWithoutSecrets, type PlannedAct, plannedActs } from "./planned-acts";

type Properties = Record<string, unknown>;

/** An act of a plan on a resource, as Pulumi's events show it: secrets are hidden, and values may be unknown. */
export interface ActOnResource {
    act: "create" | "update" | "replace" | "delete";
    /** Its outputs before; empty: it is new. */
    state: Properties;
    /** Its inputs after; empty: it goes. */
    inputs: Properties;
}

/** Nodes that are taken out of service. */
export interface Disruption {
    /** Their names, or all of the cluster, also where the names are not known yet; "others": machines that are no nodes of a cluster of the stack, so no limit can count them. */
    nodes: readonly string[] | "all" | "others";
    /** What is interrupted there. */
    what: string;
}

/** `its node`: it is counted by its steps, see planned-acts.ts. A function: at most these; undefined: none. Pure. */
export type Disrupts = "no node" | "its node" | ((act: ActOnResource) => Disruption | undefined);

/** Those that the input `nodes` names, which preview shows. */
export const onItsNodes =
    (what: string): Disrupts =>
    ({ act, inputs: { nodes } }) =>
        act === "delete" ? undefined : { nodes: namesIn(nodes), what };

/** Each node that uses another endpoint than the wanted one moves there. */
export const movingEndpoint: Disrupts = act => {
    if (act.act === "delete") return undefined;
    const { inputs, state } = opened(act);
    const moves =
        mayHaveMoved(state as EndpointNumberInput, inputs as EndpointNumberInput) ||
        actsOf(act).some(({ title }) => title === endpointTitle);
    if (!moves) return undefined;
    const { nodes } = (inputs["spec"] ?? {}) as { nodes?: unknown };
    return { nodes: namesIn(nodes), what: "kubelet restarts where it moves to the endpoint" };
};

export const endpointTitle = "bring all nodes to the endpoint";

/** Cluster API replaces machines of a cluster whose objects change. */
export const rollingOut: Disrupts = ({ act, state, inputs }) => {
    if (act === "create" || (act === "update" && state["objectsHash"] === inputs["objectsHash"])) return undefined;
    return { nodes: "others", what: "machines of a workload cluster go or are replaced" };
};

/** What is made anew has nothing done. */
export function actsOf({ act, state, inputs }: ActOnResource): PlannedAct[] {
    if (act === "delete") return [];
    return plannedActs(act === "update" ? state : {}, inputs);
}

function namesIn(nodes: unknown): Disruption["nodes"] {
    return typeof nodes === "object" && nodes !== null ? Object.keys(nodes) : "all";
}

const opened = ({ state, inputs }: ActOnResource) => ({
    state: openedWithoutSecrets(state),
    inputs: openedWithoutSecrets(inputs),
});
