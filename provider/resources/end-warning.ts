import { adminExpiry, type CertificateExpiry, expiryWarning } from "../expiry";
import type { ClusterKeysState } from "./cluster-keys";
import { tokenWarning } from "./token-times";

type Properties = Record<string, unknown>;

/** By resource type: a warning about something in the state that expires soon. */
const ends: Record<string, (state: Properties) => string | undefined> = {
    OperationEnd: ({ earliestExpiry }) => expiryWarning(earliestExpiry as CertificateExpiry | undefined),
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
