import type { ErrorCode } from "../common/errors";
import { NfvError } from "../common/errors";
import type { SshTarget } from "./types";

/** Why one attempt to connect failed. */
export interface DialFailure {
    kind: "transient" | "permanent" | "authentication" | "hostKeyType";
    cause: string;
}

/** What ssh2 and the socket report. The first row that matches. */
const table: { when: RegExp; kind: DialFailure["kind"]; cause: string }[] = [
    { when: /no matching host key format/, kind: "hostKeyType", cause: "has no host key of this type" },
    { when: /authentication methods failed|authentication failures/i, kind: "authentication", cause: "" },
    { when: /ECONNREFUSED|Connection refused/, kind: "transient", cause: "refused the connection" },
    { when: /EHOSTUNREACH|ENETUNREACH|No route to host/, kind: "transient", cause: "has no route from here" },
    { when: /ETIMEDOUT|Timed out|Keepalive timeout/i, kind: "transient", cause: "did not answer in time" },
    { when: /EAI_AGAIN/, kind: "transient", cause: "cannot be looked up now" },
    { when: /ENOTFOUND/, kind: "permanent", cause: "is not a known name" },
    { when: /no matching/, kind: "permanent", cause: "has no algorithm in common with us" },
    { when: /prohibited/, kind: "permanent", cause: "may not be reached through the jump host (forwarding is off)" },
    { when: /.*/, kind: "transient", cause: "closed the connection before it was usable" },
];

/** Library messages are never passed on: they may quote secrets. */
export function classify(error: Error & { code?: unknown }): DialFailure {
    const text = `${String(error.code ?? "")} ${error.message}`;
    return table.find(row => row.when.test(text))!;
}

export function place(target: SshTarget): string {
    const through = target.jump === undefined ? "" : ` (through ${target.jump.host})`;
    return `${target.host}:${target.port ?? 22}${through}`;
}

export function sshError(code: ErrorCode, target: SshTarget, cause: string, more?: { hint?: string; output?: string }) {
    return new NfvError({ code, cause: `${place(target)} ${cause}`, ...more });
}

export function lost(target: SshTarget): NfvError {
    return sshError("CONNECTION_LOST", target, "went away while a command was running");
}
