import { unfinished } from "../provider/steps/agent";
import {
    type BatchStep,
    decodeBatch,
    filesOf,
    formatAnswer,
    formatBegin,
    formatStepEnd,
    givesAnswer,
} from "../provider/steps/batch";
import type { AgentCall } from "../provider/steps/protocol";
import {
    agentExit,
    deadlineExitCode,
    formatBusy,
    formatEnd,
    formatForeign,
    formatOpened,
    isAct,
} from "../provider/steps/protocol";
import type { Fingerprints } from "../provider/steps/types";
import { FakeVersions } from "./fake-versions";
import type { Answering, FakeAnswer, FakeBehaviour, FleetEvent, StepAnswer } from "./types";

/** A batch that was started; its id is the id of its first step. */
interface Batch {
    fingerprint: string;
    holder: string;
    attempt: number;
    output: Buffer;
    /** Called when there is more output, and at the end. */
    listeners: Set<() => void>;
    /** No caller waits any more: the batch ends after the step that is running. */
    abandoned: boolean;
    running: boolean;
    exitCode: number;
    seconds: number;
    timer?: NodeJS.Timeout;
}

/** The caller's side of one call. */
export interface Caller {
    /** Standard output, as it comes. */
    write(output: Buffer): void;
    /** Called once when the caller's connection is gone. */
    onGone(listener: () => void): void;
}

/** What the agent needs of its machine. */
interface Machine {
    log(event: Omit<FleetEvent, "time" | "node">): void;
    writeFile(path: string, content: string, mode: number, owner: string): void;
}

type Answers = {
    [V in AgentCall["verb"]]: (
        call: Extract<AgentCall, { verb: V }>,
        stdin: string,
        caller: Caller,
    ) => Promise<FakeAnswer> | FakeAnswer;
};

/**
 * Imitates the step agent of a node: journal, lease, one running step at a time, which goes on while no caller is connected.
 * Steps only write their files; their duration and result come from the behaviour.
 */
export class FakeAgent {
    /** Step id → fingerprint, as in the node's journal. */
    readonly journal: Fingerprints = {};
    readonly versions = new FakeVersions();
    /** Step id → fingerprint, title and what it interrupts, as the machine was told to look at its result. */
    readonly noted: Record<string, string[]> = {};
    /** Step id → what somebody has changed of its result, a line each. The step puts it right. */
    readonly differs: Record<string, string[]> = {};
    /** What systemd says of kubelet. */
    kubelet = "active";
    /** Of a control-plane node: its member of etcd works. A join makes another one. */
    etcdWorks = true;
    /** The cluster and node that this machine belongs to; undefined: none yet. */
    belongsTo?: { cluster: string; node: string };
    lease?: { holder: string; expires: number };
    /** All that have held the lease. */
    readonly holders = new Set<string>();
    /** Scripts of the started steps, by id. They may contain the test's secrets. */
    scripts: Record<string, string> = {};

    /** Acts that began, in order; they are never in the journal. `forNode`: for which other node. */
    acts: { id: string; script: string; forNode?: string }[] = [];
    /** Answers acts. Their standard input is the script. */
    onAct?: Answering;

    private forNode?: string;
    /** By node: the agent's side of what this machine does for it. */
    private readonly forOthers = new Map<string, FakeAgent>();
    private readonly batches = new Map<string, Batch>();
    private failures = new Map<string, { times: number; answer: StepAnswer }>();

    constructor(
        private readonly name: string,
        private readonly behaviour: FakeBehaviour,
        private readonly machine: Machine,
    ) {}

    /** The next `times` runs of the step end like this. */
    failStep(id: string, times = 1, answer: StepAnswer = { exitCode: 1, output: `fake failure of ${id}\n` }): void {
        this.failures.set(id, { times, answer });
    }

    /** As after a reboot: running steps are gone without an exit code. The journal stays. */
    reboot(): void {
        for (const batch of this.batches.values()) {
            clearTimeout(batch.timer);
        }
        this.batches.clear();
        this.forOthers.clear();
        this.lease = undefined;
    }

    async answer(call: AgentCall, stdin: string, caller: Caller): Promise<FakeAnswer> {
        if (call.forNode !== undefined) return this.actingFor(call.forNode).answer(withoutNode(call), stdin, caller);
        const act = this.answers[call.verb] as (...args: [AgentCall, string, Caller]) => FakeAnswer;
        return act(call, stdin, caller);
    }

    private actingFor(node: string): FakeAgent {
        const agent = this.forOthers.get(node) ?? new FakeAgent(this.name, this.behaviour, this.machine);
        this.forOthers.set(node, agent);
        agent.belongsTo = this.belongsTo;
        agent.onAct = this.onAct;
        agent.failures = this.failures;
        agent.scripts = this.scripts;
        agent.acts = this.acts;
        agent.forNode = node;
        return agent;
    }

    private readonly answers: Answers = {
        open: ({ cluster, node, holder, ttlSeconds }) => {
            const owner = this.belongsTo;
            if (owner !== undefined && (owner.cluster !== cluster || owner.node !== node)) {
                this.machine.log({ event: "foreign" });
                return { code: agentExit.foreign, stdout: formatForeign(owner.cluster, owner.node) };
            }
            const left = this.lease === undefined ? 0 : this.lease.expires - Date.now();
            if (left > 0 && this.lease!.holder !== holder) {
                this.machine.log({ event: "busy" });
                return { code: agentExit.busy, stdout: formatBusy(this.lease!.holder, Math.ceil(left / 1000)) };
            }
            this.belongsTo = { cluster, node };
            this.take(holder, ttlSeconds);
            this.machine.log({ event: "open" });
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
        probe: ({ id }) => ({ code: this.isSo(id) ? 0 : 1 }),
        run: (call, text, caller) => {
            const { id, fingerprint, holder, attempt, offset } = call;
            if (!this.holds(holder)) {
                return { code: agentExit.leaseLost };
            }
            const steps = decodeBatch(text);
            if (steps === undefined) {
                return { code: agentExit.truncated };
            }
            const [other] = Object.entries(this.running());
            if (other !== undefined && (other[0] !== id || other[1] !== fingerprint)) {
                return { code: agentExit.otherRunning, stderr: `running ${other[0]} ${other[1]}\n` };
            }
            const known = this.batches.get(id);
            const sameAttempt = known?.holder === holder && known.attempt === attempt;
            if (other !== undefined || (sameAttempt && known?.fingerprint === fingerprint)) {
                this.machine.log({ event: "attach", step: id, fingerprint });
                known!.abandoned = false;
            } else {
                this.start(call, steps);
            }
            const batch = this.batches.get(id)!;
            caller.onGone(() => {
                batch.abandoned = true;
            });
            return this.wait(id, offset, caller);
        },
        wait: ({ id, offset }, _, caller) => this.wait(id, offset, caller),
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
        stop: () => ({}),
    };

    private start({ id, fingerprint, holder, attempt }: Extract<AgentCall, { verb: "run" }>, steps: BatchStep[]): void {
        const batch: Batch = {
            ...{ fingerprint, holder, attempt, output: Buffer.alloc(0), listeners: new Set() },
            ...{ abandoned: false, running: true, exitCode: 0, seconds: 0 },
        };
        this.batches.set(id, batch);
        this.step(batch, steps);
    }

    private step(batch: Batch, steps: BatchStep[]): void {
        const [{ id, fingerprint, script }] = steps;
        if (isAct(fingerprint)) this.acts.push({ id, script, ...(this.forNode && { forNode: this.forNode }) });
        // The answers of acts come from the behaviour.
        const known = this.failures.has(id) || givesAnswer(script);
        if (isAct(fingerprint) && this.onAct !== undefined && !known) {
            void this.act(this.onAct, script).then(answer => this.carryOut(batch, steps, answer));
        } else {
            this.carryOut(batch, steps, this.outcome(id, script));
        }
    }

    private async act(how: Answering, script: string): Promise<StepAnswer> {
        const call = { node: this.name, user: "root", sudo: false, argv: ["act"], stdin: Buffer.from(script) };
        const { code, stdout = "", stderr = "" } = typeof how === "function" ? await how(call) : how;
        return { exitCode: code, output: `${stdout}${stderr}` };
    }

    private carryOut(batch: Batch, [step, ...rest]: BatchStep[], answer: StepAnswer): void {
        const { id, fingerprint, timeoutSeconds, script } = step;
        const { durations, timeScale = 1 } = this.behaviour;
        const usual = typeof durations === "function" ? durations(this.name, id) : durations?.[id];
        const seconds = this.isSo(id) ? 0 : (answer.seconds ?? usual ?? 0);
        const tooLong = seconds > timeoutSeconds;
        const lasts = Math.min(seconds, timeoutSeconds);
        const say = (text: string) => {
            batch.output = Buffer.concat([batch.output, Buffer.from(text)]);
            for (const listener of batch.listeners) listener();
        };
        if (!isAct(fingerprint) && this.journal[id] !== undefined) this.journal[id] = unfinished;
        this.scripts[id] = script;
        this.machine.log({ event: "begin", step: id, fingerprint });
        say(formatBegin(id) + (answer.output ?? ""));
        const end = () => {
            batch.exitCode = tooLong ? deadlineExitCode : (answer.exitCode ?? 0);
            batch.seconds += lasts;
            if (batch.exitCode === 0) {
                if (!isAct(fingerprint)) this.journal[id] = fingerprint;
                delete this.differs[id];
                this.versions.ended(id, script);
                if (id === "cluster.join") this.etcdWorks = true;
                for (const { path, content, mode, owner } of this.isSo(id) ? [] : filesOf(script)) {
                    this.machine.writeFile(path, content, mode, owner);
                }
            }
            if (batch.exitCode === 0 && answer.answer !== undefined) say(formatAnswer() + answer.answer);
            this.machine.log({ event: "end", step: id, fingerprint, exitCode: batch.exitCode });
            batch.running = batch.exitCode === 0 && rest.length > 0 && !batch.abandoned;
            say(formatStepEnd(id, fingerprint, batch.exitCode, lasts));
            if (batch.running) this.step(batch, rest);
        };
        if (lasts === 0) end();
        else batch.timer = setTimeout(end, lasts * timeScale * 1000);
    }

    /** True if the probe finds the step already done. */
    private isSo(id: string): boolean {
        const probe = this.behaviour.probes?.[id];
        return (typeof probe === "function" ? probe(this.name) : probe) === 0;
    }

    private outcome(id: string, script: string): StepAnswer {
        const failure = this.failures.get(id);
        if (failure !== undefined && failure.times-- > 0) {
            return failure.answer;
        }
        const usual = this.behaviour.steps?.[id];
        const { controlPlane = "abcdef.0123456789abcdef\n" } = this.behaviour;
        const answer = typeof controlPlane === "function" ? controlPlane : () => controlPlane;
        return {
            ...(givesAnswer(script) && { answer: answer(script, this.name) }),
            ...(typeof usual === "function" ? usual(script) : usual),
        };
    }

    private async wait(id: string, offset: number, caller: Caller): Promise<FakeAnswer> {
        const batch = this.batches.get(id);
        if (batch === undefined) {
            return { code: agentExit.unknown };
        }
        let shown = offset;
        await new Promise<void>(resolve => {
            const show = () => {
                if (batch.output.length > shown) caller.write(batch.output.subarray(shown));
                shown = Math.max(shown, batch.output.length);
                if (batch.running) return;
                batch.listeners.delete(show);
                resolve();
            };
            batch.listeners.add(show);
            show();
        });
        return { stderr: formatEnd(batch.exitCode, Math.round(batch.seconds)) };
    }

    /** Id of the first step → fingerprint, of batches that run. */
    running(): Fingerprints {
        const alive = [...this.batches].filter(([, batch]) => batch.running);
        return Object.fromEntries(alive.map(([id, batch]) => [id, batch.fingerprint]));
    }

    private holds(holder: string): boolean {
        return this.lease?.holder === holder && this.lease.expires > Date.now();
    }

    private take(holder: string, ttlSeconds: number): void {
        this.holders.add(holder);
        this.lease = { holder, expires: Date.now() + ttlSeconds * 1000 };
    }
}

function withoutNode({ forNode: _, ...call }: AgentCall): AgentCall {
    return call as AgentCall;
}
