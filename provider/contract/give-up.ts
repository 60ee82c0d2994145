import { NfvError } from "../common/errors";
import { runFacts } from "./run-facts";
import type { InSession } from "./types";

/**
 * Environment variable: what the user gives up, by full names separated by commas:
 * "core-1a2b3c4d/m1,core-1a2b3c4d/w2,core-1a2b3c4d/vim:core".
 */
export const giveUpVariable = "NFV_GIVE_UP";

/** Whether the user gave up this machine, by its cluster and name: then it may be left as it is. */
export function isGivenUp(clusterId: string, name: string): boolean {
    return givenUp().includes(`${clusterId}/${name}`);
}

/** The names that the user gave up in this cluster. */
export function namesGivenUp(clusterId: string): string[] {
    const start = `${clusterId}/`;
    return givenUp().flatMap(each => (each.startsWith(start) ? [each.slice(start.length)] : []));
}

function givenUp(): string[] {
    const given = (process.env[giveUpVariable] ?? "").split(",").map(each => each.trim());
    return given.filter(each => each !== "");
}

export interface Deletion {
    clusterId: string;
    /** What the user would give up: "vim:core", "cnf:upf". */
    name: string;
    /** The error that says what may live on, and how to give it up. */
    mayLive(error: NfvError): NfvError;
    /** Says what stays, as the user gave it up. */
    leave(reason: string): void;
}

/** Deletes something in a cluster that may be gone for good. A failure stays one unless the user gave it up. */
export async function unlessGivenUp({ clusterId, name, mayLive, leave }: Deletion, work: () => Promise<void>) {
    try {
        await work();
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (!isGivenUp(clusterId, name)) throw mayLive(error);
        leave(error.reason);
    }
}

/** A cluster's name may be its URL. */
const wholeName = /^(https:\/\/\S+|[^/\s]+)\/[^/\s]+$/;

/** The warning about entries that are not full names and have no effect; undefined if there are none. */
export function noWholeNames(): string | undefined {
    const wrong = givenUp().filter(each => !wholeName.test(each));
    if (wrong.length === 0) return undefined;
    return `${giveUpVariable}: ${wrong.join(", ")} is of no effect: a machine is given up by its whole name, CLUSTERID/NAME; a Vim by CLUSTERID/vim:NAME, a Cnf by CLUSTERID/cnf:NAME`;
}

/** How to leave a machine as it is: the commands, and what was given instead of its full name. */
export function howToGiveUp(clusterId: string, name: string): string {
    const wrong = givenUp().filter(each => each.split("/").at(-1) === name);
    const said = wrong.length > 0 ? ` (${wrong.join(", ")} is not its whole name)` : "";
    const command = `${giveUpVariable}=${clusterId}/${name}`;
    return `To leave it as it is for ever: ${command} pulumi up, or ${command} pulumi destroy where that was asked for${said}.`;
}

/** It is reported again at the end, when the cluster's keys are deleted. */
export function noteLeftAlone(
    context: InSession,
    clusterId: string,
    machine: { name: string; host: string; why: string },
): void {
    const { leftAlone } = runFacts(context).did;
    const others = (leftAlone.get(clusterId) ?? []).filter(({ name }) => name !== machine.name);
    leftAlone.set(clusterId, [...others, machine]);
}

/** The warning when the last access to the cluster is deleted; undefined if nothing was left. */
export function whatWasLeftAlone(context: InSession, clusterId: string): string | undefined {
    const machines = runFacts(context).did.leftAlone.get(clusterId) ?? [];
    if (machines.length === 0) return undefined;
    const lines = machines.map(({ name, host, why }) => `    ${name} (${host}): ${why.split("\n")[0]}`);
    return [
        `${clusterId}: ${machines.length === 1 ? "this machine was" : "these machines were"} left as found, and may still run Kubernetes with the cluster's keys:`,
        ...lines,
        "    Reset each by hand (kubeadm reset -f, then move /var/lib/pulumi-nfv away), or reinstall it.",
    ].join("\n");
}

/**
 * The refusal to forget a machine that cannot be asked. How its `ssh` can be corrected depends on why it is deleted,
 * which only the user knows. `urn`: of its Host or Node.
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

/** The error for a machine that answers but cannot be reset: its disk is full, or read-only. */
export function brokenNotGivenUp(error: NfvError, clusterId: string, name: string): NfvError {
    const { code, step, reason, output } = error;
    const hint =
        `Correct the cause on ${name} and run the same command again: it goes on from there.\n` +
        howToGiveUp(clusterId, name);
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}

/**
 * The error for a failed drain of a machine that does not answer: pods of a kubelet that no longer reports end only if
 * the machine is given up.
 */
export function notDrainedNotGivenUp(error: unknown, clusterId: string, name: string): unknown {
    if (!(error instanceof NfvError) || error.code !== "DRAIN_FAILED") return error;
    const { code, step, reason, output } = error;
    const hint =
        `${name} does not answer, and its pods may still run on it. Start it and run the same command again.\n` +
        `If it is off for ever, give it up; make sure first that it is off, because its pods are started elsewhere. ${howToGiveUp(clusterId, name)}`;
    return new NfvError({ code, node: name, step, cause: reason, hint, output });
}
