/** Ids of the steps of one machine, in order. */
export interface MachineSteps {
    name: string;
    master: boolean;
    /** Steps that make it a host. */
    host: string[];
    /** Steps that make it a node. */
    node: string[];
}

export interface ClusterSteps {
    /** The first is the first control-plane node. */
    machines: MachineSteps[];
    /** Run on the first control-plane node after it. */
    network: string[];
    /** Run on the first control-plane node after everything. */
    end: string[];
}

/** Seconds of a step on a machine. */
export type StepSeconds = (machine: string, step: string) => number;

/** The earliest times at which each part of a cluster can be done, in seconds since its machines could first be requested. */
export interface Moments {
    /** All control-plane nodes are prepared; only then the first node is made. */
    mastersPrepared: number;
    firstMaster: number;
    masters: number;
    workers: number;
    end: number;
}

/**
 * The earliest times that the design's edges allow: hosts all at once; the first control-plane node when all control-plane nodes are
 * prepared, then the others one after another; workers together after them; the pod network after the first; the end after everything.
 * `arrival`: when a machine is available, in seconds.
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

/** The shortest time from nothing to a complete cluster. */
export function criticalPath(cluster: ClusterSteps, seconds: StepSeconds): number {
    return earliest(cluster, seconds).end;
}

/** The time of the same steps one after another. */
export function oneAfterAnother({ machines, network, end }: ClusterSteps, seconds: StepSeconds): number {
    const own = machines.flatMap(({ name, host, node }) => [...host, ...node].map(step => seconds(name, step)));
    const wide = [...network, ...end].map(step => seconds(machines[0].name, step));
    return [...own, ...wide].reduce((total, each) => total + each, 0);
}
