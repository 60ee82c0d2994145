import type { Probe, Run } from "./probe-project";
import type { Method, RunLog } from "./run-log";

/** A command of Pulumi's, and what this package relies on when it runs. */
export interface Row {
    title: string;
    args: string[];
    /** What the program registers. The state is that of `cluster()`. */
    probes: Probe[];
    env?: Record<string, string>;
    /** Values of Pulumi's configuration that the state does not know yet. */
    config?: Record<string, string>;
    /** Sentence → whether it is true of a run. */
    relies: Record<string, (run: Run) => boolean>;
}

export const plain = ["--yes", "--skip-preview"];
export const all = "End Record Start h1 h2 n1 n2";

export const urn = (name: string) => `urn:pulumi:dev::probe::pulumi-nodejs:dynamic/probe:Probe::${name}`;

/** Depends on each other as the resources of a cluster do. `value` other than "a": each has something to update. */
export function cluster(value = "a"): Probe[] {
    return [
        { name: "Record", after: [], value },
        { name: "Start", after: ["Record"], value },
        { name: "h1", after: ["Record", "Start"], value },
        { name: "h2", after: ["Record", "Start"], value },
        { name: "n1", after: ["h1"], value, takes: { hostId: ["h1", "id"] } },
        { name: "n2", after: ["h2", "n1"], value, takes: { hostId: ["h2", "id"] } },
        { name: "End", after: ["Record", "Start", "h1", "h2", "n1", "n2"], value },
    ];
}

/** Other inputs of some probes. */
export function change(probes: Probe[], changes: Record<string, Partial<Probe>>): Probe[] {
    return probes.map(probe => ({ ...probe, ...changes[probe.name] }));
}

/** A program that no longer has some probes. */
export function without(probes: Probe[], ...names: string[]): Probe[] {
    const stays = (name: string) => !names.includes(name);
    return probes.filter(({ name }) => stays(name)).map(probe => ({ ...probe, after: probe.after.filter(stays) }));
}

/** Whether each check begins only after the acts of all that the probe depends on have ended. */
export function checksFollowActs({ log }: Run, probes: Probe[], act: Method): boolean {
    return probes.every(({ name, after }) => after.every(other => log.inOrder(`${act} ${other}`, `check ${name}`)));
}

export const called = (log: RunLog, method: Method) => log.of(method).length > 0;

/** Whether the probe got no check in this run. */
export const isUnchecked = ({ log }: Run, name: string) => log.of(`check ${name}`).length === 0;
