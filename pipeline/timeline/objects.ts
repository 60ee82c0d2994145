import type { MessageEvent } from "../events/events";
import type { Outcome, Row } from "./spans";
import type { Timeline } from "./timeline";

/** Objects in a cluster that a run made or waited for. */
export interface ObjectState {
    name: string;
    /** "CnfReadiness", "kubernetes:apps/v1:Deployment", … */
    resource: string;
    outcome: Outcome;
    seconds: number;
    /** What was last said of it: "2 of 3 ready; Deployment upf/upf: 1 of 2 replicas". */
    last?: string;
    /** "upf-x2k4p on w1", as far as the run has asked. */
    pods?: string;
    /** How often that changed. */
    looks: number;
}

/** Types that wait for objects of Kubernetes, or are objects. */
const types =
    /^(?:kubernetes:|Cnf|Workload|ClusterMove$|ClusterApiProviders$|StorageClassSet$|SnapshotClassSet$|PersistentVolumeSet$|CloudProvider$)/;

/** Readiness as far as the events tell it, those that failed first. Pure. */
export function objectStates({ rows, messages }: Timeline): ObjectState[] {
    const pods = new Map(messages.flatMap(each => (isOfPods(each) ? [[each.node ?? "", each.text.slice(6)]] : [])));
    const found = rows.filter(isObject).map(row => {
        const its = pods.get(row.name);
        return { ...stateOf(row), ...(its !== undefined && { pods: its }) };
    });
    const rank = { failed: 0, unfinished: 1, done: 2 };
    return found.sort((a, b) => rank[a.outcome] - rank[b.outcome] || b.seconds - a.seconds);
}

/** What provider/cnf/cnf-pods.ts says. */
export const isOfPods = ({ text }: Pick<MessageEvent, "text">): boolean => text.startsWith("pods: ");

function isObject({ isNode, spans }: Row): boolean {
    return !isNode && spans.some(({ resource }) => types.test(resource));
}

function stateOf({ name, spans }: Row): ObjectState {
    const last = spans.at(-1)!;
    const bars = spans.flatMap(({ bars }) => bars);
    const said = bars.at(-1);
    return {
        ...{ name, resource: last.resource, outcome: last.outcome, looks: bars.length },
        seconds: spans.reduce((sum, { begin, end }) => sum + end - begin, 0),
        ...(said && { last: said.words ?? said.title }),
    };
}
