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

/** Days before the end of a certificate from which on `up` renews it, or we warn. */
export const warningDays = 90;

const day = 86_400_000;

/** ISO 8601 to the second. */
export function isoSeconds(time: number): string {
    return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Returns the certificate that expires first. */
export function earliest(expiries: readonly CertificateExpiry[]): CertificateExpiry | undefined {
    return [...expiries].sort((a, b) => Date.parse(a.expires) - Date.parse(b.expires))[0];
}

/** An authority, or a certificate that is on no node. */
const stays = ({ certificate, node }: CertificateExpiry) =>
    node === "" || /\/(ca|front-proxy-ca)\.crt$/.test(certificate);

/** From how many days before its end on `up` renews a certificate. kubelet makes its serving certificate for one year, whatever the program says. */
export function renewalLimit(certificate: string, days: number): number {
    return certificate.endsWith("kubelet.crt") ? Math.min(days, warningDays) : days;
}

/** Whether this certificate is to be renewed on its node, as far as was seen. */
export function isRenewalDue(expiry: CertificateExpiry | undefined, days = warningDays, now = Date.now()): boolean {
    if (expiry === undefined || stays(expiry)) return false;
    return Date.parse(expiry.expires) - now < renewalLimit(expiry.certificate, days) * day;
}

/** The warning for a certificate that expires soon; undefined if there is none. */
export function expiryWarning(
    expiry: CertificateExpiry | undefined,
    now = Date.now(),
    renewBeforeDays = warningDays,
): string | undefined {
    if (expiry === undefined) return undefined;
    const days = Math.floor((Date.parse(expiry.expires) - now) / day);
    const renews = !stays(expiry);
    if (!(days < (renews ? renewalLimit(expiry.certificate, renewBeforeDays) : warningDays))) return undefined;
    const { certificate, node, expires } = expiry;
    const place = node === "" ? certificate : `${certificate} on ${node}`;
    const when = days < 0 ? `ended on ${expires}` : `ends on ${expires}, in ${days} days`;
    return `${place} ${when}. ${renews ? "pulumi up renews it" : "No operation renews it"}: docs/certificates.md`;
}

/** Expiry of the administrators' client certificate, which is in the state and on no node. */
export function adminExpiry(certificate: unknown): CertificateExpiry | undefined {
    if (typeof certificate !== "string" || !certificate.includes("BEGIN CERTIFICATE")) return undefined;
    const expires = new Date(new X509Certificate(certificate).validTo).toISOString().replace(".000Z", "Z");
    return { certificate: "the kubeconfig's client certificate", node: "", expires };
}
