/** Ids of the steps of one machine, in order. */
export interface MachineSteps {
    name: string;
    master: boolean;
    /** What makes it a host. */
    host: string[];
    /** What makes it a node. */
    node: string[];
}

export interface ClusterSteps {
    /** The first is the first master. */
    machines: MachineSteps[];
    /** After the first master, on it. */
    network: string[];
    /** After everything, on the first master. */
    end: string[];
}

/** Seconds of a step on a machine. */
export type StepSeconds = (machine: string, step: string) => number;

/** When, at the earliest, each part of a cluster is done: seconds since its machines could first be asked for. */
export interface Moments {
    /** All masters: before that none is made a node. */
    mastersPrepared: number;
    firstMaster: number;
    masters: number;
    workers: number;
    end: number;
}

/**
 * The times that the edges of the design allow at best: hosts all at once; the first master when all masters are prepared, then the
 * others one after another; workers together after the masters; the pod network after the first master; the end after everything.
 * `arrival`: when a machine is there to be prepared, in seconds.
 */
export function earliest(
    { machines, network, end }: ClusterSteps,
    seconds: StepSeconds,
    arrival: (machine: string) => number = () => 0,
): Moments {
    const sum = (machine: MachineSteps, steps: string[]) =>
        steps.reduce((total, step) => total + seconds(machine.name, step), 0);
    const prepared = (machine: MachineSteps) => arrival(machine.name) + sum(machine, machine.host);
    const own = (machine: MachineSteps) => sum(machine, machine.node);
    const [first, ...others] = machines.filter(({ master }) => master);
    const mastersPrepared = Math.max(...[first, ...others].map(prepared));
    const firstMaster = mastersPrepared + own(first);
    const masters = others.reduce((before, machine) => before + own(machine), firstMaster);
    const workers = machines
        .filter(({ master }) => !master)
        .map(machine => Math.max(masters, prepared(machine)) + own(machine));
    const networkReady = firstMaster + sum(first, network);
    return {
        mastersPrepared,
        firstMaster,
        masters,
        workers: Math.max(masters, ...workers),
        end: Math.max(masters, networkReady, ...workers) + sum(first, end),
    };
}

/** The least time from nothing to a whole cluster. */
export function criticalPath(cluster: ClusterSteps, seconds: StepSeconds): number {
    return earliest(cluster, seconds).end;
}

/** The same steps with nothing at the same time. */
export function oneAfterAnother({ machines, network, end }: ClusterSteps, seconds: StepSeconds): number {
    const own = machines.flatMap(({ name, host, node }) => [...host, ...node].map(step => seconds(name, step)));
    const wide = [...network, ...end].map(step => seconds(machines[0].name, step));
    return [...own, ...wide].reduce((total, each) => total + each, 0);
}
