import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Client, ClientChannel } from "ssh2";
import { lost, sshError } from "./failures";
import type { RunOptions, SshTarget } from "./types";

export interface RawResult {
    code: number;
    stdout: Buffer;
    stderr: Buffer;
}

export interface RawOptions extends Omit<RunOptions, "stdin"> {
    stdin?: string | Buffer | Readable;
}

/** The server refused another session (MaxSessions). */
export class ChannelRefused extends Error {}

/** The connection was lost before the command was sent, so it is safe to send it again. */
export class NotSent extends Error {}

/**
 * Printed before each command's own output: what the start file of a login shell prints comes before it, and is no answer. Such a text may name this package, and
 * does not know this number.
 */
const outputMark = `pulumi-nfv:${randomBytes(6).toString("hex")}:`;

/** The line that the login shell of the user gets. */
const markedLine = (line: string) => `printf %s ${outputMark}; ${line}`;

/** Runs one command line on an open client. `name`: the command's name in messages. */
export function runCommand(client: Client, target: SshTarget, line: string, name: string, options: RawOptions) {
    return new Promise<RawResult>((resolve, reject) => {
        const longest = options.maxBytes ?? maximumBytes;
        const tooMuch = () => {
            const limit = `${longest / 1024 / 1024} MiB`;
            stop(sshError("STEP_FAILED", target, `ran ${name}, which printed more than ${limit}: it was ended`));
        };
        const stdout = new Collector(
            text => options.onOutput?.(text, "stdout"),
            options.onOutput && tailBytes,
            tooMuch,
            longest,
        );
        const before = new BeforeMark(tooMuch);
        const stderr = new Collector(text => options.onOutput?.(text, "stderr"), tailBytes, tooMuch);
        let channel: ClientChannel | undefined;
        let settled = false;
        const settle = (finish: () => void) => {
            if (settled) {
                return;
            }
            settled = true;
            clearTimeout(timer);
            options.signal?.removeEventListener("abort", abort);
            finish();
        };
        const stop = (error: unknown) =>
            settle(() => {
                if (channel !== undefined) {
                    sendTerm(client, channel);
                    channel.close();
                }
                reject(error);
            });
        const abort = () => stop(options.signal!.reason);
        const seconds = options.timeoutSeconds;
        const timer =
            seconds === undefined
                ? undefined
                : setTimeout(() => {
                      const output = Buffer.concat([stdout.bytes(), stderr.bytes()]).toString();
                      stop(sshError("STEP_TIMEOUT", target, `ran ${name} for more than ${seconds} s`, { output }));
                  }, seconds * 1000);
        options.signal?.addEventListener("abort", abort, { once: true });

        const opened = (error: (Error & { reason?: unknown }) | undefined, stream: ClientChannel) => {
            if (error) {
                settle(() => reject(whyNotOpen(error, target)));
                return;
            }
            channel = stream;
            if (settled) {
                stream.close();
                return;
            }
            let code: number | undefined;
            stream.on("data", (chunk: Buffer) => {
                const rest = before.pass(chunk);
                if (rest.length > 0) stdout.add(rest);
            });
            stream.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
            stream.on("exit", (status: number | null, signal?: string) => {
                code = status ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
            });
            // An error when writing to a command that has ended is not reported: its exit code says what happened.
            stream.on("error", () => {});
            stream.on("close", () =>
                settle(() => {
                    if (code === undefined) {
                        reject(lost(target));
                    } else if (!before.isOver) {
                        reject(shellEnded(target, code, `${before.text}\n${stderr.bytes()}`));
                    } else {
                        resolve({ code, stdout: stdout.end(), stderr: stderr.end() });
                    }
                }),
            );
            if (options.stdin instanceof Readable) {
                options.stdin.on("error", error =>
                    stop(sshError("TRANSFER_FAILED", target, `cannot be sent: ${error.message}`)),
                );
                options.stdin.pipe(stream);
            } else if (options.keepStdinOpen) {
                stream.write(options.stdin ?? "");
            } else {
                stream.end(options.stdin);
            }
        };
        try {
            client.exec(markedLine(line), opened);
        } catch {
            settle(() => reject(new NotSent()));
        }
    });
}

/** ssh2 opens a channel, then sends the command. "Unable to exec" means that the second of the two failed. */
function whyNotOpen(error: Error & { reason?: unknown }, target: SshTarget): Error {
    if (error.reason !== undefined) {
        return new ChannelRefused(error.message);
    }
    return error.message === "Unable to exec" ? lost(target) : new NotSent();
}

/** ssh2's own `signal` has no effect once standard input is closed. */
function sendTerm(client: Client, channel: ClientChannel): void {
    try {
        const inner = client as unknown as { _protocol: { signal(channel: number, name: string): void } };
        inner._protocol.signal((channel as unknown as { outgoing: { id: number } }).outgoing.id, "TERM");
    } catch {
        // The connection is gone, so the command lost its terminal anyway.
    }
}

/** More than any expected answer: endless output must not fill this process's memory. */
const maximumBytes = 64 * 1024 * 1024;

/** How much is kept, from the end, of standard error and of output that is passed on as it arrives. */
const tailBytes = 1024 * 1024;

/** Takes away what comes before the mark. */
class BeforeMark {
    isOver = false;
    private seen = Buffer.alloc(0);

    constructor(private readonly tooMuch: () => void) {}

    get text(): string {
        return this.seen.toString();
    }

    pass(chunk: Buffer): Buffer {
        if (this.isOver) return chunk;
        const seen = Buffer.concat([this.seen, chunk]);
        const at = seen.indexOf(outputMark);
        if (at >= 0) {
            this.isOver = true;
            return seen.subarray(at + outputMark.length);
        }
        this.seen = seen;
        if (seen.length > tailBytes) this.tooMuch();
        return Buffer.alloc(0);
    }
}

/** The login shell has not even begun our command: it lets nobody in, or its start file ends it. */
function shellEnded(target: SshTarget, code: number, said: string): Error {
    const words = said.trim().split("\n").slice(-3).join("; ").slice(0, 300);
    const cause = `the login shell of user ${target.user ?? "root"} ran no command and ended with code ${code}${words && `: ${words}`}`;
    return sshError("CONNECT_FAILED", target, cause, {
        hint: "Give that user a shell that runs commands (/bin/sh), and look whether a start file of it (~/.bashrc, ~/.profile) ends the shell.",
    });
}

class Collector {
    private chunks: Buffer[] = [];
    private bytesKept = 0;
    private readonly decoder = new StringDecoder("utf8");

    /**
     * `tail`: the maximum to keep, from the end. Without it everything is kept, and `tooMuch` is called if that is
     * impossible.
     */
    constructor(
        private readonly onText: (text: string) => void,
        private readonly tail: number | undefined,
        private readonly tooMuch: () => void,
        private readonly longest = maximumBytes,
    ) {}

    add(chunk: Buffer): void {
        this.chunks.push(chunk);
        this.bytesKept += chunk.length;
        if (this.tail !== undefined && this.bytesKept > 2 * this.tail) {
            this.chunks = [Buffer.concat(this.chunks).subarray(-this.tail)];
            this.bytesKept = this.tail;
        } else if (this.bytesKept > this.longest) {
            this.chunks = [];
            this.bytesKept = 0;
            this.tooMuch();
        }
        this.tell(this.decoder.write(chunk));
    }

    end(): Buffer {
        this.tell(this.decoder.end());
        return this.bytes();
    }

    bytes(): Buffer {
        return Buffer.concat(this.chunks);
    }

    private tell(text: string): void {
        if (text !== "") {
            this.onText(text);
        }
    }
}
