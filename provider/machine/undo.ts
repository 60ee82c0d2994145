import { type ErrorCode, NfvError } from "../common/errors";
import { brokenNotGivenUp, isGivenUp, noteLeftAlone, notGivenUp } from "../contract/give-up";
import type { Context } from "../contract/types";
import { ownershipOf } from "../kubeadm/ownership";
import type { Connection } from "../ssh";
import { journalToUndo } from "./journal";
import { away, closed, isUnreachable, named } from "./machine";
import { machineStatusOf } from "./machine-statuses";

/** A machine on which our changes are undone. */
export interface MachineToUndo {
    clusterId: string;
    name: string;
    address: string;
    /** Of our authority; undefined if it is not known here. */
    caCertHash?: string;
    connection: Connection;
    /**
     * Errors of the connection that are tolerated, because another resource handles the machine later. @default none
     */
    bears?: ReadonlySet<ErrorCode>;
    /**
     * The cloud has no such server. Not enough alone: with another project or region this seems true of every server.
     * @default false
     */
    gone?: boolean;
}

/** It does not answer, or refuses our login: enough for a machine that its cloud deletes right after. */
export const awayOrClosed: ReadonlySet<ErrorCode> = new Set([...away, ...closed]);

/** Errors that a working machine gives: it is another's, or another run works there. */
const notBroken: ReadonlySet<ErrorCode> = new Set(["FOREIGN_NODE", "NODE_BUSY", "CANCELLED"]);

type Named = Pick<MachineToUndo, "clusterId" | "name" | "connection">;

function leaveAlone({ clusterId, name, connection }: Named, what: string, why: string, context: Context): void {
    noteLeftAlone(context, clusterId, { name, host: connection.target.host, why });
    context.warn(`${name}: ${what}: ${why}`);
}

/**
 * Handles errors of a machine while our changes are undone: a machine that the user gave up by name is left as it is.
 * @throws the error otherwise, with a hint how to give the machine up
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

export interface MachineFound {
    found: "ours" | "nothing" | "unasked";
    /** With "nothing": our note is on it, from a run that ended before its first step. */
    isNoted?: boolean;
    /** This and `memberSince` as in MachineStatus. */
    memberOf?: string;
    memberSince?: string;
}

/**
 * Whether a machine has something of ours to undo. "nothing": it is blank, belongs to another cluster now, or was given up by name. "unasked": it does
 * not answer, which `bears` tolerates.
 * @throws the connection's error if the machine may be alive and was not given up
 */
export async function machineToUndo(machine: MachineToUndo, context: Context): Promise<MachineFound> {
    const { clusterId, name, address, caCertHash, connection, bears, gone = false } = machine;
    const leave = (why: string) => {
        leaveAlone(machine, "nothing was undone there", why, context);
        return { found: "nothing" as const };
    };
    try {
        const facts = await named(name, () => machineStatusOf(connection, address));
        const { memberOf, memberSince } = facts;
        const { ownership, why } = ownershipOf({ clusterId, name, caCertHash, facts });
        if (ownership === "foreign") return leave(`the machine belongs to another cluster by now: ${why}`);
        if (ownership === "empty") return { found: "nothing" };
        if (gone)
            context.warn(
                `${name}: the cloud has no such server, but the machine answers: is it the right project and region?`,
            );
        const journal = await named(name, () => journalToUndo(connection, clusterId, name, context));
        // With our folder its journal is gone, too, and the load balancer may still serve the virtual address.
        const found = facts.traces.length > 0 || facts.isPrepared ? "ours" : journal;
        return { found, isNoted: found === "nothing", memberOf, memberSince };
    } catch (error) {
        if (!(error instanceof NfvError) || notBroken.has(error.code)) throw error;
        if (isGivenUp(clusterId, name)) return leave(`it was given up: ${error.reason}`);
        if (bears?.has(error.code)) {
            if (!gone) context.warn(`${name}: nothing was undone there: ${error.reason}`);
            return { found: "unasked" };
        }
        throw isUnreachable(error)
            ? notGivenUp(error, clusterId, name, context.urn)
            : brokenNotGivenUp(error, clusterId, name);
    }
}
