import type { KubeObject } from "../vim";

interface WithBundles {
    data?: Record<string, string>;
    webhooks?: { clientConfig?: { caBundle?: string } }[];
    spec?: { conversion?: { webhook?: { clientConfig?: { caBundle?: string } } } };
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;

/**
 * The authorities of webhooks that a cluster's objects name, PEM, each once: those of the serving certificates in Secrets, and those that the API server trusts.
 * Pods serve a former certificate for about a minute after their Secret has another one.
 */
export function trustedAuthorities(objects: readonly KubeObject[]): string {
    const texts = objects.flatMap(object => {
        const { data, webhooks = [], spec } = object as WithBundles;
        const bundles = [...webhooks, spec?.conversion?.webhook ?? {}].map(
            ({ clientConfig }) => clientConfig?.caBundle,
        );
        return [data?.["ca.crt"], ...bundles].flatMap(base64 =>
            base64 ? [Buffer.from(base64, "base64").toString()] : [],
        );
    });
    const found = texts.flatMap(text => text.match(certificates) ?? []).map(pem => `${pem.trimEnd()}\n`);
    return [...new Set(found)].join("");
}
