import { NfvError, withCode } from "../common/errors";
import type { RunSession } from "../common/run-session";
import { noteFailure } from "../contract/failures";
import { runFacts } from "../contract/run-facts";
import type { CheckFailure, Context } from "../contract/types";
import type { PlannedRun } from "./planned-run";
import type { Messages } from "./progress";
import { closed, open, type Properties, plain, urnIn } from "./properties";

/** The run in which Pulumi asks resources: what all of its questions share. */
export class ServedRun {
    private read: PlannedRun | undefined;

    constructor(
        readonly session: RunSession,
        readonly messages: Messages,
        private readonly readPlannedRun: () => PlannedRun | undefined,
    ) {}

    /** What the run may do. Read at the first act: a plan that cannot be read is that act's error. */
    planned(): PlannedRun | undefined {
        this.read ??= this.readPlannedRun();
        return this.read;
    }

    contextOf(type: string, properties: Properties): Context {
        const urn = urnIn(open(type, properties));
        const { session } = this;
        const { report, warn, note } = this.messages;
        return {
            urn,
            report: text => report(urn, text),
            warn: text => warn(urn, text),
            note: text => note(urn, text),
            session,
            signal: session.signal,
        };
    }

    /** With `--refresh` Pulumi asks for each difference twice. */
    noteOnce(context: Context, text: string): void {
        const { said } = runFacts(context).did;
        const key = `${context.urn} ${text}`;
        if (!said.has(key)) context.note(text);
        said.add(key);
    }

    /** After Ctrl-C, replaces errors of aborted timers and streams by one that a person can understand. */
    async cancelling<T>(act: () => Promise<T>): Promise<T> {
        const { signal } = this.session;
        try {
            signal.throwIfAborted();
            return await act();
        } catch (error) {
            throw signal.aborted && !(error instanceof NfvError) ? signal.reason : error;
        }
    }

    /**
     * Adds `id` and `properties` to errors so that the engine keeps the resource. Without `__provider` in them it could
     * never be deleted.
     */
    async answering<T extends { outs: object }>(type: string, inputs: Properties, act: () => Promise<T>): Promise<T> {
        try {
            const answer = await this.cancelling(act);
            return plain({ ...answer, outs: closed(type, inputs, answer.outs) });
        } catch (error) {
            noteFailure(this, error);
            const partial = error as { id?: string; properties?: Properties };
            if (partial.id !== undefined && inputs.__provider !== undefined) {
                const kept = closed(type, inputs, partial.properties ?? {});
                partial.properties = plain({ ...kept, __provider: inputs.__provider });
            }
            throw error;
        }
    }

    /**
     * Resources refuse with plain texts; a person gets an error code with each. The engine would print the whole value of a property that we name, or
     * "value {<nil>}" of one that is packed: so the reason names it.
     */
    noted<T extends { failures?: CheckFailure[] }>(answer: T): T {
        const failures = answer.failures?.map(({ property, reason }) => ({
            property: "",
            reason: withCode(reason, property),
        }));
        const [first] = failures ?? [];
        if (first === undefined) return answer;
        noteFailure(this, first.reason);
        return { ...answer, failures };
    }

    /** @throws the error, which counts as a failure of the run */
    failed(error: unknown): never {
        noteFailure(this, error);
        throw error;
    }
}
