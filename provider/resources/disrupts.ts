import { disruptions } from "../lifecycle/disruptions";
import { type DriftInput, type DriftState, openDrift } from "./drift";
import { type EndpointNumberInput, mayHaveMoved } from "./membership";
import { unpack } from "./packed";

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

/** `its node`: it is counted by its steps, see machine-acts.ts. A function: at most these; undefined: none. Pure. */
export type Disrupts = "no node" | "its node" | ((act: ActOnResource) => Disruption | undefined);

/** Those that the input `nodes` names, which preview shows. */
export const onItsNodes =
    (what: string): Disrupts =>
    ({ act, inputs: { nodes } }) =>
        act === "delete" ? undefined : { nodes: namesIn(nodes), what };

/** Another login alone is only stored. */
export const restoring: Disrupts = act => {
    const word = ({ spec }: Properties) => (spec as Properties | undefined)?.["run"];
    const { inputs, state } = opened(act);
    const { restored } = state as { restored?: { run: string } };
    if (act.act === "delete" || (word(inputs) !== undefined && word(inputs) === restored?.run)) return undefined;
    return { nodes: namesIn(inputs["nodes"]), what: "etcd, the API server and kubelet stop and start again" };
};

/** Of a resource whose steps concern the whole cluster. */
export const bySteps: Disrupts = act => {
    if (act.act === "delete") return undefined;
    const { open, titles, isUnknown } = stepsOf(act);
    if (isUnknown && act.act === "update") return { nodes: "all", what: "its steps are not known yet" };
    const found = [
        ...titles.map(title => disruptions[title]),
        ...open.map(({ title, disruptive }) => disruptions[title] ?? disruptive),
    ].find(each => each !== undefined);
    return found === undefined ? undefined : { nodes: "all", what: found };
};

/** Each node that uses another endpoint than the wanted one moves there. */
export const movingEndpoint: Disrupts = act => {
    if (act.act === "delete") return undefined;
    const { inputs, state } = opened(act);
    const moves =
        mayHaveMoved(state as EndpointNumberInput, inputs as EndpointNumberInput) ||
        stepsOf(act).titles.includes(endpointTitle);
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

function stepsOf(act: ActOnResource) {
    const { inputs, state } = opened(act);
    const done = new Set(Object.values((state["done"] ?? {}) as Record<string, string>));
    const { steps } = inputs;
    const wanted = typeof steps === "object" ? Object.entries(steps as Record<string, string>) : [];
    const undone = wanted.filter(([, fingerprint]) => act.act !== "update" || !done.has(fingerprint));
    const pending = (state["pending"] ?? []) as string[];
    return {
        titles: [...undone.map(([title]) => title), ...pending],
        open: Object.values(openDrift(state as DriftState, inputs as DriftInput)),
        isUnknown: typeof steps !== "object",
    };
}

function namesIn(nodes: unknown): Disruption["nodes"] {
    return typeof nodes === "object" && nodes !== null ? Object.keys(nodes) : "all";
}

function opened({ state, inputs }: ActOnResource) {
    const open = ({ secrets: _, __provider: __, ...properties }: Properties): Properties => unpack(properties, []);
    return { state: open(state), inputs: open(inputs) };
}
