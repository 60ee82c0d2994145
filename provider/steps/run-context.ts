import type { Connection } from "../ssh/types";
import type { Clock } from "./clock";
import type { Fingerprints, ProgressListener, Step } from "./types";

/** A machine on which something is done. */
export interface NodeConnection {
    name: string;
    connection: Connection;
}

export interface RunContext {
    /** The node's name. */
    node: string;
    clusterId: string;
    connection: Connection;
    /**
     * The node in whose favour this machine acts. The machine then has a lease and a running batch for this node, beside its own, so that runs cannot
     * wait for each other in a circle: the act never waits for the machine's own steps, whose resource may hold the machine's lease in the same run, and
     * a run that holds a lease for another node waits for nothing else. Two runs that act for one node through different control-plane nodes may act at
     * once: that is safe because acts may run twice, and etcd decides about its members itself.
     */
    forNode?: string;
    /** Returns a ready control-plane node, for steps with that target and for preparations. */
    controlPlane?: () => Promise<NodeConnection>;
    /** Called before the first step that brings something secret to the node: whether it may. */
    beforeSecrets?: () => Promise<unknown>;
    /** The steps recorded in the resource. If the node's own journal differs, the journal is right. */
    done: Fingerprints;
    /** Called for each step that is to run, before the first of them. What it throws ends the run. */
    begin?: (step: Step) => void;
    report: ProgressListener;
    signal?: AbortSignal;
    /** How long a lease stays valid after its holder died, in seconds. @default 30 */
    leaseSeconds?: number;
    clock?: Clock;
    /** For progress. @default number and title of the step */
    label?: string;
    /** Called with what a step said that has ended well. */
    said?: (text: string) => void;
}
