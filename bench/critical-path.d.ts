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
export declare function criticalPath({ machines, network, end }: ClusterSteps, seconds: StepSeconds): number;
/** The same steps with nothing at the same time. */
export declare function oneAfterAnother({ machines, network, end }: ClusterSteps, seconds: StepSeconds): number;
