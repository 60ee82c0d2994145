import { NfvError } from "../common/errors";
import type { CertificateExpiry } from "../common/expiry";
import type { Context } from "../contract/types";
import { certificatesQuery, earliestOfNode } from "../kubeadm/certificate-query";
import { connectTo, type Peer } from "../machine/machine";
import { lastLook } from "../machine/machine-look";
import { query } from "../steps/query";

/** By node: the certificate that expires first. */
export type NodeExpiries = Record<string, CertificateExpiry>;

/**
 * Reads the certificates of all nodes in parallel. A node that does not answer keeps its last known values, with a
 * warning. `inRefresh`: what this run's look at a node has shown is new enough.
 */
export async function certificatesOf(
    nodes: readonly Peer[],
    before: NodeExpiries,
    context: Context,
    inRefresh = false,
): Promise<NodeExpiries> {
    const asked = nodes.map(async ({ name, connection }): Promise<[string, CertificateExpiry][]> => {
        try {
            const expiry = earliestOfNode(name, await ask(context, connection, inRefresh));
            return expiry === undefined ? [] : [[name, expiry]];
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.warn(`${name}: when its certificates end cannot be seen now: ${error.reason}`);
            return before[name] === undefined ? [] : [[name, before[name]]];
        }
    });
    return Object.fromEntries((await Promise.all(asked)).flat());
}

async function ask(context: Context, target: Peer["connection"], inRefresh: boolean): Promise<string> {
    const connection = connectTo(context, target);
    const seen = inRefresh ? (await lastLook(context, connection))?.certificates : undefined;
    if (typeof seen === "string") return seen;
    return query(connection, certificatesQuery);
}
