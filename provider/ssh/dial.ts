import { connect as tcpConnect } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ServerHostKeyAlgorithm } from "ssh2";
import { NfvError } from "../common/errors";
import { credentials } from "./credentials";
import type { DialFailure } from "./failures";
import { classify, place, sshError } from "./failures";
import type { ExpectedHostKey, SeenHostKey } from "./host-keys";
import { algorithmRounds, describeHostKey, parseHostKey } from "./host-keys";
import type { SshTarget } from "./types";

export interface Dialled {
    client: Client;
    hostKey: SeenHostKey;
}

/** Opens the byte stream to the machine: a socket, or a channel through a jump host. */
export type OpenStream = (timeoutMs: number) => Promise<Duplex>;

type Attempt = Dialled | { mismatch: SeenHostKey } | DialFailure;

/** Loaded with the first connection: a preview without changes makes none. */
const ssh2 = () => require("ssh2") as typeof import("ssh2");

const longestTryMs = 10_000;

/** Between two tries. Tests whose machines stay silent change it. */
export const pauses = { firstMs: 200, longestMs: 2_000 };

/**
 * Connects and authenticates both sides. A machine that does not answer yet (it may be booting) is retried until the
 * target's connect timeout; a refused login or a wrong host key fails at once.
 */
export async function dial(
    target: SshTarget,
    recorded: string | undefined,
    open: OpenStream = openSocket(target),
    signal?: AbortSignal,
): Promise<Dialled> {
    const expected = recorded === undefined ? undefined : parseHostKey(recorded);
    const seconds = target.connectTimeoutSeconds ?? 15;
    const deadline = Date.now() + seconds * 1000;
    for (let pause = pauses.firstMs; ; pause = Math.min(pause * 1.6, pauses.longestMs)) {
        signal?.throwIfAborted();
        const result = await tryRounds(target, expected, open, deadline);
        if ("client" in result) {
            return result;
        }
        if (result.kind !== "transient") {
            throw connectError(target, result.cause);
        }
        if (Date.now() + pause >= deadline) {
            throw connectError(target, `${result.cause}, tried for ${seconds} s`);
        }
        await sleep(pause, undefined, { signal });
    }
}

async function tryRounds(
    target: SshTarget,
    expected: ExpectedHostKey | undefined,
    open: OpenStream,
    deadline: number,
): Promise<Dialled | DialFailure> {
    const seen: string[] = [];
    for (const algorithms of algorithmRounds(expected)) {
        const result = await attempt(target, expected, algorithms, open, Math.max(deadline - Date.now(), 1));
        if ("client" in result) {
            return result;
        }
        if ("mismatch" in result) {
            seen.push(result.mismatch.fingerprint);
            if (expected?.type !== undefined) {
                break;
            }
        } else if (result.kind === "authentication") {
            throw refused(target);
        } else if (result.kind !== "hostKeyType") {
            return result;
        }
    }
    throw new NfvError({
        code: "HOST_KEY_CHANGED",
        step: "connect",
        cause: `${target.host} shows ${seen.join(", ") || "no key of a known type"}, recorded is ${expected?.fingerprint}`,
        hint: newKeyHint(target.hostKeyFrom, seen[0]),
    });
}

/** What to do if the user knows why the key changed. */
function newKeyHint(from = "ssh.hostKey of this machine", seen = "the fingerprint of its new key"): string {
    const otherwise = "If you do not know why it has another key, somebody may be in between.";
    if (from === "cloud") {
        return `The program gave the cloud's server its host key, so another machine may answer at this address. If somebody made new host keys on the server, put the former ones back, or make a new server: docs/openstack.md says how. ${otherwise}`;
    }
    return `If you know that it has a new key: set ${from} to "${seen}" and run pulumi up; where the machine was reinstalled, run pulumi up --refresh after that. ${otherwise}`;
}

async function attempt(
    target: SshTarget,
    expected: ExpectedHostKey | undefined,
    serverHostKey: ServerHostKeyAlgorithm[],
    open: OpenStream,
    remainingMs: number,
): Promise<Attempt> {
    const settings = credentials(target);
    const timeoutMs = Math.min(remainingMs, longestTryMs);
    let sock: Duplex;
    try {
        sock = await open(timeoutMs);
    } catch (error) {
        if (error instanceof NfvError) {
            throw error;
        }
        return classify(error as Error);
    }
    const client = new (ssh2().Client)();
    let hostKey: SeenHostKey | undefined;
    return new Promise<Attempt>(resolve => {
        const fail = (result: Attempt) => {
            client.end();
            sock.destroy();
            resolve(result);
        };
        client.on("ready", () => resolve({ client, hostKey: hostKey! }));
        // Never removed: an 'error' event without a listener would end the process.
        client.on("error", error => {
            if ((error as { level?: string }).level === "agent") {
                return; // ssh2 continues with the next method
            }
            fail(isWrong(hostKey, expected) ? { mismatch: hostKey! } : classify(error));
        });
        client.on("close", () => fail(classify(new Error("closed"))));
        client.connect({
            ...settings,
            sock: sock as never,
            readyTimeout: timeoutMs,
            keepaliveInterval: (target.keepAliveSeconds ?? 5) * 1000,
            keepaliveCountMax: 3,
            algorithms: { serverHostKey },
            hostVerifier: (key: Buffer) => {
                hostKey = describeHostKey(key);
                return !isWrong(hostKey, expected);
            },
        });
    });
}

function isWrong(seen: SeenHostKey | undefined, expected: ExpectedHostKey | undefined): boolean {
    return seen !== undefined && expected !== undefined && seen.fingerprint !== expected.fingerprint;
}

function openSocket(target: SshTarget): OpenStream {
    return timeoutMs =>
        new Promise((resolve, reject) => {
            const socket = tcpConnect({ host: target.host, port: target.port ?? 22, noDelay: true });
            const timer = setTimeout(() => socket.destroy(new Error("Timed out")), timeoutMs);
            // Not removed: until ssh2 adds its own listener, an error without a listener would end the process.
            socket.on("error", reject);
            socket.once("connect", () => {
                clearTimeout(timer);
                resolve(socket);
            });
            socket.once("close", () => clearTimeout(timer));
        });
}

function connectError(target: SshTarget, cause: string): NfvError {
    return new NfvError({ code: "CONNECT_FAILED", step: "connect", cause: `${place(target)} ${cause}` });
}

function refused(target: SshTarget): NfvError {
    const offered = credentials(target)
        .authHandler.map(method => method.type)
        .join(", ");
    return sshError("AUTHENTICATION_FAILED", target, `refused user ${target.user ?? "root"}, offered: ${offered}`);
}
