import { Duplex, Writable } from "node:stream";
import { quote } from "../../../../provider/shell/quote";
import { type Connection, Connections, placeOf, type SshTarget } from "../../../../provider/ssh";
import { SshConnection } from "../../../../provider/ssh/connection";
import { lost, sshError } from "../../../../provider/ssh/failures";
import type { RawOptions, RawResult } from "../../../../provider/ssh/run-command";
import type { FakeNode } from "../../../../testing/fake-node";

/** How a run reaches the fake machines. */
export interface Network {
    /** The machine at an address; undefined: none answers there. */
    at(address: string): FakeNode | undefined;
}

/** Connections to fake machines in this process: without SSH, whose cryptography would take most of the time. */
export class LocalConnections extends Connections {
    private readonly all = new Map<string, LocalConnection>();
    private readonly known = new Map<string, string>();
    private readonly open = new Set<Channel>();
    /** The operator's process is gone. */
    private dead = false;

    constructor(private readonly network: Network) {
        super();
    }

    override to(target: SshTarget): Connection {
        const key = `${placeOf(target)} ${target.hostKey ?? ""}`;
        const made =
            this.all.get(key) ?? new LocalConnection(target, (...asked) => this.run(target, ...asked), this.known);
        this.all.set(key, made);
        return made;
    }

    override hostKeyOf(target: SshTarget): string | undefined {
        return this.known.get(placeOf(target));
    }

    override expect(keys: Readonly<Record<string, string>>): void {
        for (const [place, key] of Object.entries(keys)) if (!this.known.has(place)) this.known.set(place, key);
    }

    override async forget(target: SshTarget): Promise<void> {
        this.known.delete(placeOf(target));
    }

    override async close(): Promise<void> {}

    /** As after `kill -9` of the operator's process: commands end on the machines, and nobody hears of it. */
    kill(): void {
        this.dead = true;
        for (const channel of this.open) channel.callerGone();
    }

    /** The machine does not answer any more. */
    cut(address: string): void {
        for (const channel of this.open) if (channel.address === address) channel.cut();
    }

    private run(
        target: SshTarget,
        argv: readonly string[],
        options: RawOptions,
        answers: () => void,
    ): Promise<RawResult> {
        if (this.dead) return new Promise(() => {});
        return new Promise((resolve, reject) => {
            options.signal?.throwIfAborted();
            const machine = this.network.at(target.host);
            if (machine === undefined) return reject(sshError("CONNECT_FAILED", target, "refused the connection"));
            answers();
            const channel = new Channel(target.host, options, end => {
                this.open.delete(channel);
                if (this.dead) return;
                if (end === undefined) reject(lost(target));
                else resolve(end);
            });
            this.open.add(channel);
            const serve = machine["exec"].bind(machine) as (
                user: string,
                line: string,
                channel: Duplex,
            ) => Promise<void>;
            void serve("root", quote([...argv]), channel);
        });
    }
}

type Ask = (argv: readonly string[], options: RawOptions, answers: () => void) => Promise<RawResult>;

class LocalConnection extends SshConnection {
    private hasAnswered = false;

    constructor(
        target: SshTarget,
        private readonly asked: Ask,
        private readonly keys: Map<string, string>,
    ) {
        super(target);
    }

    override get hostKey(): string | undefined {
        return this.hasAnswered ? `ssh-ed25519 ${Buffer.from(this.target.host).toString("base64")}` : undefined;
    }

    override recordHostKey(): void {
        const key = this.hostKey ?? this.target.hostKey;
        if (key !== undefined) this.keys.set(placeOf(this.target), key);
    }

    override run(argv: readonly string[], options: RawOptions = {}): Promise<RawResult> {
        return this.asked(argv, options, () => {
            this.hasAnswered = true;
        });
    }

    override async closeNow(): Promise<void> {}
}

/** The machine's side of a command: what it reads is our standard input, what it writes is our output. */
class Channel extends Duplex {
    readonly stderr: Writable;
    private readonly said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    private code: number | undefined;
    private settled = false;

    constructor(
        readonly address: string,
        private readonly options: RawOptions,
        private readonly ended: (end: RawResult | undefined) => void,
    ) {
        super({ allowHalfOpen: true });
        this.stderr = new Writable({
            write: (chunk, _encoding, done) => {
                this.hear(chunk, "stderr");
                done();
            },
        });
        const { stdin, keepStdinOpen } = options;
        if (typeof stdin === "string" || Buffer.isBuffer(stdin)) this.push(stdin);
        if (!keepStdinOpen) this.push(null);
    }

    override _read(): void {}

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.hear(chunk, "stdout");
        done();
    }

    override _final(done: () => void): void {
        const bytes = (stream: "stdout" | "stderr") => Buffer.concat(this.said[stream]);
        // What was written to standard error comes in the same turn.
        setImmediate(() => this.settle({ code: this.code ?? 0, stdout: bytes("stdout"), stderr: bytes("stderr") }));
        done();
    }

    exit(end: number | string): void {
        this.code = typeof end === "number" ? end : 137;
    }

    callerGone(): void {
        this.push(null);
    }

    cut(): void {
        this.push(null);
        this.settle(undefined);
    }

    private hear(chunk: Buffer, stream: "stdout" | "stderr"): void {
        if (this.settled) return;
        this.said[stream].push(Buffer.from(chunk));
        this.options.onOutput?.(chunk.toString(), stream);
    }

    private settle(end: RawResult | undefined): void {
        if (this.settled) return;
        this.settled = true;
        this.ended(end);
    }
}
