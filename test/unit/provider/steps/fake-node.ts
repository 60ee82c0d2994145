import type {
    CommandResult,
    Connection,
    FileAttributes,
    RunOptions,
    UploadOptions,
} from "../../../../provider/ssh/types";
import type { Clock } from "../../../../provider/steps";
import { decodeBatch, encodeBatch } from "../../../../provider/steps/batch";
import { type AgentCall, decodeCall } from "../../../../provider/steps/protocol";
import type { Fingerprints } from "../../../../provider/steps/types";
import { FakeAgent, type FakeBehaviour, type StepAnswer } from "../../../../testing";

/** What the call that runs a step returns, in place of the agent's answer. */
type Answer = Partial<CommandResult> | Error;

/** A connection to a fake agent in this process; `answers` decides how each run of a step ends. */
export class FakeNode implements Connection {
    readonly target = { host: "fake" };
    readonly calls: AgentCall[] = [];
    readonly log: string[] = [];
    readonly scripts: string[] = [];
    /** Started steps, and their timeouts. */
    readonly started: { id: string; timeoutSeconds: number }[] = [];
    /** Files that steps wrote: "PATH MODE OWNER". */
    readonly files: string[] = [];
    /** Step id → how its runs end, one after another; then success. */
    readonly answers: Record<string, (Answer | StepAnswer)[]> = {};
    readonly probes: Record<string, number> = {};
    /** Errors that the next calls of any kind throw. */
    failures: Error[] = [];

    private timeouts: Record<string, number> = {};
    private readonly behaviour = {
        probes: this.probes,
        steps: {},
        timeScale: 0.001,
        controlPlane: "token\n",
    } satisfies FakeBehaviour;
    private readonly agent = new FakeAgent("fake", this.behaviour, {
        log: ({ event, step }) => {
            if (event === "begin") this.started.push({ id: step!, timeoutSeconds: this.timeouts[step!]! });
        },
        writeFile: (path, _content, mode, owner) => this.files.push(`${path} ${mode} ${owner}`),
    });

    get journal(): Fingerprints {
        return this.agent.journal;
    }

    /** The cluster that the machine belongs to. */
    set cluster(cluster: string) {
        this.agent.belongsTo = { cluster, node: "n0" };
    }

    get lease(): string | undefined {
        return this.agent.lease?.holder;
    }

    set lease(holder: string | undefined) {
        this.agent.lease = holder === undefined ? undefined : { holder, expires: Date.now() + 3000 };
    }

    /** A run that has died started this step; nobody holds the lease any more. */
    leaveRunning(id: string, fingerprint: string, forNode?: string): void {
        const call = { id, fingerprint, timeoutSeconds: 60, holder: "dead", attempt: 1, offset: 0, sizeBytes: 0 };
        const of = { holder: "dead", ...(forNode !== undefined && { forNode }) };
        this.answers[id] = [{ exitCode: 0, seconds: 10 }];
        this.run({ verb: "open", cluster: "c1", node: "m1", ttlSeconds: 3, ...of }, "");
        this.run({ verb: "run", ...call, ...of }, encodeBatch([{ ...call, script: "" }]));
        this.run({ verb: "close", ...of }, "");
        this.agent.belongsTo = undefined;
    }

    recordHostKey(): void {}

    async exec(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
        const call = decodeCall(argv);
        const stdin = String(options.stdin);
        const failure = this.failures.shift();
        if (failure) throw failure;
        options.signal?.throwIfAborted();
        if (options.stdin !== undefined) this.scripts.push(stdin);
        this.log.push(call ? logged(call, stdin) : argv.join(" "));
        if (call) this.calls.push(call);
        const answer = call ? (call.verb === "run" && this.given(call.id)) || (await this.run(call, stdin)) : {};
        if (answer instanceof Error) throw answer;
        const { code = 0, stdout = "", stderr = "" } = answer;
        const result = { code, stdout, stderr };
        if (result.stdout) options.onOutput?.(result.stdout, "stdout");
        return result;
    }

    /** The answer that stands for the whole call, if one is next. */
    private given(id: string): Answer | undefined {
        const [next] = this.answers[id] ?? [];
        if (next === undefined || (!(next instanceof Error) && "exitCode" in next)) return undefined;
        this.answers[id]!.shift();
        return next as Answer;
    }

    private async run(call: AgentCall, stdin: string): Promise<Answer> {
        const steps = (call.verb === "run" && decodeBatch(stdin)) || [];
        for (const { id, timeoutSeconds } of steps) {
            this.timeouts[id] = timeoutSeconds;
            Object.assign(this.behaviour.steps, { [id]: () => (this.answers[id]?.shift() as StepAnswer) ?? {} });
        }
        let stdout = "";
        const write = (output: Buffer) => {
            stdout += output;
        };
        const { code, stdout: text = "", stderr } = await this.agent.answer(call, stdin, { write, onGone: () => {} });
        return { code, stdout: stdout + text, stderr };
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

function logged(call: AgentCall, stdin: string): string {
    const ids = call.verb === "run" ? decodeBatch(stdin)!.map(step => step.id) : "id" in call ? [call.id] : [];
    return [call.verb, ...ids, ...(call.forNode === undefined ? [] : [`for ${call.forNode}`])].join(" ");
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
