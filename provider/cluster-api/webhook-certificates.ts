import { NfvError } from "../common/errors";
import type { KubeObject } from "../vim";

/** A serving certificate that the components ask cert-manager for. */
export interface ServingCertificate {
    /** "NAMESPACE/NAME" of the Certificate, by which webhooks refer to it. */
    reference: string;
    namespace: string;
    secretName: string;
    dnsNames: string[];
}

const certManagerGroup = "cert-manager.io";
export const injection = `${certManagerGroup}/inject-ca-from`;

/** Certificate or Issuer: our authority takes their place. */
export function isOfCertManager({ apiVersion }: KubeObject): boolean {
    return apiVersion.startsWith(`${certManagerGroup}/`);
}

/** @throws INVALID_INPUT for a certificate that is more than one for a server */
export function servingCertificates(objects: readonly KubeObject[], what: string): ServingCertificate[] {
    return objects
        .filter(object => isOfCertManager(object) && object.kind === "Certificate")
        .map(certificate => {
            const { name, namespace = "default" } = certificate.metadata;
            const spec = certificate.spec as { secretName?: string; dnsNames?: string[]; isCA?: boolean } | undefined;
            if (!spec?.secretName || !spec.dnsNames?.length || spec.isCA) {
                throw new NfvError({
                    code: "INVALID_INPUT",
                    cause: `components of ${what}: Certificate ${name} is not one for a webhook's server (secretName, dnsNames, not isCA)`,
                    hint: "Such a provider needs cert-manager itself.",
                });
            }
            return {
                reference: `${namespace}/${name}`,
                namespace,
                secretName: spec.secretName,
                dnsNames: spec.dnsNames,
            };
        });
}

/** Key of a certificate in `WebhookKeys.serving`. */
export function servingKey({ namespace, secretName }: ServingCertificate): string {
    return `${namespace}/${secretName}`;
}
