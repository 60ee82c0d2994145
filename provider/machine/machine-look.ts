import type { NfvError } from "../common/errors";
import { askTogether, lastAnswer } from "../contract/questions";
import type { InSession } from "../contract/types";
import { healthQuery, type MachineLook, parseLook } from "../health/look";
import { certificatesQuery } from "../kubeadm/certificate-query";
import type { Connection } from "../ssh";
import { journalQuery, type PrintedJournal, parsePrintedJournal } from "../steps/print-journal";
import { queryTogether } from "../steps/queries";

/** What one look shows of a machine: all that its Host, its Node and the end of an operation want to know. */
export interface Seen {
    journal: PrintedJournal | NfvError;
    machine: MachineLook | NfvError;
    /** As print-certificates.sh prints them. */
    certificates: string | NfvError;
}

/**
 * Looks at a machine in one round trip, and changes nothing. A refresh reads a machine's Host and Node at the same time: who asks while a look is under way
 * gets what that one shows. @throws CONNECT_FAILED and similar codes
 */
export function lookAt(context: InSession, connection: Connection, clusterId: string, node: string): Promise<Seen> {
    return askTogether(context, connection, () => askAll(connection, clusterId, node));
}

/** What the refresh of this run has seen there; undefined if it has not looked. */
export const lastLook = (context: InSession, connection: Connection) => lastAnswer<Seen>(context, connection);

async function askAll(connection: Connection, clusterId: string, node: string): Promise<Seen> {
    const asked = [journalQuery(node), healthQuery(["host", "node"]), certificatesQuery];
    const [journal, health, certificates] = await queryTogether(connection, asked);
    return {
        journal: typeof journal === "string" ? parsePrintedJournal(journal, clusterId, node) : journal!,
        machine: typeof health === "string" ? parseLook(health) : health!,
        certificates: certificates!,
    };
}
