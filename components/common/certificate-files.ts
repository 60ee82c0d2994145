import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { NfvError } from "../../provider/common/errors";
import { readGivenFile } from "../../provider/common/given-file";
import type { KubernetesClusterArgs } from "../args/args";
import type { VimArgs } from "../args/vim-args";

/** Certificates of authorities are given as PEM text or as the path of a file; this module reads the files. */

type Certificate = pulumi.Input<string>;
type Read<T> = (value: T, place: string) => T;

/** A cluster's arguments with each authority's certificate replaced. `T`: type of a certificate in `args`. */
export function mapClusterCertificates<Args extends object, T = Certificate>(args: Args, read: Read<T>): Args {
    const { trustedCertificates, registries, cloudProvider } = args as Partial<KubernetesClusterArgs>;
    const one = (value: unknown, place: string) => read(value as T, place);
    return {
        ...args,
        ...(Array.isArray(trustedCertificates) && {
            trustedCertificates: trustedCertificates.map((value, i) => one(value, `trustedCertificates.${i}`)),
        }),
        ...(registries && {
            registries: Object.fromEntries(
                Object.entries(registries).map(([name, { ca, ...rest }]) => [
                    name,
                    { ...rest, ...(ca !== undefined && { ca: one(ca, `registries.${name}.ca`) }) },
                ]),
            ),
        }),
        ...(cloudProvider?.caCertificate !== undefined && {
            cloudProvider: {
                ...cloudProvider,
                caCertificate: one(cloudProvider.caCertificate, "cloudProvider.caCertificate"),
            },
        }),
    };
}

/** The same for a Vim. */
export function mapVimCertificates<Args extends object, T = Certificate>(args: Args, read: Read<T>): Args {
    const { caCertificate, auth } = args as Partial<VimArgs>;
    const one = (value: unknown, place: string) => read(value as T, place);
    const oidc = auth?.oidc;
    return {
        ...args,
        ...(caCertificate !== undefined && { caCertificate: one(caCertificate, "caCertificate") }),
        ...(oidc?.caCertificate !== undefined && {
            auth: { ...auth, oidc: { ...oidc, caCertificate: one(oidc.caCertificate, "auth.oidc.caCertificate") } },
        }),
    };
}

/** How a certificate begins in PEM. */
export const certificateSign = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;

/** What is wrong with a known certificate; undefined: nothing. */
export function certificateProblem(value: string): string | undefined {
    if (isPem(value)) return unreadableCertificate(value);
    if (value.includes("\n") || value.trim() === "")
        return 'is no PEM certificate: "-----BEGIN CERTIFICATE-----" is missing';
    try {
        const text = readGivenFile(value);
        if (!isPem(text)) return `the file ${value} has no PEM certificate`;
        const problem = unreadableCertificate(text);
        return problem === undefined ? undefined : `the file ${value} ${problem}`;
    } catch (error) {
        return `is neither a PEM certificate nor a file that can be read: ${(error as Error).message}`;
    }
}

/** Which of the certificates in a PEM text cannot be read; undefined: all can. */
export function unreadableCertificate(text: string): string | undefined {
    const begun = text.split(new RegExp(`(?=${certificateSign.source})`)).filter(isPem);
    const broken = begun.findIndex(block => !isCertificate(block));
    if (broken === -1) return undefined;
    const which = begun.length === 1 ? "the certificate" : `certificate ${broken + 1} of ${begun.length}`;
    return `has an error: ${which} cannot be read; give it with all of its lines, to "-----END CERTIFICATE-----"`;
}

/** Of a certificate by which somebody logs in or a server is verified: the API takes none that has ended. `now`: for tests. */
export function endedCertificate(text: string, now = new Date()): string | undefined {
    const ends = text
        .split(new RegExp(`(?=${certificateSign.source})`))
        .filter(block => isPem(block) && isCertificate(block))
        .map(block => new X509Certificate(block).validTo);
    const isEnded = ends.length > 0 && ends.every(end => new Date(end) < now);
    return isEnded ? `has ended on ${ends.join(", ")}: give one that is valid` : undefined;
}

function isCertificate(block: string): boolean {
    try {
        new X509Certificate(block);
        return true;
    } catch {
        return false;
    }
}

/** PEM text of a given certificate. A value that is not known yet is read when it is. */
export function certificateText(value: Certificate, place: string): Certificate {
    if (typeof value !== "string") return pulumi.output(value).apply(known => textOf(known, place));
    return textOf(value, place);
}

function textOf(value: string, place: string): string {
    const problem = certificateProblem(value);
    if (problem !== undefined) {
        const error = new NfvError({ code: "INVALID_INPUT", cause: `${place}: ${problem}` });
        // With this mark Pulumi prints the message without a stack trace.
        throw Object.assign(error, { __pulumiRunError: true });
    }
    return isPem(value) ? value : readFileSync(value, "utf8");
}

function isPem(text: string): boolean {
    return certificateSign.test(text);
}
