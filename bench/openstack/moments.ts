import { type ClusterSteps, earliest, type Moments, type StepSeconds } from "../critical-path";

/** Times are seconds since 1970. */
export interface ServerTimes {
    /** The cloud has accepted the request. */
    created: number;
    /** The cloud has started it. */
    launched: number;
    /** SSH logins work, and cloud-init has ended. */
    ready: number;
}

/** The record of one `pulumi up` on a cloud. */
export interface CloudRun {
    began: number;
    /** By node name. */
    servers: Record<string, ServerTimes>;
    /** Heat: servers are available when the stack is complete. */
    stack?: { began: number; ended: number };
    steps: ClusterSteps;
    /** Step → seconds, by node name. */
    journals: Record<string, Record<string, number>>;
    /** When each host was ready, by node name. */
    hosts: Record<string, number>;
    nodes: Record<string, number>;
    /** All nodes Ready, CoreDNS spread. */
    ready: number;
    /** The whole `up`, with the network function of the example. */
    ended: number;
}

/** The seconds of a step of the whole cluster, in the journal of the control-plane node that did it. */
export const journalSeconds =
    ({ journals, steps: { machines } }: Pick<CloudRun, "journals" | "steps">): StepSeconds =>
    (name, step) => {
        // This step waits for the boot, whose time is measured from outside.
        if (step === "host.cloud-init") return 0;
        const own = journals[name]?.[step];
        if (own !== undefined || name !== machines[0].name) return own ?? 0;
        const others = machines.filter(({ master }) => master).map(master => journals[master.name]?.[step] ?? 0);
        return Math.max(...others);
    };

/** The shortest time between the request to the cloud and a machine that can be prepared: for each server, or for a whole stack. */
export function arrivals({ servers, stack }: Pick<CloudRun, "servers" | "stack">): Record<string, number> {
    const arrival = ({ created, ready }: ServerTimes) =>
        stack === undefined ? ready - created : Math.max(stack.ended, ready) - stack.began;
    return Object.fromEntries(Object.entries(servers).map(([name, times]) => [name, arrival(times)]));
}

/** The times that no order of work can avoid, from the first request to the cloud on. */
export function unavoidable(run: CloudRun): Moments {
    const arrival = arrivals(run);
    return earliest(run.steps, journalSeconds(run), name => arrival[name]);
}

type Row = [what: string, at: number, least: number];

export interface TimelineRow {
    what: string;
    /** Seconds since `pulumi up` began. */
    at: number;
    /** The fewest seconds that it takes. */
    least: number;
}

/** Where time was lost: the difference between `at` and `least` grows from row to row by the avoidable time. */
export function timeline(run: CloudRun): TimelineRow[] {
    const { began, servers, stack, steps, hosts, nodes } = run;
    const least = unavoidable(run);
    const all = Object.values(servers);
    const ordered = stack?.began ?? Math.min(...all.map(({ created }) => created));
    const masters = steps.machines.filter(({ master }) => master).map(({ name }) => name);
    const latest = (times: Record<string, number>, names = Object.keys(times)) =>
        Math.max(...names.map(name => times[name])) - began;
    const last = (key: keyof ServerTimes) => Math.max(...all.map(times => times[key])) - began;
    const since = (key: keyof ServerTimes) =>
        Math.max(...all.map(times => times[key] - (stack === undefined ? times.created : stack.began)));
    const complete: Row[] = stack ? [["the stack is complete", stack.ended - began, stack.ended - stack.began]] : [];
    const rows: Row[] = [
        ["the cloud has its first order", ordered - began, 0],
        ["it has taken all servers", last("created"), 0],
        ["all servers are started", last("launched"), since("launched")],
        ...complete,
        ["all let us in, cloud-init has ended", last("ready"), since("ready")],
        ["all masters are prepared", latest(hosts, masters), least.mastersPrepared],
        ["the first master stands", latest(nodes, masters.slice(0, 1)), least.firstMaster],
        ["all masters stand", latest(nodes, masters), least.masters],
        ["all workers have joined", latest(nodes), least.workers],
        ["all nodes are Ready", run.ready - began, least.end],
    ];
    return rows.map(([what, at, time]) => ({ what, at, least: time }));
}
