import { type ErrorCode, NfvError } from "../errors";
import type { Connection } from "../ssh/types";
import { type BatchStep, type EndedStep, encodeStep } from "./batch";
import { type Clock, realClock } from "./clock";
import { isStale, stale } from "./plan";
import { StepProgress } from "./progress";
import { controlPlaneArgv, deadlineExitCode, encodeScript } from "./protocol";
import { linesOfSecret, redact, secretsOf } from "./redact";
import { type BatchEnd, Session } from "./session";
import type { Fingerprints, ProgressListener, Retry, Step } from "./types";

export interface RunContext {
    /** The node's name. */
    node: string;
    clusterId: string;
    connection: Connection;
    /** Returns a ready control-plane node, for `onControlPlane`. */
    controlPlane?: () => Promise<Connection>;
    /** The steps recorded in the resource. If the node's own journal differs, the journal is right. */
    done: Fingerprints;
    report: ProgressListener;
    signal?: AbortSignal;
    /** How long a lease stays valid after its holder died, in seconds. @default 30 */
    leaseSeconds?: number;
    clock?: Clock;
}

/** A run that ended early; `done` has what was completed, so that the next run continues from there. */
export class StepsFailed extends NfvError {
    readonly done: Fingerprints;

    constructor(error: NfvError, done: Fingerprints, node: string) {
        const { code, step, reason, hint, output } = error;
        super({ code, node: error.node ?? node, step, cause: reason, hint, output });
        this.name = "StepsFailed";
        this.done = done;
    }
}

interface Failure {
    code: number;
    error: NfvError;
}

/** How often a step that vanished without an exit code (reboot) is restarted. */
const vanishedTimes = 3;

/**
 * How much of a step's output is kept, in characters, from its end, which says why it failed. The node's log has all of
 * it.
 */
const keptOutput = 512 * 1024;

/** Lines of output in a message; `.output` has more. */
const tailLines = 15;

/**
 * Brings a node to the state that `steps` describe: takes its lease, waits for what a dead run left running, and does
 * the steps that are not recorded yet. Returns id → fingerprint of all `steps`. @throws StepsFailed
 */
export async function runSteps(steps: readonly Step[], context: RunContext): Promise<Fingerprints> {
    const { node, clusterId, connection, report, signal, clock = realClock, leaseSeconds = 30 } = context;
    const session = new Session({ node, clusterId, connection, clock, leaseSeconds, report, signal });
    let done = context.done;
    const reached = () => Object.fromEntries(steps.flatMap(({ id }) => (done[id] ? [[id, done[id]]] : [])));
    try {
        const opened = await session.open();
        // A machine without a journal was rebuilt: the resource's records are no longer true.
        const rebuilt = Object.keys(opened.done).length === 0 && Object.keys(opened.running).length === 0;
        done = rebuilt ? {} : { ...done, ...opened.done };
        const note = ({ id, fingerprint, code }: EndedStep) => {
            if (code === 0) done = { ...done, [id]: fingerprint };
        };
        for (const id of Object.keys(opened.running)) await waitForFormer(id, steps, session, report, note);
        const todo = stale(steps, done);
        const runs = todo.map(
            (step, i) => new StepRun(step, `${i + 1}/${todo.length} ${step.title}`, session, { ...context, clock }),
        );
        for (;;) {
            const rest = runs.filter(({ step }) => isStale(step, done));
            if (rest.length === 0) return reached();
            signal?.throwIfAborted();
            const more = await advance(rest, session, note);
            done = { ...done, ...more };
        }
    } catch (error) {
        throw new StepsFailed(toNfvError(error, signal), reached(), node);
    } finally {
        await session.close();
    }
}

/** Waits for what a dead run left running on the node. */
async function waitForFormer(
    id: string,
    steps: readonly Step[],
    session: Session,
    report: ProgressListener,
    end: (step: EndedStep) => void,
): Promise<void> {
    let progress: StepProgress | undefined;
    const begin = (step: string) => {
        progress?.end();
        const title = steps.find(each => each.id === step)?.title ?? step;
        progress = new StepProgress(`still running: ${title}`, report, []);
    };
    begin(id);
    try {
        await session.waitFor(id, { begin, output: (_, text) => progress?.output(text), end });
    } finally {
        progress?.end();
    }
}

/**
 * Runs the first of the steps and, in the same call, those after it that need nothing from the operator's side. Returns
 * the steps that were done in addition to those passed to `note`.
 */
async function advance(
    rest: readonly StepRun[],
    session: Session,
    note: (step: EndedStep) => void,
): Promise<Fingerprints> {
    const [head] = rest;
    const ready = await head.prepare();
    if (ready === "done") return { [head.step.id]: head.step.fingerprint };
    if (ready === "again") return {};
    const others = rest.slice(1);
    const end = others.findIndex(run => !run.isPlain);
    const batch = [head, ...others.slice(0, end < 0 ? others.length : end)];
    const known = (id: string) => batch.find(run => run.step.id === id);
    let failed: { run: StepRun; ended: EndedStep } | undefined;
    let heard = false;
    let ended: BatchEnd;
    try {
        ended = await session.run(
            batch.map(run => run.encode()),
            {
                begin: id => known(id)?.begin(),
                output: (id, text) => known(id)?.add(text),
                end: step => {
                    const run = known(step.id);
                    heard ||= run !== undefined;
                    run?.pause();
                    note(step);
                    if (run && step.code !== 0) failed = { run, ended: step };
                },
            },
        );
    } finally {
        for (const run of batch) run.pause();
    }
    if (failed) await failed.run.failedOnNode(failed.ended);
    // The batch ended, but the end of none of its steps was reported. That is a protocol error; without a limit,
    // retrying could loop.
    if (ended.how === "ended" && !heard && !failed) head.vanished();
    if (ended.how === "vanished") batch.find(({ step }) => isStale(step, ended.done))?.vanished();
    return ended.done;
}

/** One step: probe, uploads and control plane from the operator's side, then files and run on the node. */
class StepRun {
    private deadline?: number;
    private secrets: string[];
    private output = "";
    private progress?: StepProgress;
    private limit: number;
    private reported = false;
    private transferred = false;
    private tries = 0;
    private timesVanished = 0;
    private answer?: string;

    constructor(
        readonly step: Step,
        private readonly label: string,
        private readonly session: Session,
        private readonly context: RunContext & { clock: Clock },
    ) {
        this.limit = step.timeoutSeconds;
        this.secrets = secretsOf(step);
    }

    /** The step needs nothing from the operator's side. */
    get isPlain(): boolean {
        const { uploads, onControlPlane } = this.step;
        return onControlPlane === undefined && !uploads?.length;
    }

    /** The operator's part, before the node's. "again": it failed with a retryable error. */
    async prepare(): Promise<"done" | "again" | "ready"> {
        const { step, session } = this;
        this.starts();
        if (this.isPlain) return "ready";
        if (!this.transferred) {
            if (step.probe !== undefined) {
                const script = encodeScript({ run: step.probe, env: step.env });
                if (await session.probe(step.id, script, this.left())) return this.record();
            }
            await this.upload();
            this.transferred = true;
        }
        if (step.onControlPlane !== undefined) {
            const failure = await this.askControlPlane(step.onControlPlane);
            if (failure) {
                await this.retryOrThrow(failure);
                return "again";
            }
        }
        return step.run === undefined && !step.files?.length ? this.record() : "ready";
    }

    encode(): BatchStep {
        const { id, fingerprint, env, files, run, probe } = this.step;
        const secrets = { ...this.step.secrets, ...(this.answer !== undefined && { "control-plane": this.answer }) };
        this.limit = this.left();
        const script = encodeStep({ probe: this.isPlain ? probe : undefined, env, files, run, secrets });
        return { id, fingerprint, timeoutSeconds: this.limit, script };
    }

    /** The step begins on the node. */
    begin(): void {
        this.starts();
        this.output = "";
        this.progress?.end();
        this.progress = new StepProgress(this.label, this.context.report, this.secrets);
    }

    add(text: string): void {
        this.output += text;
        if (this.output.length > 2 * keptOutput) this.output = this.output.slice(-keptOutput);
        this.progress?.output(text);
    }

    /** Stops showing progress for now. */
    pause(): void {
        this.progress?.end();
    }

    /** Returns after a pause if the step is to be retried; otherwise throws. */
    async failedOnNode({ code, seconds }: EndedStep): Promise<void> {
        const atDeadline = code === deadlineExitCode && seconds + 1 >= this.limit;
        const given = atDeadline ? "STEP_TIMEOUT" : undefined;
        await this.retryOrThrow({ code, error: this.failed(code, this.output, undefined, given) });
    }

    vanished(): void {
        if (++this.timesVanished > vanishedTimes) {
            throw this.failed(1, this.output, "it was killed on the node again and again, without an exit code");
        }
    }

    private starts(): void {
        this.deadline ??= this.context.clock.now() + this.step.timeoutSeconds;
        if (!this.reported) this.context.report(this.label);
        this.reported = true;
    }

    private async record(): Promise<"done"> {
        await this.session.record(this.step.id, this.step.fingerprint);
        return "done";
    }

    private async upload(): Promise<void> {
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
    }

    private async retryOrThrow({ code, error }: Failure): Promise<void> {
        const { context, label } = this;
        const { retries } = this.step;
        if (error.code === "STEP_TIMEOUT" || !retries || this.tries++ >= retries.times) throw error;
        if (!isTransient(retries, code, error.output ?? "")) throw error;
        if (context.clock.now() + retries.delaySeconds >= this.deadline!) throw error;
        context.report(`${label}: exit code ${code}, again in ${retries.delaySeconds} s`);
        await context.clock.sleep(retries.delaySeconds, context.signal);
    }

    /** Stores the answer, or returns the failure. */
    private async askControlPlane(run: string): Promise<Failure | undefined> {
        const { step, context } = this;
        const stdin = encodeScript({ run, env: step.env });
        if (context.controlPlane === undefined) {
            throw new NfvError({ code: "NO_CONTROL_PLANE", step: step.title, cause: "this step needs one" });
        }
        const connection = await context.controlPlane();
        const options = { stdin, timeoutSeconds: this.left(), signal: context.signal };
        const { code, stdout, stderr } = await connection.exec(controlPlaneArgv, options);
        if (code !== 0) {
            return { code, error: this.failed(code, stderr, `exit code ${code} on ${connection.target.host}`) };
        }
        this.secrets = [...this.secrets, ...linesOfSecret(stdout)];
        this.answer = stdout;
        return undefined;
    }

    private failed(code: number, output: string, what?: string, given?: ErrorCode): NfvError {
        const { step, secrets } = this;
        const errorCode = given ?? step.errors?.[code] ?? "STEP_FAILED";
        const clean = redact(output, secrets).trimEnd();
        const why = errorCode === "STEP_TIMEOUT" ? `not finished after ${step.timeoutSeconds} s` : `exit code ${code}`;
        const tail = clean.split("\n").slice(-tailLines).join("\n");
        const cause = `${what ?? why}${tail ? `\n${tail}` : ""}`;
        return new NfvError({ code: errorCode, step: step.title, cause, output: clean });
    }

    /** Whole seconds until the deadline, at least one. */
    private left(): number {
        if (this.deadline === undefined) return this.step.timeoutSeconds;
        const left = Math.ceil(this.deadline - this.context.clock.now());
        if (left < 0) throw this.failed(deadlineExitCode, "", undefined, "STEP_TIMEOUT");
        return Math.max(left, 1);
    }
}

function isTransient({ onExitCodes, onOutput, neverOnOutput }: Retry, code: number, output: string): boolean {
    const isLike = (pattern: RegExp) => pattern.test(output);
    return (onExitCodes?.includes(code) ?? true) && (onOutput?.some(isLike) ?? true) && !neverOnOutput?.some(isLike);
}

function toNfvError(error: unknown, signal?: AbortSignal): NfvError {
    if (error instanceof NfvError) return error;
    if (signal?.aborted) return new NfvError({ code: "CANCELLED", cause: "the run was stopped" });
    const cause = error instanceof Error ? error.message : String(error);
    return new NfvError({ code: "STEP_FAILED", cause, output: error instanceof Error ? error.stack : undefined });
}
