import { X509Certificate } from "node:crypto";
import { caCertHash } from "../identity";

/** What a machine shows of the cluster that it belongs to. Nothing of it is secret. */
export interface Traces {
    /** "CLUSTER NODE" as our agent noted it; empty: it was never here. */
    noted: string;
    /** Paths that only a member of some cluster has. */
    traces: string[];
    /** One entry for each file that names an authority: `sha256:…` of each key in it; "unreadable" where it is no certificate. */
    authorities: string[][];
    /** API servers that kubelet and the administrators' access name. */
    servers: string[];
    /** Names in kubelet's certificate: the node's. */
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

/** Stands for the key of what is no certificate. */
export const unreadable = "unreadable";

/** `sha256:…` of each key in a file of certificates. A file may hold several authorities: that is how one is exchanged for another. */
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
