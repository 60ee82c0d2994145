import { X509Certificate } from "node:crypto";
import { readComponents } from "./components";
import { labelOf } from "./provider-names";
import type { ProviderSpec, WebhookKeys } from "./types";
import { type ServingCertificate, servingCertificates, servingKey } from "./webhook-certificates";

/** Validity in days. */
export interface Validity {
    /** @default 3650 */
    authorityDays?: number;
    /** @default 365 */
    servingDays?: number;
}

const defaultAuthorityDays = 3650;
const defaultServingDays = 365;
/** A certificate is renewed when less than this part of its life is left. */
const renewedAt = 1 / 3;
const day = 86_400_000;

/** Keys for the webhooks of new providers. */
export async function newWebhookKeys(
    providers: readonly ProviderSpec[],
    validity: Validity = {},
): Promise<WebhookKeys> {
    const authority = await newAuthority(validity);
    return filled({ authority, formerAuthorities: "", serving: {} }, providers, Date.now(), validity);
}

/**
 * The same keys with what is due made again: certificates that end soon or name other hosts, those of added providers; and
 * the authority when it could not sign a certificate for its whole life any more, with all certificates. The former authority
 * stays trusted until the next change of it, because pods receive a changed Secret a minute later.
 * Returns `keys` itself when nothing is due.
 */
export async function renewedWebhookKeys(
    keys: WebhookKeys,
    providers: readonly ProviderSpec[],
    validity: Validity = {},
    now = Date.now(),
): Promise<WebhookKeys> {
    const servingDays = validity.servingDays ?? defaultServingDays;
    const authorityEnds = Date.parse(new X509Certificate(keys.authority.certificate).validTo);
    if (authorityEnds - now < servingDays * day) {
        const authority = await newAuthority(validity);
        return filled(
            { authority, formerAuthorities: keys.authority.certificate, serving: {} },
            providers,
            now,
            validity,
        );
    }
    const wanted = certificatesOf(providers);
    const isCurrent =
        Object.keys(keys.serving).length === wanted.length && wanted.every(each => isGood(keys, each, now));
    return isCurrent ? keys : filled(keys, providers, now, validity);
}

/** When the next certificate is due, in ISO 8601. */
export function renewalDue(keys: WebhookKeys): string {
    const due = Object.values(keys.serving).map(({ certificate }) => dueAt(new X509Certificate(certificate)));
    return new Date(
        Math.min(...due, Date.parse(new X509Certificate(keys.authority.certificate).validTo)),
    ).toISOString();
}

async function filled(
    keys: WebhookKeys,
    providers: readonly ProviderSpec[],
    now: number,
    { servingDays = defaultServingDays }: Validity,
): Promise<WebhookKeys> {
    const { createServerCertificate } = certificates();
    const entries = await Promise.all(
        certificatesOf(providers).map(async wanted => {
            const key = servingKey(wanted);
            const pair = isGood(keys, wanted, now)
                ? keys.serving[key]
                : // A common name has at most 64 letters, fewer than these hosts' names.
                  await createServerCertificate(keys.authority, {
                      commonName: wanted.secretName.slice(0, 64),
                      dnsNames: wanted.dnsNames,
                      validDays: servingDays,
                  });
            return [key, pair] as const;
        }),
    );
    return { ...keys, serving: Object.fromEntries(entries) };
}

function certificatesOf(providers: readonly ProviderSpec[]): ServingCertificate[] {
    return providers.flatMap(spec => servingCertificates(readComponents(spec), labelOf(spec)));
}

function isGood(keys: WebhookKeys, wanted: ServingCertificate, now: number): boolean {
    const pair = keys.serving[servingKey(wanted)];
    if (pair === undefined) return false;
    const certificate = new X509Certificate(pair.certificate);
    return now < dueAt(certificate) && wanted.dnsNames.every(name => certificate.checkHost(name) !== undefined);
}

function dueAt(certificate: X509Certificate): number {
    const [begin, end] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    return end - (end - begin) * renewedAt;
}

function newAuthority({ authorityDays = defaultAuthorityDays }: Validity) {
    return certificates().createAuthority("pulumi-nfv-webhooks", authorityDays);
}

/** Loaded on demand: loading the certificate library takes longer than a whole preview should. */
function certificates() {
    return require("../identity/certificates") as typeof import("../identity/certificates.js");
}
