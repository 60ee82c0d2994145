import { type ErrorCode, NfvError } from "../errors";
import { ownershipOf } from "../kubeadm/ownership";
import type { Connection } from "../ssh";
import { factsOf } from "./facts";
import { brokenNotGivenUp, isGivenUp, noteLeftAlone, notGivenUp } from "./give-up";
import { journalToUndo } from "./journal";
import { away, isUnreachable, named } from "./machine";
import type { Context } from "./types";

/** A machine on which something is to be undone. */
export interface MachineToUndo {
    clusterId: string;
    name: string;
    address: string;
    /** Of our authority; undefined: not known here. */
    caCertHash?: string;
    connection: Connection;
    /** Errors of the connection that may be borne, because somebody else sees to the machine later. @default none */
    bears?: ReadonlySet<ErrorCode>;
    /** The cloud has no such server. Not enough alone: another project or region says the same of every server. @default false */
    gone?: boolean;
}

/** It does not answer, or does not let us in: enough for a machine that is deleted by its cloud right after. */
export const awayOrClosed: ReadonlySet<ErrorCode> = new Set([
    ...away,
    "AUTHENTICATION_FAILED",
    "HOST_KEY_CHANGED",
    "SUDO_REFUSED",
]);

/** Of a machine that works: it says what it is, or that somebody else is at work there. */
const notBroken: ReadonlySet<ErrorCode> = new Set(["FOREIGN_NODE", "NODE_BUSY", "CANCELLED"]);

type Named = Pick<MachineToUndo, "clusterId" | "name" | "connection">;

function leaveAlone({ clusterId, name, connection }: Named, what: string, why: string, context: Context): void {
    noteLeftAlone(clusterId, { name, host: connection.target.host, why });
    context.warn(`${name}: ${what}: ${why}`);
}

/**
 * What to do with an error of a machine while it is undone: where the machine was given up by name, it is left as it is.
 * @throws the error, with a hint how the machine is given up
 */
export function bearIfGivenUp(machine: Named, context: Context): (error: unknown) => void {
    const { clusterId, name } = machine;
    return error => {
        if (!(error instanceof NfvError) || notBroken.has(error.code)) throw error;
        if (!isGivenUp(clusterId, name)) {
            throw isUnreachable(error) ? error : brokenNotGivenUp(error, clusterId, name);
        }
        leaveAlone(machine, "not all was undone there", `it was given up: ${error.reason}`, context);
    };
}

/**
 * Whether there is something of ours on a machine to undo. "nothing": it is blank, is another cluster's by now, or was given up by name;
 * "unasked": it does not answer, which is borne here.
 * @throws what the connection said, where the machine may live and nobody gave it up
 */
export async function machineToUndo(machine: MachineToUndo, context: Context): Promise<"ours" | "nothing" | "unasked"> {
    const { clusterId, name, address, caCertHash, connection, bears, gone = false } = machine;
    const leave = (why: string) => {
        leaveAlone(machine, "nothing was undone there", why, context);
        return "nothing" as const;
    };
    try {
        const facts = await named(name, () => factsOf(connection, address));
        const { ownership, why } = ownershipOf({ clusterId, name, caCertHash, facts });
        if (ownership === "foreign") return leave(`the machine belongs to another cluster by now: ${why}`);
        if (ownership === "empty") return "nothing";
        if (gone)
            context.warn(
                `${name}: the cloud has no such server, but the machine answers: is it the right project and region?`,
            );
        const journal = await named(name, () => journalToUndo(connection, clusterId, name, context));
        return facts.traces.length > 0 ? "ours" : journal;
    } catch (error) {
        if (!(error instanceof NfvError) || notBroken.has(error.code)) throw error;
        if (isGivenUp(clusterId, name)) return leave(`it was given up: ${error.reason}`);
        if (bears?.has(error.code)) {
            if (!gone) context.warn(`${name}: nothing was undone there: ${error.reason}`);
            return "unasked";
        }
        throw isUnreachable(error)
            ? notGivenUp(error, clusterId, name, context.urn)
            : brokenNotGivenUp(error, clusterId, name);
    }
}
