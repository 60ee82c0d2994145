import { type ErrorCode, NfvError } from "../common/errors";
import type { CommandResult, Connection, RunOptions } from "../ssh/types";
import { type BatchListener, BatchReader, type BatchStep, encodeBatch } from "./batch";
import { callAgent } from "./call-agent";
import type { Clock } from "./clock";
import { isDead, newHolder } from "./holder";
import {
    type AgentCall,
    agentExit,
    isStoppable,
    type Opened,
    parseBusy,
    parseEnd,
    parseForeign,
    parseOpened,
    parseRunning,
} from "./protocol";
import type { Fingerprints, ProgressListener } from "./types";

export interface BatchEnd {
    /**
     * `ended`: the batch ended, and the listener got its steps' results. `vanished`: it has no exit code, because the
     * node was shut down or the process was killed together with its wrapper. `disturbed`: something else was running
     * there.
     */
    how: "ended" | "vanished" | "disturbed";
    /** The node's journal, for cases where the listener may have missed results. */
    done: Fingerprints;
}

export interface SessionOptions {
    node: string;
    clusterId: string;
    connection: Connection;
    /** The node for which this machine acts; its session is beside that of the machine. */
    forNode?: string;
    clock: Clock;
    leaseSeconds: number;
    report: ProgressListener;
    signal?: AbortSignal;
}

/** Failures of the connection to the node, not of the work there. */
const transient = new Set<ErrorCode>(["CONNECTION_LOST", "CONNECT_FAILED"]);

/** The node enforces deadlines of steps. If there is no end this many seconds after the deadline, the node hangs. */
const graceSeconds = 60;

/** Minimum time of retries for a lost node, whatever the step's deadline: a switch reboots in that time. */
const patienceSeconds = 60;

/**
 * One run's session on one node: installs the agent, takes and renews the lease, repeats calls after a lost connection.
 */
export class Session {
    private readonly holder = newHolder();
    private attempt = 0;
    private renewal?: NodeJS.Timeout;
    private contact = false;

    constructor(private readonly options: SessionOptions) {}

    /** Takes the lease; waits until a dead holder's lease expires. */
    async open(): Promise<Opened> {
        const opened = parseOpened((await this.takeLease()).stdout);
        const interval = (this.options.leaseSeconds * 1000) / 3;
        let renewing = false;
        this.renewal = setInterval(async () => {
            if (renewing) return;
            renewing = true;
            // A failure is ignored here: each call that changes something needs the lease and will notice.
            await this.exec({ verb: "renew", holder: this.holder, ttlSeconds: this.options.leaseSeconds }).catch(
                () => {},
            );
            renewing = false;
        }, interval);
        this.renewal.unref();
        return opened;
    }

    async close(): Promise<void> {
        clearInterval(this.renewal);
        // Without the run's signal: a run that was cancelled returns its lease, too.
        if (this.contact) {
            await this.inAnyCase({ verb: "close", holder: this.holder });
        }
    }

    /** Ends what may be stopped; for others it does nothing. */
    async stop(id: string): Promise<void> {
        await this.inAnyCase({ verb: "stop", id, holder: this.holder });
    }

    /** Waits for the end of what a former run left running. */
    async waitFor(id: string, listener: BatchListener): Promise<void> {
        const reader = new BatchReader(listener);
        let offset = 0;
        await this.persist(patienceSeconds, () =>
            this.exec({ verb: "wait", id, offset }, undefined, text => {
                offset += Buffer.byteLength(text);
                reader.add(text);
            }),
        );
    }

    /** Runs steps detached, one after another until one fails; attaches again after a lost connection. */
    async run(steps: readonly BatchStep[], listener: BatchListener): Promise<BatchEnd> {
        const [{ id, fingerprint }] = steps;
        const timeoutSeconds = steps.reduce((sum, step) => sum + step.timeoutSeconds, 0);
        const stdin = encodeBatch(steps);
        const sizeBytes = Buffer.byteLength(stdin);
        const attempt = ++this.attempt;
        const { holder } = this;
        const reader = new BatchReader(listener);
        let offset = 0;
        const once = async (): Promise<BatchEnd> => {
            const result = await this.exec(
                { verb: "run", id, fingerprint, timeoutSeconds, holder, attempt, offset, sizeBytes },
                { stdin, keepStdinOpen: true, timeoutSeconds: timeoutSeconds + graceSeconds },
                text => {
                    offset += Buffer.byteLength(text);
                    reader.add(text);
                },
            );
            switch (result.code) {
                case agentExit.ok:
                    if (parseEnd(result) === undefined) throw this.refused(result);
                    return { how: "ended", done: {} };
                case agentExit.unknown:
                    return { how: "vanished", done: await this.journal() };
                case agentExit.leaseLost:
                    // Meanwhile another run may have deleted a batch of ours that had ended.
                    return { how: "disturbed", done: await this.journal() };
                case agentExit.otherRunning:
                    await this.waitFor(parseRunning(result), { begin: () => {}, output: () => {}, end: () => {} });
                    return { how: "disturbed", done: await this.journal() };
                case agentExit.truncated:
                    throw new NfvError({
                        code: "CONNECTION_LOST",
                        cause: "the connection broke while a script was sent",
                    });
                default:
                    throw this.refused(result);
            }
        };
        try {
            return await this.persist(timeoutSeconds, once);
        } catch (error) {
            if (this.options.signal?.aborted && isStoppable(fingerprint)) await this.stop(id);
            throw error;
        }
    }

    /** True if the node is already in the wanted state. */
    async probe(id: string, script: string, timeoutSeconds: number): Promise<boolean> {
        const result = await this.persist(timeoutSeconds, () =>
            this.exec(
                { verb: "probe", id, timeoutSeconds },
                { stdin: script, timeoutSeconds: timeoutSeconds + graceSeconds },
            ),
        );
        return result.code === 0;
    }

    /** Records a step that ran nothing on the node. */
    async record(id: string, fingerprint: string): Promise<void> {
        const call = { verb: "done", id, fingerprint, holder: this.holder } as const;
        let result = await this.persist(patienceSeconds, () => this.exec(call));
        if (result.code === agentExit.leaseLost) {
            await this.takeLease();
            result = await this.exec(call);
        }
        if (result.code !== agentExit.ok) throw this.refused(result);
    }

    /** Repeats calls that are safe to repeat until the node is back, for at least a minute. */
    async persist<T>(seconds: number, work: () => Promise<T>): Promise<T> {
        const { clock, signal, report, node } = this.options;
        let since: number | undefined;
        for (let pause = 0.5; ; pause = Math.min(pause * 2, 5)) {
            const began = clock.now();
            try {
                const result = await work();
                this.contact = true;
                return result;
            } catch (error) {
                if (!this.contact || !(error instanceof NfvError) || !transient.has(error.code)) throw error;
                // A call that lasted long had a connection, so the time for retries starts again.
                if (since === undefined || clock.now() - began > 2 * patienceSeconds) since = clock.now();
                if (clock.now() - since > Math.max(seconds, patienceSeconds)) throw error;
                report(`connection to ${node} lost, trying again`);
                await clock.sleep(pause, signal);
            }
        }
    }

    private async journal(): Promise<Fingerprints> {
        return parseOpened((await this.takeLease()).stdout).done;
    }

    private async takeLease(): Promise<CommandResult> {
        const { clock, leaseSeconds, report, signal, node, clusterId } = this.options;
        const call = { verb: "open", cluster: clusterId, node, holder: this.holder, ttlSeconds: leaseSeconds } as const;
        let giveUpAt: number | undefined;
        for (;;) {
            const result = await this.persist(patienceSeconds, () => this.exec(call));
            this.contact = true;
            if (result.code === agentExit.ok) return result;
            if (result.code !== agentExit.busy) throw this.refused(result);
            const { holder, secondsLeft } = parseBusy(result.stdout);
            if (isDead(holder)) {
                await this.exec({ verb: "close", holder });
                continue;
            }
            // A dead holder's lease expires after the remaining time. If it is still valid then, its holder renews it.
            giveUpAt ??= clock.now() + secondsLeft + 2;
            if (clock.now() >= giveUpAt) {
                const { forNode } = this.options;
                const which = forNode === undefined ? "of this machine" : `for ${forNode} on this machine`;
                const cause = `${holder} holds the lease ${which} and keeps renewing it`;
                throw new NfvError({ code: "NODE_BUSY", node, cause });
            }
            report(`waiting for the lease of ${holder.split(".")[0]} (${secondsLeft} s)`);
            await clock.sleep(1, signal);
        }
    }

    private async exec(
        call: AgentCall,
        options: RunOptions = {},
        onOutput?: (text: string) => void,
    ): Promise<CommandResult> {
        let heard = 0;
        const { connection, forNode } = this.options;
        const result = await callAgent(connection, withNode(call, forNode), {
            ...options,
            signal: this.options.signal,
            onOutput:
                onOutput &&
                ((text, stream) => {
                    if (stream !== "stdout") return;
                    heard += text.length;
                    onOutput(text);
                }),
        });
        if (onOutput && heard === 0 && result.stdout) onOutput(result.stdout);
        return result;
    }

    /** Also after the run was cancelled. */
    private async inAnyCase(call: AgentCall): Promise<void> {
        const { connection, forNode } = this.options;
        await callAgent(connection, withNode(call, forNode)).catch(() => {});
    }

    private refused(result: CommandResult): NfvError {
        const { node } = this.options;
        const said = (result.stderr.trim() || result.stdout.trim()).split("\n").slice(-15).join("\n");
        if (result.code === agentExit.foreign) {
            const other = parseForeign(result.stdout);
            const cause = `this machine is node ${other.node} of cluster ${other.cluster}`;
            return new NfvError({ code: "FOREIGN_NODE", node, cause });
        }
        const code = result.code === agentExit.unsupported ? "UNSUPPORTED_SYSTEM" : "STEP_FAILED";
        return new NfvError({ code, node, cause: `the agent ended with exit code ${result.code}: ${said}` });
    }
}

function withNode(call: AgentCall, forNode: string | undefined): AgentCall {
    return forNode === undefined ? call : { ...call, forNode };
}
