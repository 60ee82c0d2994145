import { type ErrorCode, NfvError } from "../errors";
import type { Connection } from "../ssh/types";
import { type Clock, realClock } from "./clock";
import { StepProgress } from "./progress";
import { controlPlaneArgv, deadlineExitCode, encodeScript, type StepEnd } from "./protocol";
import { linesOfSecret, redact, secretsOf } from "./redact";
import { Session } from "./session";
import type { Fingerprints, ProgressListener, Step } from "./types";

export interface RunContext {
    /** The node's name. */
    node: string;
    clusterId: string;
    connection: Connection;
    /** A living control-plane node, for `onControlPlane`. */
    controlPlane?: () => Promise<Connection>;
    /** What is recorded in the resource. Where the node's own journal says otherwise, the journal is right. */
    done: Fingerprints;
    report: ProgressListener;
    signal?: AbortSignal;
    /** How long a lease outlives a holder that died, in seconds. @default 30 */
    leaseSeconds?: number;
    clock?: Clock;
}

/** A run that ended early; `done` has what was reached, so that the next run goes on from there. */
export class StepsFailed extends NfvError {
    readonly done: Fingerprints;

    constructor(error: NfvError, done: Fingerprints, node: string) {
        const { code, step, reason, hint, output } = error;
        super({ code, node: error.node ?? node, step, cause: reason, hint, output });
        this.name = "StepsFailed";
        this.done = done;
    }
}

/** How often a step that vanished without an exit code (reboot) is started again. */
const vanishedTimes = 3;

/** Lines of output in a message; the whole of it is in `.output`. */
const tailLines = 15;

/**
 * Brings a node to where `steps` want it: takes its lease, lets what a dead run left running end, and does what is not recorded yet.
 * Returns id → fingerprint of all `steps`. @throws StepsFailed
 */
export async function runSteps(steps: readonly Step[], context: RunContext): Promise<Fingerprints> {
    const { node, clusterId, connection, report, signal, clock = realClock, leaseSeconds = 30 } = context;
    const session = new Session({ node, clusterId, connection, clock, leaseSeconds, report, signal });
    let done = context.done;
    const reached = () => Object.fromEntries(steps.flatMap(({ id }) => (done[id] ? [[id, done[id]]] : [])));
    try {
        const opened = await session.open();
        // A machine without a journal was rebuilt: what the resource remembers of it is no longer true.
        const rebuilt = Object.keys(opened.done).length === 0 && Object.keys(opened.running).length === 0;
        done = rebuilt ? {} : { ...done, ...opened.done };
        for (const [id, fingerprint] of Object.entries(opened.running)) {
            const title = steps.find(step => step.id === id)?.title ?? id;
            const progress = new StepProgress(`still running: ${title}`, report, []);
            const end = await session.waitFor(id, text => progress.output(text)).finally(() => progress.end());
            if (end?.code === 0) done = { ...done, [id]: fingerprint };
        }
        const todo = steps.filter(step => done[step.id] !== step.fingerprint);
        for (const [i, step] of todo.entries()) {
            signal?.throwIfAborted();
            const run = new StepRun(step, `${i + 1}/${todo.length} ${step.title}`, session, { ...context, clock });
            await run.go();
            done = { ...done, [step.id]: step.fingerprint };
        }
        return reached();
    } catch (error) {
        throw new StepsFailed(toNfvError(error, signal), reached(), node);
    } finally {
        await session.close();
    }
}

/** One step: probe, uploads, files, control plane, run. */
class StepRun {
    private readonly deadline: number;
    private secrets: string[];

    constructor(
        private readonly step: Step,
        private readonly label: string,
        private readonly session: Session,
        private readonly context: RunContext & { clock: Clock },
    ) {
        this.deadline = context.clock.now() + step.timeoutSeconds;
        this.secrets = secretsOf(step);
    }

    async go(): Promise<void> {
        const { step, session, context } = this;
        context.report(this.label);
        if (step.probe !== undefined) {
            const script = encodeScript({ run: step.probe, env: step.env });
            if (await session.probe(step.id, script, this.left())) return session.record(step.id, step.fingerprint);
        }
        await this.transfer();
        if (step.onControlPlane === undefined && step.run === undefined) {
            return session.record(step.id, step.fingerprint);
        }
        await this.withRetries();
        if (step.run === undefined) await session.record(step.id, step.fingerprint);
    }

    private async transfer(): Promise<void> {
        const { step, session, label, context } = this;
        const { connection, signal, report } = context;
        for (const { localPath, path, sha256, sizeBytes, mode } of step.uploads ?? []) {
            const name = path.slice(path.lastIndexOf("/") + 1);
            let shown = -1;
            const onProgress = (sent: number, total: number) => {
                const percent = Math.floor((100 * sent) / Math.max(total || sizeBytes, 1));
                if (percent !== shown) report(`${label}: uploading ${name} ${percent} %`);
                shown = percent;
            };
            await session.persist(this.left(), () =>
                connection.upload(localPath, path, { sha256, mode, onProgress, signal }),
            );
            this.left();
        }
        for (const { path, content, mode, owner } of step.files ?? []) {
            await session.persist(this.left(), () => connection.writeFile(path, content, { mode, owner }));
        }
    }

    private async withRetries(): Promise<void> {
        const { retries } = this.step;
        for (let tried = 0; ; tried++) {
            const failure = await this.attempt();
            if (failure === undefined) return;
            const transient = retries?.onExitCodes?.includes(failure.code) ?? true;
            if (failure.error.code === "STEP_TIMEOUT" || !retries || tried >= retries.times || !transient) {
                throw failure.error;
            }
            if (this.context.clock.now() + retries.delaySeconds >= this.deadline) throw failure.error;
            this.context.report(`${this.label}: exit code ${failure.code}, again in ${retries.delaySeconds} s`);
            await this.context.clock.sleep(retries.delaySeconds, this.context.signal);
        }
    }

    private async attempt(): Promise<{ code: number; error: NfvError } | undefined> {
        const { step, session, context, label } = this;
        const secrets = { ...step.secrets };
        if (step.onControlPlane !== undefined) {
            const answer = await this.askControlPlane(step.onControlPlane);
            if (typeof answer !== "string") return answer;
            this.secrets = [...this.secrets, ...linesOfSecret(answer)];
            secrets["control-plane"] = answer;
        }
        if (step.run === undefined) return undefined;
        const script = encodeScript({ run: step.run, env: step.env, secrets });
        let end: StepEnd | undefined;
        let output = "";
        for (let vanished = 0; end === undefined; vanished++) {
            if (vanished > vanishedTimes) {
                return this.failed(1, output, "it was killed on the node again and again, without an exit code");
            }
            output = "";
            const progress = new StepProgress(label, context.report, this.secrets);
            const { id, fingerprint } = step;
            end = await session
                .run({ id, fingerprint, script, timeoutSeconds: this.left() }, text => {
                    output += text;
                    progress.output(text);
                })
                .finally(() => progress.end());
        }
        if (end.code === 0) return undefined;
        const atDeadline =
            end.code === deadlineExitCode && end.seconds + 1 >= Math.min(step.timeoutSeconds, this.rest());
        return atDeadline ? this.failed(end.code, output, undefined, "STEP_TIMEOUT") : this.failed(end.code, output);
    }

    /** The answer, or the failure there. */
    private async askControlPlane(run: string): Promise<string | { code: number; error: NfvError }> {
        const { step, context } = this;
        const stdin = encodeScript({ run, env: step.env });
        if (context.controlPlane === undefined) {
            throw new NfvError({ code: "NO_CONTROL_PLANE", step: step.title, cause: "this step needs one" });
        }
        const connection = await context.controlPlane();
        const options = { stdin, timeoutSeconds: this.left(), signal: context.signal };
        const { code, stdout, stderr } = await connection.exec(controlPlaneArgv, options);
        return code === 0 ? stdout : this.failed(code, stderr, `exit code ${code} on ${connection.target.host}`);
    }

    private failed(code: number, output: string, what?: string, given?: ErrorCode) {
        const { step, secrets } = this;
        const errorCode = given ?? step.errors?.[code] ?? "STEP_FAILED";
        const clean = redact(output, secrets).trimEnd();
        const why = errorCode === "STEP_TIMEOUT" ? `not finished after ${step.timeoutSeconds} s` : `exit code ${code}`;
        const tail = clean.split("\n").slice(-tailLines).join("\n");
        const cause = `${what ?? why}${tail ? `\n${tail}` : ""}`;
        return { code, error: new NfvError({ code: errorCode, step: step.title, cause, output: clean }) };
    }

    private rest(): number {
        return Math.ceil(this.deadline - this.context.clock.now());
    }

    /** Whole seconds up to the deadline, at least one. */
    private left(): number {
        const left = this.rest();
        if (left < 0) throw this.failed(deadlineExitCode, "", undefined, "STEP_TIMEOUT").error;
        return Math.max(left, 1);
    }
}

function toNfvError(error: unknown, signal?: AbortSignal): NfvError {
    if (error instanceof NfvError) return error;
    if (signal?.aborted) return new NfvError({ code: "CANCELLED", cause: "the run was stopped" });
    const cause = error instanceof Error ? error.message : String(error);
    return new NfvError({ code: "STEP_FAILED", cause, output: error instanceof Error ? error.stack : undefined });
}
