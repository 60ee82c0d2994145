import { createHash } from "node:crypto";
import { NfvError } from "../common/errors";

/** A host key as the machine sends it. */
export interface SeenHostKey {
    /** "ssh-ed25519 AAAA…" */
    text: string;
    /** "SHA256:…" as ssh-keygen -l prints it. */
    fingerprint: string;
}

/** What a machine must show: a whole key (then `type` is known) or only a fingerprint. */
export interface ExpectedHostKey {
    type?: string;
    fingerprint: string;
}

/** The algorithms that ssh2 supports. Not ssh2's own type: users of this package's types may not have ssh2's. */
export type HostKeyAlgorithm =
    | "ssh-ed25519"
    | "ecdsa-sha2-nistp256"
    | "ecdsa-sha2-nistp384"
    | "ecdsa-sha2-nistp521"
    | "rsa-sha2-512"
    | "rsa-sha2-256";

const families: Record<string, HostKeyAlgorithm[]> = {
    "ssh-ed25519": ["ssh-ed25519"],
    "ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
    "ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
    "ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
    "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"],
};

const all = Object.values(families).flat();

export function describeHostKey(blob: Buffer): SeenHostKey {
    const type = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString("latin1");
    return { text: `${type} ${blob.toString("base64")}`, fingerprint: fingerprintOf(blob) };
}

function fingerprintOf(blob: Buffer): string {
    return `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`;
}

/** Accepts "ssh-ed25519 AAAA… comment" and "SHA256:…". */
export function parseHostKey(text: string): ExpectedHostKey {
    const [first, second] = text.trim().split(/\s+/);
    if (/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(first)) {
        return { fingerprint: first.replace(/=$/, "") };
    }
    const blob = second === undefined ? Buffer.alloc(0) : Buffer.from(second, "base64");
    if (first in families && blob.length > 4 && describeHostKey(blob).text.startsWith(`${first} `)) {
        return { type: first, fingerprint: fingerprintOf(blob) };
    }
    throw new NfvError({
        code: "INVALID_INPUT",
        step: "connect",
        cause: "the host key is neither a public key nor a SHA256 fingerprint",
        hint: `Give "ssh-ed25519 AAAA…" (a line of the server's /etc/ssh/ssh_host_*_key.pub) or "SHA256:…".`,
    });
}

/**
 * The algorithms to offer in each attempt. A host has several keys and shows the one that is negotiated. For a key of
 * known type, that type is offered first, then any, only to report what the host shows instead. For a fingerprint, each
 * type is tried.
 */
export function algorithmRounds(expected: ExpectedHostKey | undefined): HostKeyAlgorithm[][] {
    if (expected === undefined) {
        return [all];
    }
    return expected.type === undefined ? Object.values(families) : [families[expected.type], all];
}
