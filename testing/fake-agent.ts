import type { AgentCall } from "../provider/steps/protocol";
import {
    agentExit,
    deadlineExitCode,
    formatBusy,
    formatEnd,
    formatForeign,
    formatOpened,
    scriptEnd,
} from "../provider/steps/protocol";
import type { Fingerprints } from "../provider/steps/types";
import type { FakeAnswer, FakeBehaviour, FleetEvent } from "./types";

/** How a step ends on a fake node. */
export interface StepAnswer {
    /** @default 0 */
    exitCode?: number;
    /** What it prints. */
    output?: string;
    /** Overrides `durations`. */
    seconds?: number;
}

interface Running {
    fingerprint: string;
    holder: string;
    attempt: number;
    seconds: number;
    output: string;
    /** undefined while it runs. */
    exitCode?: number;
    ended: Promise<void>;
    timer: NodeJS.Timeout;
}

type Answers = {
    [V in AgentCall["verb"]]: (
        call: Extract<AgentCall, { verb: V }>,
        stdin: string,
    ) => Promise<FakeAnswer> | FakeAnswer;
};

/**
 * The step agent of a node, imitated: journal, lease, one running step at a time, which goes on while nobody is connected.
 * Steps do nothing; they take the time and end as the behaviour says.
 */
export class FakeAgent {
    /** Step id → fingerprint, as in the node's journal. */
    readonly journal: Fingerprints = {};
    /** Which cluster and node this machine is; undefined: none yet. */
    belongsTo?: { cluster: string; node: string };
    lease?: { holder: string; expires: number };
    /** Scripts of steps that were started, by id. They may hold secrets of the test. */
    readonly scripts: Record<string, string> = {};

    private readonly steps = new Map<string, Running>();
    private readonly failures = new Map<string, { times: number; answer: StepAnswer }>();

    constructor(
        private readonly name: string,
        private readonly behaviour: FakeBehaviour,
        private readonly log: (event: Omit<FleetEvent, "time" | "node">) => void,
    ) {}

    /** The next `times` runs of the step end like this. */
    failStep(id: string, times = 1, answer: StepAnswer = { exitCode: 1, output: `fake failure of ${id}\n` }): void {
        this.failures.set(id, { times, answer });
    }

    /** As after a reboot: what ran is gone without an exit code. The journal stays. */
    reboot(): void {
        for (const step of this.steps.values()) {
            clearTimeout(step.timer);
        }
        this.steps.clear();
        this.lease = undefined;
    }

    async answer(call: AgentCall, stdin: string): Promise<FakeAnswer> {
        const act = this.answers[call.verb] as (call: AgentCall, stdin: string) => Promise<FakeAnswer> | FakeAnswer;
        return act(call, stdin);
    }

    private readonly answers: Answers = {
        open: ({ cluster, node, holder, ttlSeconds }) => {
            const owner = this.belongsTo;
            if (owner !== undefined && (owner.cluster !== cluster || owner.node !== node)) {
                this.log({ event: "foreign" });
                return { code: agentExit.foreign, stdout: formatForeign(owner.cluster, owner.node) };
            }
            const left = this.lease === undefined ? 0 : this.lease.expires - Date.now();
            if (left > 0 && this.lease!.holder !== holder) {
                this.log({ event: "busy" });
                return { code: agentExit.busy, stdout: formatBusy(this.lease!.holder, Math.ceil(left / 1000)) };
            }
            this.belongsTo = { cluster, node };
            this.take(holder, ttlSeconds);
            this.log({ event: "open" });
            return { stdout: formatOpened({ done: this.journal, running: this.running() }) };
        },
        renew: ({ holder, ttlSeconds }) => {
            if (!this.holds(holder)) {
                return { code: agentExit.leaseLost };
            }
            this.take(holder, ttlSeconds);
            return {};
        },
        close: ({ holder }) => {
            if (this.lease?.holder === holder) {
                this.lease = undefined;
            }
            return {};
        },
        probe: ({ id }) => ({ code: this.behaviour.probes?.[id] ?? 1 }),
        run: (call, script) => {
            const { id, fingerprint, holder, attempt, offset } = call;
            if (!this.holds(holder)) {
                return { code: agentExit.leaseLost };
            }
            if (!script.trimEnd().endsWith(scriptEnd)) {
                return { code: agentExit.truncated };
            }
            const [other] = Object.entries(this.running());
            if (other !== undefined && (other[0] !== id || other[1] !== fingerprint)) {
                return { code: agentExit.otherRunning, stderr: `running ${other[0]} ${other[1]}\n` };
            }
            const known = this.steps.get(id);
            const sameAttempt = known?.holder === holder && known.attempt === attempt;
            if (other !== undefined || (sameAttempt && known?.fingerprint === fingerprint)) {
                this.log({ event: "attach", step: id, fingerprint });
            } else {
                this.start(call, script);
            }
            return this.wait(id, offset);
        },
        wait: ({ id, offset }) => this.wait(id, offset),
        done: ({ id, fingerprint, holder }) => {
            if (!this.holds(holder)) {
                return { code: agentExit.leaseLost };
            }
            this.journal[id] = fingerprint;
            return {};
        },
        forget: ({ id }) => {
            if (id === "") {
                this.belongsTo = undefined;
            }
            for (const known of Object.keys(this.journal).filter(each => id === "" || each === id)) {
                delete this.journal[known];
            }
            return {};
        },
    };

    private start(call: Extract<AgentCall, { verb: "run" }>, script: string): void {
        const { id, fingerprint, timeoutSeconds, holder, attempt } = call;
        const answer = this.outcome(id, script);
        const { durations, timeScale = 1 } = this.behaviour;
        const usual = typeof durations === "function" ? durations(this.name, id) : durations?.[id];
        const seconds = answer.seconds ?? usual ?? 0;
        const tooLong = seconds > timeoutSeconds;
        const lasts = Math.min(seconds, timeoutSeconds);
        const output = answer.output ?? "";
        const step = { fingerprint, holder, attempt, output, seconds: Math.round(lasts) } as Running;
        this.scripts[id] = script;
        this.log({ event: "begin", step: id, fingerprint });
        step.ended = new Promise(resolve => {
            const end = () => {
                step.exitCode = tooLong ? deadlineExitCode : (answer.exitCode ?? 0);
                if (step.exitCode === 0) {
                    this.journal[id] = fingerprint;
                }
                this.log({ event: "end", step: id, fingerprint, exitCode: step.exitCode });
                resolve();
            };
            step.timer = setTimeout(end, lasts * timeScale * 1000);
        });
        this.steps.set(id, step);
    }

    private outcome(id: string, script: string): StepAnswer {
        const failure = this.failures.get(id);
        if (failure !== undefined && failure.times-- > 0) {
            return failure.answer;
        }
        const usual = this.behaviour.steps?.[id];
        return (typeof usual === "function" ? usual(script) : usual) ?? {};
    }

    private async wait(id: string, offset: number): Promise<FakeAnswer> {
        const step = this.steps.get(id);
        if (step === undefined) {
            return { code: agentExit.unknown };
        }
        await step.ended;
        return { stdout: Buffer.from(step.output).subarray(offset), stderr: formatEnd(step.exitCode!, step.seconds) };
    }

    private running(): Fingerprints {
        const alive = [...this.steps].filter(([, step]) => step.exitCode === undefined);
        return Object.fromEntries(alive.map(([id, step]) => [id, step.fingerprint]));
    }

    private holds(holder: string): boolean {
        return this.lease?.holder === holder && this.lease.expires > Date.now();
    }

    private take(holder: string, ttlSeconds: number): void {
        this.lease = { holder, expires: Date.now() + ttlSeconds * 1000 };
    }
}
