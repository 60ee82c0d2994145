import type { ErrorCode, NfvError } from "../common/errors";
import { type BatchStep, type EndedStep, encodeStep } from "./batch";
import type { Clock } from "./clock";
import { paceOfUpload, StepProgress } from "./progress";
import { deadlineExitCode, encodeScript } from "./protocol";
import { linesOfSecret, redact, secretsOf } from "./redact";
import type { RunContext } from "./run-context";
import type { Session } from "./session";
import { StepError, StepsFailed } from "./step-error";
import type { Act, Retry, Step } from "./types";

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

/** One step: probe, uploads and what is done on a control-plane node from the operator's side, then files and run on the node. */
export class StepRun {
    private deadline?: number;
    private secrets: string[];
    private output = "";
    private progress?: StepProgress;
    private limit: number;
    private reported = false;
    private transferred = false;
    private tries = 0;
    private timesVanished = 0;
    /** What `preparation` answered. */
    private prepared?: string;
    private ownAnswer = "";

    constructor(
        readonly step: Step,
        private readonly label: string,
        private readonly session: Session,
        private readonly context: RunContext & { clock: Clock },
        /** Carries out an act on a control-plane node for this node. Returns its answer. */
        private readonly actElsewhere: (act: Act, label: string) => Promise<string>,
    ) {
        this.limit = step.timeoutSeconds;
        this.secrets = secretsOf(step);
    }

    /** The step needs nothing from the operator's side. */
    get isPlain(): boolean {
        const { uploads, preparation } = this.step;
        return !this.isElsewhere && preparation === undefined && !uploads?.length;
    }

    /** A step of this node that is done on a control-plane node. */
    get isElsewhere(): boolean {
        return this.step.target === "controlPlane" && this.context.forNode === undefined;
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
        const act = this.isElsewhere ? actOf(step) : step.preparation;
        const failure = act && (await this.doElsewhere(act));
        if (failure) {
            await this.retryOrThrow(failure);
            return "again";
        }
        return this.isElsewhere || (step.run === undefined && !step.files?.length) ? this.record() : "ready";
    }

    encode(): BatchStep {
        const { id, fingerprint, env, files, run, probe, refuse, answers } = this.step;
        const { prepared } = this;
        const secrets = { ...this.step.secrets, ...(prepared !== undefined && { "control-plane": prepared }) };
        this.limit = this.left();
        const script = encodeStep({
            probe: this.isPlain ? probe : undefined,
            refuse,
            env,
            files,
            run,
            secrets,
            answers,
        });
        return { id, fingerprint, timeoutSeconds: this.limit, script };
    }

    /** The step begins on the node. */
    begin(): void {
        this.starts();
        this.output = "";
        this.ownAnswer = "";
        this.progress?.end();
        this.progress = new StepProgress(this.label, this.context.report, this.secrets);
    }

    add(text: string): void {
        this.output += text;
        if (this.output.length > 2 * keptOutput) this.output = this.output.slice(-keptOutput);
        this.progress?.output(text);
    }

    addAnswer(text: string): void {
        this.ownAnswer += text;
    }

    /** The answer of a step that gives one; of others, all that it printed. */
    get said(): string {
        return this.step.answers ? this.ownAnswer : this.output;
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
        if (!this.reported && !this.isElsewhere) this.context.report(this.label);
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
            const shows = paceOfUpload();
            const onProgress = (sent: number, total: number) => {
                const percent = Math.floor((100 * sent) / Math.max(total || sizeBytes, 1));
                if (shows(percent)) report(`${label}: uploading ${name} ${percent} %`);
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
    private async doElsewhere(act: Act): Promise<Failure | undefined> {
        const timeoutSeconds = Math.min(act.timeoutSeconds, this.left());
        const label = this.isElsewhere ? this.label : `${this.label}: ${act.title}`;
        try {
            this.prepared = await this.actElsewhere({ ...act, timeoutSeconds, retries: undefined }, label);
        } catch (error) {
            if (!(error instanceof StepsFailed) || error.scriptExitCode === undefined) throw error;
            return { code: error.scriptExitCode, error };
        }
        if (act.answers) this.secrets = [...this.secrets, ...linesOfSecret(this.prepared)];
        return undefined;
    }

    private failed(code: number, output: string, what?: string, given?: ErrorCode): StepError {
        const { step, secrets } = this;
        const { node, forNode } = this.context;
        const errorCode = given ?? step.errors?.[code] ?? "STEP_FAILED";
        const clean = redact(output, secrets).trimEnd();
        const why = errorCode === "STEP_TIMEOUT" ? `not finished after ${step.timeoutSeconds} s` : `exit code ${code}`;
        const where = forNode === undefined ? "" : ` on ${node}`;
        const tail = clean.split("\n").slice(-tailLines).join("\n");
        const cause = `${what ?? why}${where}${tail ? `\n${tail}` : ""}`;
        const shown = { code: errorCode, node: forNode ?? node, step: step.title, cause, output: clean };
        return new StepError(shown, errorCode === "STEP_TIMEOUT" ? undefined : code);
    }

    /** Whole seconds until the deadline, at least one. */
    private left(): number {
        if (this.deadline === undefined) return this.step.timeoutSeconds;
        const left = Math.ceil(this.deadline - this.context.clock.now());
        if (left < 0) throw this.failed(deadlineExitCode, "", undefined, "STEP_TIMEOUT");
        return Math.max(left, 1);
    }
}

/** A step that is done on a control-plane node, as an act there. Its end is recorded on its own node. */
function actOf({ id, title, run = "true", env, timeoutSeconds, errors, disruptive }: Step): Act {
    return { id, title, target: "controlPlane", run, env, timeoutSeconds, errors, disruptive };
}

function isTransient({ onExitCodes, onOutput, neverOnOutput }: Retry, code: number, output: string): boolean {
    const isLike = (pattern: RegExp) => pattern.test(output);
    return (onExitCodes?.includes(code) ?? true) && (onOutput?.some(isLike) ?? true) && !neverOnOutput?.some(isLike);
}
