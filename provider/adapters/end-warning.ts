import type { ClusterKeysState } from "../cluster/cluster-keys";
import { adminExpiry, type CertificateExpiry, expiryWarning, isRenewalDue } from "../common/expiry";
import { tokenWarning } from "../vim/token-times";

type Properties = Record<string, unknown>;

/** By resource type: a warning about something in the state that expires soon. */
const ends: Record<string, (state: Properties) => string | undefined> = {
    OperationEnd: ({ earliestExpiry, renewBeforeDays }) =>
        expiryWarning(
            earliestExpiry as CertificateExpiry | undefined,
            Date.now(),
            renewBeforeDays as number | undefined,
        ),
    ClusterKeys: ({ certificates }) =>
        expiryWarning(
            adminExpiry((certificates as ClusterKeysState["certificates"] | undefined)?.current.adminCertificate),
        ),
    VimRegistration: ({ bearerToken }) => tokenWarning(String(bearerToken ?? "")),
};

/** The warning for this state, shown at each preview and each `up`, also if nothing changed. */
export function endWarning(type: string, state: Properties): string | undefined {
    return Object.hasOwn(ends, type) ? ends[type]!(state) : undefined;
}

/** By resource type: whether what the state has seen must be looked at again by now, although nothing was changed. */
const due: Record<string, (state: Properties) => boolean> = {
    OperationEnd: ({ earliestExpiry, renewBeforeDays }) =>
        isRenewalDue(earliestExpiry as CertificateExpiry | undefined, renewBeforeDays as number | undefined),
};

/** The nodes' certificates may have been renewed since. */
export function isTimeUp(type: string, state: Properties): boolean {
    return Object.hasOwn(due, type) && due[type]!(state);
}
