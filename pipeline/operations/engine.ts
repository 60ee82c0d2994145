import type { EngineEvent, OutputMap, Stack } from "@pulumi/pulumi/automation";
import type { PlannedResourceActs } from "../../provider/adapters/planned-run";
import type { NfvError } from "../../provider/common/errors";
import { cleanOf } from "../events/clean-text";
import type { PipelineEvent, SummaryEvent } from "../events/events";
import { EventReader } from "../events/read-events";
import { secretsIn, secretsInState } from "../events/secrets";
import { type AskedWords, askedWords } from "../plan/asked-words";
import { bound, hashingInputs } from "../plan/exchange";
import { type Plan, planOf, resourcesOf, wordsIn } from "../plan/plan";
import { planKey } from "../plan/plan-key";
import { actsOfRun } from "../plan/planned-acts";
import { cancelled, failureOf, stopped, wasKilled, withOtherHint } from "../report/failure";
import { messageText } from "../report/text";
import { locksIn, type StackLock } from "../stack/stack-lock";

export interface EngineOptions {
    destroys: boolean;
    refresh: boolean;
    parallel?: number;
    /** Another configuration than the stack's own. */
    configFile?: string;
}

/** Either the stack was locked and nothing was done, or what came of it. */
export type Outcome =
    | { locks: StackLock[] }
    | {
          error?: NfvError;
          outputs: OutputMap;
          summary?: SummaryEvent;
          /** Pulumi was killed, so the stack's lock stays. */
          isKilled: boolean;
      };

export interface Previewed {
    plan: Plan;
    /** URNs, names and types of all resources of program and state. */
    words: string[];
    /** Under which words the program asks for what happens once. */
    asked: AskedWords;
    /** All that the run of the plan may do. */
    acts: PlannedResourceActs[];
}

/** A preview takes no lock, so a Pulumi that was killed in it left none. */
function withoutLock(error: NfvError, printed: string): NfvError {
    if (error.code !== "RUN_FAILED" || !wasKilled.test(printed)) return error;
    return withOtherHint(
        error,
        "It was killed in its preview, perhaps for want of memory (dmesg). Nothing was changed: run again.",
    );
}

/** How long a stop waits for Pulumi's first event, in milliseconds: runners kill what does not end soon. */
export const patience = { stop: 5000 };

/** Between its lock and its first event Pulumi ends at once by a signal, and leaves the lock. So a stop that comes before that event waits for it. */
function stopOnceBegun(asked: AbortSignal) {
    const passed = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let hasBegun = false;
    const pass = () => passed.abort(asked.reason);
    const stop = () => {
        if (hasBegun) pass();
        else timer = setTimeout(pass, patience.stop);
    };
    asked.addEventListener("abort", stop, { once: true });
    return {
        signal: passed.signal,
        /** `work`: what belongs to the begin. Without it the run must not go on. */
        begun: (work: () => void) => {
            hasBegun = true;
            try {
                work();
            } catch (error) {
                passed.abort(error);
                throw error;
            }
            if (asked.aborted) pass();
        },
        end: () => {
            clearTimeout(timer);
            asked.removeEventListener("abort", stop);
        },
    };
}

/** Of a preview only these are told: its resources would look like acts. */
const toldOfPreview: readonly PipelineEvent["type"][] = ["operation", "message", "error", "summary"];

/** Pulumi's preview and up of one stack: their events are told once and without secrets, their ends become errors of this package. */
export class Engine {
    private readonly told = new Set<string>();

    private constructor(
        private readonly stack: Stack,
        private readonly secrets: readonly string[],
        /** See planKey. */
        private readonly key: string | undefined,
        private readonly tell: (event: PipelineEvent) => void,
        private readonly signal: AbortSignal,
    ) {}

    static async start(stack: Stack, tell: (event: PipelineEvent) => void, signal: AbortSignal): Promise<Engine> {
        // A state that cannot be read makes the run fail, with the error that says why.
        const env = { ...process.env, ...stack.workspace.envVars };
        const unread = (error: Error) => {
            throw failureOf([], cleanOf(error.message, env));
        };
        const [config, state] = await Promise.all([
            stack.getAllConfig().catch(unread),
            stack.exportStack().catch(() => undefined),
        ]);
        const secrets = [...secretsIn(config, env), ...secretsInState(state)];
        return new Engine(stack, secrets, planKey(state), tell, signal);
    }

    /** @throws the error of the preview */
    async preview({ destroys, ...options }: EngineOptions): Promise<Previewed> {
        const raw: EngineEvent[] = [];
        const reading = this.read(toldOfPreview);
        return hashingInputs(this.stack, this.key, async (stack, hashes) => {
            const run = (onEvent: (event: EngineEvent) => void) => {
                const given = { ...options, onEvent, signal: this.signal };
                return destroys ? stack.previewDestroy(given) : stack.preview(given);
            };
            const failure = await this.end(run, event => {
                raw.push(event);
                reading.take(event);
            });
            if (failure !== undefined) throw withoutLock(this.errorOf(reading.events, failure), failure);
            const warnings = reading.events.flatMap(event =>
                event.type === "message" && event.severity === "warning" ? [messageText(event)] : [],
            );
            return {
                plan: planOf(this.stack.name, raw, warnings, hashes()),
                words: wordsIn(raw),
                asked: askedWords(raw),
                acts: actsOfRun(resourcesOf(raw)),
            };
        });
    }

    /** `acts`: what it may do. `onBegun`: the stack is locked for this run. */
    async act(
        { destroys, ...options }: EngineOptions,
        acts: readonly PlannedResourceActs[],
        onBegun: () => void,
    ): Promise<Outcome> {
        const reading = this.read();
        let begun = false;
        let outputs: OutputMap = {};
        const stop = stopOnceBegun(this.signal);
        const run = async (onEvent: (event: EngineEvent) => void) => {
            const given = { ...options, onEvent, signal: stop.signal };
            return bound(this.stack, acts, async stack => {
                if (destroys) return stack.destroy(given);
                ({ outputs } = await stack.up(given));
                return undefined;
            });
        };
        const failure = await this.end(run, event => {
            if (!begun) {
                begun = true;
                stop.begun(onBegun);
            }
            reading.take(event);
        }).finally(stop.end);
        const locks = failure === undefined || begun ? undefined : locksIn(failure);
        if (locks !== undefined) return { locks };
        const summary = reading.events.filter(event => event.type === "summary").at(-1);
        return {
            outputs,
            isKilled: wasKilled.test(failure ?? ""),
            ...(failure !== undefined && { error: this.errorOf(reading.events, failure) }),
            ...(summary && { summary }),
        };
    }

    private read(shown?: readonly PipelineEvent["type"][]) {
        const reader = new EventReader(this.secrets);
        const events: PipelineEvent[] = [];
        const take = (event: EngineEvent) => {
            for (const found of reader.read(event)) {
                // Pulumi calls it a failure, and between two resources of a destroy a success.
                const isStopped = found.type === "summary" && this.signal.aborted;
                const each: PipelineEvent = isStopped ? { ...found, result: "stopped" } : found;
                events.push(each);
                if ((shown ?? [each.type]).includes(each.type) && this.isNew(each)) this.tell(each);
            }
        };
        return { events, take };
    }

    /** The preview has told messages already. */
    private isNew({ time: _, ...event }: PipelineEvent): boolean {
        if (event.type !== "message" && event.type !== "operation") return true;
        const key = JSON.stringify(event);
        const isNew = !this.told.has(key);
        this.told.add(key);
        return isNew;
    }

    /** What a run that failed has printed; undefined: it did not fail. An error while events are read ends it, too. */
    private async end(
        run: (onEvent: (event: EngineEvent) => void) => Promise<unknown>,
        take: (event: EngineEvent) => void,
    ): Promise<string | undefined> {
        if (this.signal.aborted) throw cancelled(this.signal);
        let broken: unknown;
        const onEvent = (event: EngineEvent) => {
            try {
                take(event);
            } catch (error) {
                broken ??= error;
            }
        };
        const failure = await run(onEvent).then(
            () => undefined,
            error => (error instanceof Error ? error.message : String(error)),
        );
        if (broken !== undefined) throw broken;
        return failure;
    }

    private errorOf(events: readonly PipelineEvent[], printed: string): NfvError {
        if (this.signal.aborted) return stopped(events, this.signal);
        return failureOf(events, new EventReader(this.secrets).clean(printed));
    }
}
