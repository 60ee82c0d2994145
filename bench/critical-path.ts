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

/**
 * The time that the edges of the design allow at best: hosts all at once, masters one after another, workers together after the
 * masters, the pod network after the first master, the end after everything.
 */
export function criticalPath({ machines, network, end }: ClusterSteps, seconds: StepSeconds): number {
    const sum = (machine: MachineSteps, steps: string[]) =>
        steps.reduce((total, step) => total + seconds(machine.name, step), 0);
    const [first] = machines;
    let masters = 0;
    let networkReady = 0;
    for (const machine of machines.filter(({ master }) => master)) {
        masters = Math.max(masters, sum(machine, machine.host)) + sum(machine, machine.node);
        networkReady ||= masters + sum(first, network);
    }
    const workers = machines
        .filter(({ master }) => !master)
        .map(machine => Math.max(masters, sum(machine, machine.host)) + sum(machine, machine.node));
    return Math.max(masters, networkReady, ...workers) + sum(first, end);
}

/** The same steps with nothing at the same time. */
export function oneAfterAnother({ machines, network, end }: ClusterSteps, seconds: StepSeconds): number {
    const own = machines.flatMap(({ name, host, node }) => [...host, ...node].map(step => seconds(name, step)));
    const wide = [...network, ...end].map(step => seconds(machines[0].name, step));
    return [...own, ...wide].reduce((total, each) => total + each, 0);
}
