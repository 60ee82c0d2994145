import type {
    CommandResult,
    Connection,
    FileAttributes,
    RunOptions,
    UploadOptions,
} from "../../../../provider/ssh/types";
import type { Clock } from "../../../../provider/steps";
import { decodeBatch, filesOf, formatBegin, formatStepEnd } from "../../../../provider/steps/batch";
import {
    type AgentCall,
    agentExit,
    decodeCall,
    formatBusy,
    formatEnd,
    formatForeign,
    formatOpened,
} from "../../../../provider/steps/protocol";

type Answer = Partial<CommandResult> | Error;

/** The result of a step itself. */
export interface StepAnswer {
    exitCode: number;
    output?: string;
    seconds?: number;
}

/** A node in memory: answers the agent's calls; `answers` decides how each run of a step ends. */
export class FakeNode implements Connection {
    readonly target = { host: "fake" };
    readonly calls: AgentCall[] = [];
    readonly log: string[] = [];
    readonly scripts: string[] = [];
    /** Started steps, and their timeouts. */
    readonly started: { id: string; timeoutSeconds: number }[] = [];
    /** Files that steps wrote: "PATH MODE OWNER". */
    readonly files: string[] = [];
    journal: Record<string, string> = {};
    running: Record<string, string> = {};
    cluster?: string;
    lease?: string;
    /** Answers to the call that runs a step, by step id, one after another; then success. */
    answers: Record<string, (Answer | StepAnswer)[]> = {};
    probes: Record<string, number> = {};
    /** Errors that the next calls of any kind throw. */
    failures: Error[] = [];

    recordHostKey(): void {}

    async exec(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
        const call = decodeCall(argv);
        const failure = this.failures.shift();
        if (failure) throw failure;
        options.signal?.throwIfAborted();
        if (call) this.calls.push(call);
        if (call?.verb !== "run") {
            this.log.push(call ? `${call.verb} ${"id" in call ? call.id : ""}`.trim() : argv.join(" "));
        }
        if (options.stdin !== undefined) this.scripts.push(String(options.stdin));
        const answer = call ? this.answer(call, String(options.stdin)) : { stdout: "token\n" };
        if (answer instanceof Error) throw answer;
        const result = { code: 0, stdout: "", stderr: "", ...answer };
        if (result.stdout) options.onOutput?.(result.stdout, "stdout");
        return result;
    }

    private answer(call: AgentCall, stdin: string): Answer {
        switch (call.verb) {
            case "open":
                if (this.cluster && this.cluster !== call.cluster) {
                    return { code: agentExit.foreign, stdout: formatForeign(this.cluster, "n0") };
                }
                if (this.lease && this.lease !== call.holder) {
                    return { code: agentExit.busy, stdout: formatBusy(this.lease, 3) };
                }
                this.lease = call.holder;
                return { stdout: formatOpened({ done: this.journal, running: this.running }) };
            case "close":
                if (this.lease === call.holder) this.lease = undefined;
                return {};
            case "probe":
                return { code: this.probes[call.id] ?? 1 };
            case "wait":
                return { stdout: formatStepEnd(call.id, this.running[call.id] ?? "", 0, 0), stderr: formatEnd(0) };
            case "done":
                this.journal[call.id] = call.fingerprint;
                return {};
            case "run":
                return this.batch(stdin);
            default:
                return {};
        }
    }

    /** Ends with the answer for one of its steps, if there is one; the journal has the steps that ended before. */
    private batch(stdin: string): Answer {
        const steps = decodeBatch(stdin)!;
        this.log.push(`run ${steps.map(step => step.id).join(" ")}`);
        let stdout = "";
        for (const { id, fingerprint, timeoutSeconds, script } of steps) {
            const answer = this.answers[id]?.shift();
            if (answer instanceof Error || (answer !== undefined && !("exitCode" in answer))) return answer;
            const { exitCode, output = "", seconds = 0 } = answer ?? { exitCode: 0 };
            this.started.push({ id, timeoutSeconds });
            this.files.push(...filesOf(script).map(({ path, mode, owner }) => `${path} ${mode} ${owner}`));
            stdout += formatBegin(id) + output + formatStepEnd(id, fingerprint, exitCode, seconds);
            if (exitCode !== 0) break;
            this.journal[id] = fingerprint;
        }
        return { stdout, stderr: formatEnd(0) };
    }

    async writeFile(path: string, _content: string | Buffer, attributes?: FileAttributes): Promise<void> {
        this.log.push(`file ${path} ${attributes?.mode ?? "-"} ${attributes?.owner ?? "-"}`);
    }

    async upload(_localPath: string, path: string, options: UploadOptions): Promise<void> {
        this.log.push(`upload ${path}`);
        for (const percent of [0, 34, 34.5, 100]) options.onProgress?.(percent, 100);
    }

    async readFile(): Promise<undefined> {}
    async close(): Promise<void> {}
}

/** Only sleeping advances the time. */
export class FakeClock implements Clock {
    private time = 0;
    readonly slept: number[] = [];
    /** Called before each sleep. */
    onSleep: () => void = () => {};

    now(): number {
        return this.time;
    }

    async sleep(seconds: number): Promise<void> {
        this.onSleep();
        this.slept.push(seconds);
        this.time += seconds;
    }
}
