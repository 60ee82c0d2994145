import { X509Certificate } from "node:crypto";
import { caCertHash } from "../identity";

/** What shows to which cluster a machine belongs. Contains no secret. */
export interface Traces {
    /** "CLUSTER NODE" as our agent recorded it; empty if it never ran here. */
    noted: string;
    /** Existing paths that only a member of some cluster has. */
    traces: string[];
    /**
     * One entry per file that names an authority: `sha256:…` of each key in it; "unreadable" for what is not a
     * certificate.
     */
    authorities: string[][];
    /** API servers that the kubeconfigs of kubelet and the administrator name. */
    servers: string[];
    /** Node names in kubelet's certificate. */
    nodeNames: string[];
}

export function parseTraces(lines: readonly (readonly [name: string, value: string])[]): Traces {
    const all = (name: string) => lines.filter(([key]) => key === name).map(([, value]) => value.trim());
    const authorities = all("authority").map(hashesOf);
    return {
        noted: all("noted")[0] ?? "",
        traces: all("trace"),
        authorities: [...new Map(authorities.map(each => [each.join(), each])).values()],
        servers: [...new Set(all("server"))],
        nodeNames: all("certificate").flatMap(nodeNamesIn),
    };
}

/** Stands for the key of something that is not a certificate. */
export const unreadable = "unreadable";

/** `sha256:…` of each key in a file of certificates. A file may hold several authorities while one replaces another. */
export function hashesOf(base64: string): string[] {
    const found = certificatesIn(base64).map(pem => {
        try {
            return caCertHash(pem);
        } catch {
            return unreadable;
        }
    });
    return found.length === 0 ? [unreadable] : found;
}

function nodeNamesIn(base64: string): string[] {
    return certificatesIn(base64).flatMap(pem => {
        try {
            return /CN=system:node:(\S+)/.exec(new X509Certificate(pem).subject)?.slice(1) ?? [];
        } catch {
            return [];
        }
    });
}

function certificatesIn(base64: string): string[] {
    const text = Buffer.from(base64, "base64").toString();
    return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
