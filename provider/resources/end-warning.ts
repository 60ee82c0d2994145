import { adminExpiry, type CertificateExpiry, expiryWarning } from "../expiry";
import { tokenWarning } from "./token-times";

type Properties = Record<string, unknown>;

/** By type: what of a state is about to end. */
const ends: Record<string, (state: Properties) => string | undefined> = {
    OperationEnd: ({ earliestExpiry }) => expiryWarning(earliestExpiry as CertificateExpiry | undefined),
    ClusterIdentity: ({ adminCertificate }) => expiryWarning(adminExpiry(adminCertificate)),
    Vim: ({ bearerToken }) => tokenWarning(String(bearerToken ?? "")),
};

/** What is about to end, by what the state says: said at each preview and each `up`, also where nothing changed. */
export function endWarning(type: string, state: Properties): string | undefined {
    return Object.hasOwn(ends, type) ? ends[type]!(state) : undefined;
}
