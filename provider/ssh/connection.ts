import { setMaxListeners } from "node:events";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "ssh2";
import { NfvError } from "../common/errors";
import { quote } from "../shell/quote";
import { ChannelQueue } from "./channel-queue";
import { dial } from "./dial";
import { lost, sshError } from "./failures";
import * as files from "./files";
import type { RawOptions, RawResult } from "./run-command";
import { ChannelRefused, NotSent, runCommand } from "./run-command";
import type { CommandResult, Connection, FileAttributes, RunOptions, SshTarget, UploadOptions } from "./types";

/** An open connection and what was learned about it. */
interface Live {
    client: Client;
    queue: ChannelQueue;
    /** The words before each argv that make it run as root. */
    prefix?: Promise<string[]>;
}

/** How long sudo may take to answer, in seconds: it may ask a directory service. Tests set less. */
export const limits = { sudoSeconds: 30 };

/** Where sshd allows one session at a time: as many connections more are opened, and the rest waits. */
const neighbours = 3;

/** A session that has ended counts until sshd has noticed: how often we ask again, after pauses that grow. */
const refusedTimes = 20;

/** An idle connection is closed after this time, so that it does not keep a process alive. */
const idleMs = 30_000;

export class SshConnection implements Connection {
    private live?: Promise<Live>;
    private current?: Live;
    private seenHostKey?: string;
    private idleTimer?: NodeJS.Timeout;
    private busy = 0;
    private closeWhenIdle = false;
    private neighbour?: SshConnection;

    /**
     * `jump`: the connection to the jump host, if the target has one. `record`: makes the rest of the run expect this host
     * key. `more`: how many more connections to this machine may be opened.
     */
    constructor(
        readonly target: SshTarget,
        readonly jump?: SshConnection,
        private readonly record: (hostKey: string) => void = () => {},
        private more = neighbours,
    ) {}

    get hostKey(): string | undefined {
        return this.seenHostKey;
    }

    recordHostKey(): void {
        // Keep the key of a machine that did not answer this time.
        const hostKey = this.seenHostKey ?? this.target.hostKey;
        if (hostKey !== undefined) this.record(hostKey);
        this.jump?.recordHostKey();
    }

    async exec(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
        const { code, stdout, stderr } = await this.run(argv, options);
        return { code, stdout: stdout.toString(), stderr: stderr.toString() };
    }

    writeFile(path: string, content: string | Buffer, attributes: FileAttributes = {}): Promise<void> {
        return files.writeFile(this, path, content, attributes);
    }

    upload(localPath: string, path: string, options: UploadOptions): Promise<void> {
        return files.upload(this, localPath, path, options);
    }

    readFile(path: string): Promise<Buffer | undefined> {
        return files.readFile(this, path);
    }

    /** Closes the connection once nothing runs on it: others may share it. The next call opens it again. */
    async close(): Promise<void> {
        if (this.busy === 0) {
            await this.closeNow();
        } else {
            this.closeWhenIdle = true;
        }
    }

    async closeNow(): Promise<void> {
        clearTimeout(this.idleTimer);
        this.closeWhenIdle = false;
        const live = this.live;
        this.live = undefined;
        this.current = undefined;
        await this.neighbour?.closeNow();
        const opened = await live?.catch(() => undefined);
        if (opened) {
            await new Promise<void>(resolve => {
                opened.client.once("close", resolve);
                opened.client.end();
                setTimeout(() => resolve(void opened.client.destroy()), 1000).unref();
            });
        }
    }

    async run(argv: readonly string[], options: RawOptions = {}): Promise<RawResult> {
        return this.whileBusy(async () => {
            options.signal?.throwIfAborted();
            if (options.signal !== undefined) {
                setMaxListeners(0, options.signal); // one signal may stop any number of commands
            }
            for (let reopened = false; ; reopened = true) {
                const live = await abortable(this.open(), options.signal);
                try {
                    return await this.runOn(live, argv, options);
                } catch (error) {
                    if (!(error instanceof NotSent)) {
                        throw error;
                    }
                    if (reopened) {
                        throw lost(this.target);
                    }
                    this.forget(live);
                }
            }
        });
    }

    private async runOn(live: Live, argv: readonly string[], options: RawOptions): Promise<RawResult> {
        const { client, queue, prefix } = live;
        const line = quote([...(await prefix!), ...deadline(options.timeoutSeconds), ...argv]);
        for (let tries = 0; ; tries++) {
            const beside = queue.single && !queue.idle ? await this.openNeighbour() : undefined;
            if (beside !== undefined) return beside.run(argv, options);
            await queue.acquire(options.signal);
            try {
                return await runCommand(client, this.target, line, argv[0], options);
            } catch (error) {
                if (!(error instanceof ChannelRefused)) {
                    throw error;
                }
                if (!queue.shrink()) {
                    if (tries >= refusedTimes) throw noSession(this.target);
                    await sleep(Math.min(5 * 1.5 ** tries, 200), undefined, { signal: options.signal });
                }
            } finally {
                queue.release();
            }
        }
    }

    /** Another connection to this machine. Undefined: there are enough of them, or it lets us in no second time. */
    private async openNeighbour(): Promise<SshConnection | undefined> {
        if (this.more === 0) return undefined;
        const hostKey = this.target.hostKey ?? this.seenHostKey;
        const target = { ...this.target, ...(hostKey !== undefined && { hostKey }) };
        this.neighbour ??= new SshConnection(target, this.jump, this.record, this.more - 1);
        try {
            await this.neighbour.open();
            return this.neighbour;
        } catch (error) {
            if (!(error instanceof NfvError)) throw error;
            this.more = 0;
            return undefined;
        }
    }

    /** A byte stream from this machine to another one, for a connection through it. */
    async forward(host: string, port: number, timeoutMs: number): Promise<Duplex> {
        this.busy++; // until the stream ends: a jump host in use is not idle
        clearTimeout(this.idleTimer);
        try {
            const { client } = await this.openClient();
            const stream = await new Promise<Duplex>((resolve, reject) => {
                const timer = setTimeout(() => reject(new Error("Timed out")), timeoutMs);
                client.forwardOut("127.0.0.1", 0, host, port, (error, channel) => {
                    clearTimeout(timer);
                    if (error) {
                        reject(error);
                    } else {
                        resolve(channel);
                    }
                });
            });
            stream.once("close", () => this.workEnded());
            return stream;
        } catch (error) {
            this.workEnded();
            throw asJumpHost(error);
        }
    }

    private async whileBusy<T>(work: () => Promise<T>): Promise<T> {
        this.busy++;
        clearTimeout(this.idleTimer);
        try {
            return await work();
        } finally {
            this.workEnded();
        }
    }

    private workEnded(): void {
        if (--this.busy > 0) {
            return;
        }
        if (this.closeWhenIdle) {
            void this.closeNow();
        } else {
            this.idleTimer = setTimeout(() => void this.closeNow(), idleMs);
            this.idleTimer.unref();
        }
    }

    private async open(): Promise<Live> {
        const live = await this.openClient();
        live.prefix ??= this.becomeRoot(live.client);
        try {
            await live.prefix;
        } catch (error) {
            live.prefix = undefined;
            if (error instanceof ChannelRefused) throw noSession(this.target);
            throw error instanceof NotSent ? lost(this.target) : error;
        }
        return live;
    }

    private async openClient(): Promise<Live> {
        this.live ??= this.dial();
        return this.live;
    }

    private async dial(): Promise<Live> {
        const forward = this.jump;
        const { host, port = 22 } = this.target;
        try {
            const { client, hostKey } = await dial(
                this.target,
                this.target.hostKey ?? this.seenHostKey,
                forward === undefined ? undefined : timeoutMs => forward.forward(host, port, timeoutMs),
            );
            this.seenHostKey = hostKey.text;
            const live: Live = { client, queue: new ChannelQueue() };
            this.current = live;
            client.on("close", () => this.forget(live));
            client.on("end", () => this.forget(live));
            return live;
        } catch (error) {
            this.live = undefined;
            throw error;
        }
    }

    /** Makes the next call open a new connection, unless one was opened already. */
    private forget(live: Live): void {
        if (this.current === live) {
            this.current = undefined;
            this.live = undefined;
        }
    }

    private async becomeRoot(client: Client): Promise<string[]> {
        if ((this.target.user ?? "root") === "root") {
            return [];
        }
        const prefix = ["sudo", "-n", "--"];
        const { code, stderr } = await runCommand(client, this.target, quote([...prefix, "true"]), "sudo", {
            timeoutSeconds: limits.sudoSeconds,
        });
        if (code !== 0) {
            const said = stderr.toString().trim().split("\n").pop();
            const hint = /must have a tty/.test(said ?? "")
                ? `sudo wants a terminal (Defaults requiretty), which no program has: in a file of /etc/sudoers.d write "Defaults:${this.target.user} !requiretty".`
                : undefined;
            const cause = `refuses sudo to user ${this.target.user}: ${said}`;
            throw sshError("SUDO_REFUSED", this.target, cause, hint === undefined ? {} : { hint });
        }
        return prefix;
    }
}

function noSession(target: SshTarget): NfvError {
    return sshError("CONNECT_FAILED", target, "lets us in, and opens no session for commands", {
        hint: "Its sshd is set up so: MaxSessions, in /etc/ssh/sshd_config or a Match block of it, must be at least 1 (sshd -T shows it).",
    });
}

/** Replaces the usual hint, which names the machine's input instead of the jump host's. */
function asJumpHost(error: unknown): unknown {
    if (!(error instanceof NfvError) || error.code !== "HOST_KEY_CHANGED") return error;
    const { code, step, reason, output } = error;
    const hint =
        "This is a jump host. If it was rebuilt on purpose, give its new key as ssh.jump.hostKey. If not, somebody may be in between.";
    return new NfvError({ code, step, cause: `jump host ${reason}`, hint, output });
}

/**
 * A time limit on the machine, one second longer than our own: when our timer closes the channel, sshd does not end the
 * command, and in root's sessions it passes no signals on.
 */
function deadline(seconds: number | undefined): string[] {
    return seconds === undefined ? [] : ["timeout", "-k", "5", `${Math.ceil(seconds) + 1}`];
}

function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal === undefined) {
        return work;
    }
    return new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
}
