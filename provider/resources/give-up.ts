import { NfvError } from "../errors";

/** Machines that a person gives up, each by its whole name, with commas between: "core-1a2b3c4d/m1,core-1a2b3c4d/w2". */
export const giveUpVariable = "NFV_GIVE_UP";

/** Whether a person said of this machine, by its cluster and name, that it may be left as it is. */
export function isGivenUp(clusterId: string, name: string): boolean {
    const given = (process.env[giveUpVariable] ?? "").split(",").map(each => each.trim());
    return given.includes(`${clusterId}/${name}`);
}

interface LeftAlone {
    name: string;
    host: string;
    why: string;
}

/** What this run left as it was, by cluster: said once more at the end, when the cluster's keys go. */
const leftAlone = new Map<string, LeftAlone[]>();

export function noteLeftAlone(clusterId: string, machine: LeftAlone): void {
    const others = (leftAlone.get(clusterId) ?? []).filter(({ name }) => name !== machine.name);
    leftAlone.set(clusterId, [...others, machine]);
}

/** What a person must know when the last access to the cluster goes; undefined: nothing was left. */
export function whatWasLeftAlone(clusterId: string): string | undefined {
    const machines = leftAlone.get(clusterId) ?? [];
    if (machines.length === 0) return undefined;
    const lines = machines.map(({ name, host, why }) => `    ${name} (${host}): ${why.split("\n")[0]}`);
    return [
        `${clusterId}: ${machines.length === 1 ? "this machine was" : "these machines were"} left as found, and may still run Kubernetes with the cluster's keys:`,
        ...lines,
        "    Reset each by hand, or reinstall it.",
    ].join("\n");
}

/** The refusal to forget a machine that cannot be asked. */
export function notGivenUp(error: NfvError, clusterId: string, name: string): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `Nothing was undone on ${name}. Start it, or correct its \`ssh\` in the program and run pulumi up (destroy uses what the last up was given). ` +
        `To leave it as it is for ever, say so by name: ${giveUpVariable}=${clusterId}/${name}`;
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}

/** The failure of a machine that answers but cannot be undone: its disk is full, or read-only. */
export function brokenNotGivenUp(error: NfvError, clusterId: string, name: string): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `Correct the cause on ${name} and run pulumi up again: it goes on from there. ` +
        `To leave it as it is for ever, say so by name: ${giveUpVariable}=${clusterId}/${name}`;
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}
