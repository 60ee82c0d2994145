import { NfvError } from "../errors";
import type { CertificateExpiry } from "../expiry";
import { certificatesArgv, certificatesScript, earliestOfNode } from "../kubeadm/certificates";
import { query } from "../steps/query";
import { connectTo, type Peer } from "./machine";
import type { Context } from "./types";

/** By node: the certificate that expires first. */
export type NodeExpiries = Record<string, CertificateExpiry>;

const timeoutSeconds = 20;

/**
 * Reads the certificates of all nodes in parallel. A node that does not answer keeps its last known values, with a
 * warning.
 */
export async function certificatesOf(
    nodes: readonly Peer[],
    before: NodeExpiries,
    context: Context,
): Promise<NodeExpiries> {
    const asked = nodes.map(async ({ name, connection }): Promise<[string, CertificateExpiry][]> => {
        try {
            const expiry = earliestOfNode(name, await ask(context, connection));
            return expiry === undefined ? [] : [[name, expiry]];
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            context.warn(`${name}: when its certificates end cannot be seen now: ${error.reason}`);
            return before[name] === undefined ? [] : [[name, before[name]]];
        }
    });
    return Object.fromEntries((await Promise.all(asked)).flat());
}

function ask(context: Context, target: Peer["connection"]): Promise<string> {
    const asked = { step: "look at certificates", script: certificatesScript, argv: certificatesArgv, timeoutSeconds };
    return query(connectTo(context, target), asked);
}
