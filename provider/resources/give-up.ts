import { NfvError } from "../errors";

/** What a person gives up, each by its whole name, with commas between: "core-1a2b3c4d/m1,core-1a2b3c4d/w2,core-1a2b3c4d/vim:core". */
export const giveUpVariable = "NFV_GIVE_UP";

/** Whether a person said of this machine, by its cluster and name, that it may be left as it is. */
export function isGivenUp(clusterId: string, name: string): boolean {
    return givenUp().includes(`${clusterId}/${name}`);
}

function givenUp(): string[] {
    const given = (process.env[giveUpVariable] ?? "").split(",").map(each => each.trim());
    return given.filter(each => each !== "");
}

/** A cluster may be called by its URL. */
const wholeName = /^(https:\/\/\S+|[^/\s]+)\/[^/\s]+$/;

/** What of the variable is no whole name, and so of no effect; undefined: nothing. */
export function noWholeNames(): string | undefined {
    const wrong = givenUp().filter(each => !wholeName.test(each));
    if (wrong.length === 0) return undefined;
    return `${giveUpVariable}: ${wrong.join(", ")} is of no effect: a machine is given up by its whole name, CLUSTERID/NAME; a Vim by CLUSTERID/vim:NAME, a Cnf by CLUSTERID/cnf:NAME`;
}

/** The commands that leave a machine as it is, and what was said instead of its whole name. */
function howToGiveUp(clusterId: string, name: string): string {
    const wrong = givenUp().filter(each => each.split("/").at(-1) === name);
    const said = wrong.length > 0 ? ` (${wrong.join(", ")} is not its whole name)` : "";
    const command = `${giveUpVariable}=${clusterId}/${name}`;
    return `To leave it as it is for ever: ${command} pulumi up, or ${command} pulumi destroy where that was asked for${said}.`;
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
        "    Reset each by hand (kubeadm reset -f, then move /var/lib/pulumi-nfv away), or reinstall it.",
    ].join("\n");
}

/**
 * The refusal to forget a machine that cannot be asked. What corrects its `ssh` hangs on why it is deleted, which only the person knows.
 * `urn`: of its Host or Node.
 */
export function notGivenUp(error: NfvError, clusterId: string, name: string, urn: string): NfvError {
    const { code, step, reason, output } = error;
    const host = urn === "" ? "URN-OF-ITS-HOST" : `'${urn.replace(/nfv:Node::/, "nfv:Host::")}'`;
    const hint = [
        `Nothing was undone on ${name}. Start it and run the same command again. Where its \`ssh\` is wrong:`,
        ...(code === "HOST_KEY_CHANGED" ? [error.hint] : []),
        "The program has the machine: correct it there and run pulumi up.",
        `A destroy stopped halfway: correct it, pulumi up --target ${host}, then pulumi destroy; a whole up would build the cluster again.`,
        "The program no longer has it: bring it back with the right one, run pulumi up, and take it out again.",
        howToGiveUp(clusterId, name),
    ].join("\n");
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}

/** The failure of a machine that answers but cannot be undone: its disk is full, or read-only. */
export function brokenNotGivenUp(error: NfvError, clusterId: string, name: string): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `Correct the cause on ${name} and run the same command again: it goes on from there.\n` +
        howToGiveUp(clusterId, name);
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}

/** The failed drain of a machine that does not answer: pods of a kubelet that has stopped reporting end only where it was given up. */
export function notDrainedNotGivenUp(error: unknown, clusterId: string, name: string): unknown {
    if (!(error instanceof NfvError) || error.code !== "DRAIN_FAILED") return error;
    const { code, step, reason, output } = error;
    const hint =
        `${name} does not answer, and its pods may still run on it. Start it and run the same command again.\n` +
        `If it is off for ever, give it up; make sure first that it is off, because its pods are started elsewhere. ${howToGiveUp(clusterId, name)}`;
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}
