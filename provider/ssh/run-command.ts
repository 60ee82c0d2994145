import { constants } from "node:os";
import { Readable } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { BeforeMark, Collector, maximumBytes, outputMark, tailBytes } from "./command-output";
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

/** The line that the login shell of the user gets. */
const markedLine = (line: string) => `printf %s ${outputMark}; ${line}`;

interface Command {
    client: Client;
    target: SshTarget;
    /** Its name in messages. */
    name: string;
    options: RawOptions;
}

/** Runs one command line on an open client. `name`: the command's name in messages. */
export function runCommand(client: Client, target: SshTarget, line: string, name: string, options: RawOptions) {
    return new Promise<RawResult>((resolve, reject) => {
        new Running({ client, target, name, options }, { resolve, reject }).begin(line);
    });
}

/** A command that runs: it ends once, with its result or with what stopped it. */
class Running {
    private readonly stdout: Collector;
    private readonly stderr: Collector;
    private readonly before = new BeforeMark(() => this.printedTooMuch());
    private readonly timer: NodeJS.Timeout | undefined;
    private readonly abort = () => this.stop(this.command.options.signal!.reason);
    private channel: ClientChannel | undefined;
    private isSettled = false;

    constructor(
        private readonly command: Command,
        private readonly ends: { resolve(result: RawResult): void; reject(error: unknown): void },
    ) {
        const { onOutput, maxBytes, timeoutSeconds: seconds, signal } = command.options;
        const tooMuch = () => this.printedTooMuch();
        this.stdout = new Collector(text => onOutput?.(text, "stdout"), onOutput && tailBytes, tooMuch, maxBytes);
        this.stderr = new Collector(text => onOutput?.(text, "stderr"), tailBytes, tooMuch);
        this.timer = seconds === undefined ? undefined : setTimeout(() => this.tookTooLong(seconds), seconds * 1000);
        signal?.addEventListener("abort", this.abort, { once: true });
    }

    begin(line: string): void {
        try {
            this.command.client.exec(markedLine(line), (error, stream) => this.opened(error, stream));
        } catch {
            this.settle(() => this.ends.reject(new NotSent()));
        }
    }

    private opened(error: (Error & { reason?: unknown }) | undefined, stream: ClientChannel): void {
        if (error) {
            this.settle(() => this.ends.reject(whyNotOpen(error, this.command.target)));
            return;
        }
        this.channel = stream;
        if (this.isSettled) {
            stream.close();
            return;
        }
        this.listen(stream);
        this.send(stream);
    }

    private listen(stream: ClientChannel): void {
        let code: number | undefined;
        stream.on("data", (chunk: Buffer) => {
            const rest = this.before.pass(chunk);
            if (rest.length > 0) this.stdout.add(rest);
        });
        stream.stderr.on("data", (chunk: Buffer) => this.stderr.add(chunk));
        stream.on("exit", (status: number | null, signal?: string) => {
            code = status ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
        });
        // An error when writing to a command that has ended is not reported: its exit code says what happened.
        stream.on("error", () => {});
        stream.on("close", () => this.settle(() => this.closed(code)));
    }

    private closed(code: number | undefined): void {
        const { target } = this.command;
        const { before, stdout, stderr, ends } = this;
        if (code === undefined) ends.reject(lost(target));
        else if (!before.isOver) ends.reject(shellEnded(target, code, `${before.text}\n${stderr.bytes()}`));
        else ends.resolve({ code, stdout: stdout.end(), stderr: stderr.end() });
    }

    private send(stream: ClientChannel): void {
        const { target, options } = this.command;
        const { stdin, keepStdinOpen } = options;
        if (stdin instanceof Readable) {
            stdin.on("error", error =>
                this.stop(sshError("TRANSFER_FAILED", target, `cannot be sent: ${error.message}`)),
            );
            stdin.pipe(stream);
        } else if (keepStdinOpen) {
            stream.write(stdin ?? "");
        } else {
            stream.end(stdin);
        }
    }

    private printedTooMuch(): void {
        const { target, name, options } = this.command;
        const limit = `${(options.maxBytes ?? maximumBytes) / 1024 / 1024} MiB`;
        this.stop(sshError("STEP_FAILED", target, `ran ${name}, which printed more than ${limit}: it was ended`));
    }

    private tookTooLong(seconds: number): void {
        const { target, name } = this.command;
        const output = Buffer.concat([this.stdout.bytes(), this.stderr.bytes()]).toString();
        this.stop(sshError("STEP_TIMEOUT", target, `ran ${name} for more than ${seconds} s`, { output }));
    }

    private stop(error: unknown): void {
        this.settle(() => {
            if (this.channel !== undefined) {
                sendTerm(this.command.client, this.channel);
                this.channel.close();
            }
            this.ends.reject(error);
        });
    }

    private settle(finish: () => void): void {
        if (this.isSettled) return;
        this.isSettled = true;
        clearTimeout(this.timer);
        this.command.options.signal?.removeEventListener("abort", this.abort);
        finish();
    }
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

/** The login shell has not even begun our command: it lets nobody in, or its start file ends it. */
function shellEnded(target: SshTarget, code: number, said: string): Error {
    const words = said.trim().split("\n").slice(-3).join("; ").slice(0, 300);
    const cause = `the login shell of user ${target.user ?? "root"} ran no command and ended with code ${code}${words && `: ${words}`}`;
    return sshError("CONNECT_FAILED", target, cause, {
        hint: "Give that user a shell that runs commands (/bin/sh), and look whether a start file of it (~/.bashrc, ~/.profile) ends the shell.",
    });
}
