import { type ClusterSteps, earliest, type Moments, type StepSeconds } from "../critical-path";

/** Times are seconds of the epoch. */
export interface ServerTimes {
    /** The cloud has taken the order. */
    created: number;
    /** The cloud has started it. */
    launched: number;
    /** SSH lets us in, and cloud-init has ended. */
    ready: number;
}

/** What was seen of one `pulumi up` on a cloud. */
export interface CloudRun {
    began: number;
    /** By node name. */
    servers: Record<string, ServerTimes>;
    /** Heat: servers can be asked for when it is complete. */
    stack?: { began: number; ended: number };
    steps: ClusterSteps;
    /** By node name, then by step. */
    journals: Record<string, Record<string, number>>;
    /** When operations had ended: by node name. */
    hosts: Record<string, number>;
    nodes: Record<string, number>;
    /** All nodes Ready, CoreDNS spread. */
    ready: number;
    /** The whole `up`, with the network function of the example. */
    ended: number;
}

/** In the journal of whichever master did what concerns the whole cluster. */
export const journalSeconds =
    ({ journals, steps: { machines } }: Pick<CloudRun, "journals" | "steps">): StepSeconds =>
    (name, step) => {
        // Its wait is a part of the boot, which is known from outside.
        if (step === "host.cloud-init") return 0;
        const own = journals[name]?.[step];
        if (own !== undefined || name !== machines[0].name) return own ?? 0;
        const others = machines.filter(({ master }) => master).map(master => journals[master.name]?.[step] ?? 0);
        return Math.max(...others);
    };

/** The least time between the order to the cloud and a machine that can be prepared: each server for itself, but a stack as a whole. */
export function arrivals({ servers, stack }: Pick<CloudRun, "servers" | "stack">): Record<string, number> {
    const arrival = ({ created, ready }: ServerTimes) =>
        stack === undefined ? ready - created : Math.max(stack.ended, ready) - stack.began;
    return Object.fromEntries(Object.entries(servers).map(([name, times]) => [name, arrival(times)]));
}

/** What no order of work could avoid, from the first order to the cloud on. */
export function unavoidable(run: CloudRun): Moments {
    const arrival = arrivals(run);
    return earliest(run.steps, journalSeconds(run), name => arrival[name]);
}

type Row = [what: string, at: number, least: number];

export interface TimelineRow {
    what: string;
    /** Seconds after `pulumi up` began. */
    at: number;
    /** Seconds that it takes at the least. */
    least: number;
}

/** Where time was lost: the difference of `at` and `least` grows from row to row by what could be avoided. */
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
