import { X509Certificate } from "node:crypto";

/** The certificate of a cluster that expires first. */
export interface CertificateExpiry {
    /** Path of the file, or a description. */
    certificate: string;
    /** "" if the certificate is not on a node. */
    node: string;
    /** ISO 8601. */
    expires: string;
}

/** Days before the expiry from which we warn. */
export const warningDays = 90;

const day = 86_400_000;

/** Returns the certificate that expires first. */
export function earliest(expiries: readonly CertificateExpiry[]): CertificateExpiry | undefined {
    return [...expiries].sort((a, b) => Date.parse(a.expires) - Date.parse(b.expires))[0];
}

/**
 * The warning for a certificate that expires soon; undefined if there is none. A renewed certificate is noticed by a
 * refresh only.
 */
export function expiryWarning(expiry: CertificateExpiry | undefined, now = Date.now()): string | undefined {
    if (expiry === undefined) return undefined;
    const days = Math.floor((Date.parse(expiry.expires) - now) / day);
    if (!(days < warningDays)) return undefined;
    const { certificate, node, expires } = expiry;
    const place = node === "" ? certificate : `${certificate} on ${node}`;
    const when = days < 0 ? `ended on ${expires}` : `ends on ${expires}, in ${days} days`;
    return `${place} ${when}. See docs/how-it-works.md, Certificates; after a renewal, pulumi refresh looks again.`;
}

/** Expiry of the administrators' client certificate, which is in the state and on no node. */
export function adminExpiry(certificate: unknown): CertificateExpiry | undefined {
    if (typeof certificate !== "string" || !certificate.includes("BEGIN CERTIFICATE")) return undefined;
    const expires = new Date(new X509Certificate(certificate).validTo).toISOString().replace(".000Z", "Z");
    return { certificate: "the kubeconfig's client certificate", node: "", expires };
}
