import { NfvError } from "../common/errors";
import type { NodeSpec } from "../common/model";
import type { Context } from "../contract/types";
import { type CertificateEnds, dueCertificates, endsOf, renewBeforeDays } from "../kubeadm/certificate-ends";
import { certificatesQuery } from "../kubeadm/certificate-query";
import type { StepState } from "../machine/machine";
import type { Connection } from "../ssh";
import { query } from "../steps/query";
import { certificatesStep } from "./renew-certificates";

export interface CertificatesState {
    /** Of the node's certificates that `up` renews, as last seen. Undefined: never seen. */
    certificates?: CertificateEnds;
}

type Wanted = Pick<NodeSpec, "certificates">;

/**
 * Why certificates of a node are to be renewed, from what was last seen, so that a preview knows it without asking the machine. Undefined:
 * none is. A machine that does not answer keeps what was seen.
 */
export function renewalDue({ certificates = {} }: CertificatesState, wanted: Wanted): string | undefined {
    return dueCertificates(certificates, renewBeforeDays(wanted));
}

/** A refresh found a certificate that has ended, or the last run did not renew them. */
export function isRenewalAsked(olds: CertificatesState & StepState, wanted: Wanted): boolean {
    return renewalDue(olds, wanted) !== undefined || olds.done[certificatesStep] === undefined;
}

/** Looks at a node's certificates. One that cannot be asked keeps what was seen. */
export async function certificatesSeen(
    name: string,
    connection: Connection,
    before: CertificatesState | undefined,
    context: Pick<Context, "warn">,
): Promise<CertificatesState> {
    try {
        return certificatesIn(name, await query(connection, certificatesQuery), before, context);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return certificatesIn(name, error, before, context);
    }
}

/** The same of what a machine has said already. */
export function certificatesIn(
    name: string,
    said: string | NfvError,
    before: CertificatesState | undefined,
    context: Pick<Context, "warn">,
): CertificatesState {
    if (typeof said === "string") {
        const certificates = endsOf(said);
        return Object.keys(certificates).length === 0 ? {} : { certificates };
    }
    context.warn(`${name}: when its certificates end cannot be seen now: ${said.reason.split("\n")[0]}`);
    return before?.certificates === undefined ? {} : { certificates: before.certificates };
}
