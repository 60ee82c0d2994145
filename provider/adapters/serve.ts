import { NfvError, withCode } from "../common/errors";
import type { RunSession } from "../common/run-session";
import { unknownValue } from "../common/unknown-value";
import { noteFailure, refuseAfterFailure } from "../contract/failures";
import { noWholeNames } from "../contract/give-up";
import { isAsBefore, isDone, packedLike, unpack } from "../contract/packed";
import { runFacts, sameUrn } from "../contract/run-facts";
import type { Checked, CheckFailure, Context, Diff, InSession, Observed } from "../contract/types";
import { expectRecordedKeys } from "../machine/machine";
import { withPresentKeys } from "../machine/rotated-connections";
import {
    askedInputs,
    isAskedAgain,
    isMachine,
    isStored,
    isUpToDate,
    type MachineName,
    type MachineType,
    machineInProgram,
    mustBeInProgram,
    packAsked,
    packState,
} from "../machine/stored-machine";
import { operationOf, plannedActs, runsSteps } from "../member/planned-acts";
import type { SshTarget } from "../ssh";
import { descriptorOf, resourceType, secretNames } from "./descriptors";
import { endWarning, isTimeUp } from "./end-warning";
import { isMemory, refusedReplacement } from "./irreplaceable";
import { noteInputs } from "./noted-inputs";
import type { AboutToAct, PlannedRun } from "./planned-run";
import type { Messages } from "./progress";
import { RepairRun } from "./repair-run";

export type Properties = Record<string, unknown>;

/** The methods of all resource types, by the type's name. */
export interface Provider {
    check(type: string, olds: Properties, news: Properties): Promise<Checked<object>>;
    diff(type: string, id: string, olds: Properties, news: Properties): Diff;
    create(type: string, inputs: Properties): Promise<{ id: string; outs: object }>;
    read(type: string, id: string, state: Properties): Promise<Observed<object, object>>;
    update(type: string, id: string, olds: Properties, news: Properties): Promise<{ outs: object }>;
    delete(type: string, id: string, state: Properties): Promise<void>;
}

/** With `--refresh` Pulumi asks for each difference twice. */
function noteOnce(context: Context, text: string): void {
    const { said } = runFacts(context).did;
    const key = `${context.urn} ${text}`;
    if (!said.has(key)) context.note(text);
    said.add(key);
}

const withoutDrift = ({ drift: _, ...state }: Properties) => state;

/** The resources of one run. `session`: what they share; another run needs another one. `readPlannedRun`: what it may do; without one, everything. */
export function serve(
    session: RunSession,
    messages: Messages,
    readPlannedRun: () => PlannedRun | undefined = () => undefined,
): Provider {
    // Read at the first act: a plan that cannot be read is that act's error.
    let read: PlannedRun | undefined;
    const plannedRun = () => {
        read ??= readPlannedRun();
        return read;
    };
    const contextOf = (type: string, properties: Properties): Context => {
        const urn = urnIn(open(type, properties));
        const { report, warn, note } = messages;
        return {
            urn,
            report: text => report(urn, text),
            warn: text => warn(urn, text),
            note: text => note(urn, text),
            session,
            signal: session.signal,
        };
    };

    /** After Ctrl-C, replaces errors of aborted timers and streams by one that a person can understand. */
    const cancelling = async <T>(act: () => Promise<T>): Promise<T> => {
        const { signal } = session;
        try {
            signal.throwIfAborted();
            return await act();
        } catch (error) {
            throw signal.aborted && !(error instanceof NfvError) ? signal.reason : error;
        }
    };

    /**
     * Adds `id` and `properties` to errors so that the engine keeps the resource. Without `__provider` in them it could
     * never be deleted.
     */
    const answering = async <T extends { outs: object }>(
        type: string,
        inputs: Properties,
        act: () => Promise<T>,
    ): Promise<T> => {
        try {
            const answer = await cancelling(act);
            return plain({ ...answer, outs: closed(type, inputs, answer.outs) });
        } catch (error) {
            noteFailure({ session }, error);
            const partial = error as { id?: string; properties?: Properties };
            if (partial.id !== undefined && inputs.__provider !== undefined) {
                const kept = closed(type, inputs, partial.properties ?? {});
                partial.properties = plain({ ...kept, __provider: inputs.__provider });
            }
            throw error;
        }
    };

    /** The inputs of a machine that are stored; undefined if the program's are not packed. */
    const machineInputs = (type: MachineType, news: Properties): Properties | undefined => {
        if (news.secrets === undefined) return undefined;
        return plain(packAsked(askedInputs(type, open(type, news))));
    };

    const about = (type: string, properties: Properties, id?: string): AboutToAct => {
        const { spec } = open(type, properties) as { spec?: { name?: unknown } };
        return {
            ...{ type, urn: contextOf(type, properties).urn },
            ...(id !== undefined && { id }),
            ...(isMachine(type) && { node: String(spec?.name) }),
        };
    };

    const refuseUnplannedUpdate = (type: string, id: string, olds: Properties, news: Properties, given: Properties) => {
        const planned = plannedRun();
        if (planned === undefined) return;
        const changed = about(type, given, id);
        const operation = operationOf(news);
        const disrupts = descriptorOf(type)?.disrupts;
        planned.update(changed, {
            ...(runsSteps(news) && { acts: plannedActs(olds, news) }),
            disrupts:
                typeof disrupts === "function" && disrupts({ act: "update", state: olds, inputs: news }) !== undefined,
            ...(operation !== undefined && { operation }),
        });
        // Of others the state and the inputs do not tell all steps: the snapshots of another machine begin anew, for instance.
        if (isMachine(type))
            runFacts({ session }).program.plannedSteps.set(changed.urn, title => planned.mayRun(changed, title));
    };

    /** The inputs as the program gave them. */
    const givenInputs = (type: string, inputs: Properties): Properties =>
        isMachine(type) && isStored(inputs) ? mustBeInProgram({ session }, type, machineIn(type, inputs)) : inputs;

    /**
     * Resources refuse with plain texts; a person gets an error code with each. The engine would print the whole value of a property that we name, or
     * "value {<nil>}" of one that is packed: so the reason names it.
     */
    const noted = <T extends { failures?: CheckFailure[] }>(answer: T): T => {
        const failures = answer.failures?.map(({ property, reason }) => ({
            property: "",
            reason: withCode(reason, property),
        }));
        const [first] = failures ?? [];
        if (first === undefined) return answer;
        noteFailure({ session }, first.reason);
        return { ...answer, failures };
    };

    const thrown = (error: unknown): never => {
        noteFailure({ session }, error);
        throw error;
    };

    const isRenamed = (type: MachineType, olds: Properties, news: Properties): boolean => {
        const now = machineInProgram({ session }, type, machineIn(type, news))?.["resourceUrn"];
        const before = open(type, olds)["resourceUrn"];
        return typeof now === "string" && typeof before === "string" && !sameUrn(now, before);
    };

    /** Of a run that repairs nodes: a request that was stopped in its middle, and what stays as it is of a machine whose inputs are those of the last run. */
    const leftToOthers = (type: string, olds: Properties, news: Properties): string | undefined => {
        if (leavesRequest(type))
            return "this run repairs nodes; what is left to do of this request is left to the next pulumi up";
        const repairRun = RepairRun.of(process.env);
        if (repairRun === undefined || !isMachine(type)) return undefined;
        const { name } = (open(type, olds) as { spec: { name: string } }).spec;
        if (repairRun.repairs(name) || !isAskedAgain(olds, news)) return undefined;
        return `${name}: this run repairs other nodes; what is to do here is left to the next pulumi up`;
    };

    const check = async (type: string, olds: Properties, all: Properties) => {
        const { program } = runFacts({ session });
        const news = open(type, all);
        const urn = urnIn(news);
        // Few ask for the stored ones, and to unpack those of all machines takes time.
        const given = {
            news,
            get olds() {
                return open(type, olds ?? {});
            },
        };
        program.note(type, urn, given);
        noteInputs(urn, withoutProvider(all), process.env, program.freshMarks);
        try {
            return noted(await answerCheck(type, olds, all));
        } catch (error) {
            return thrown(error);
        }
    };

    const answerCheck = (
        type: string,
        olds: Properties,
        all: Properties,
    ): Checked<object> | Promise<Checked<object>> => {
        const { known, ...others } = all;
        const news = isMemory(type) ? others : all;
        const refused = refusedReplacement(type, olds ?? {}, known, news.resourceUrn);
        if (refused.length > 0) return { inputs: news, failures: refused };
        const asked = isMachine(type) ? machineInputs(type, news) : undefined;
        if (asked !== undefined && isAsBefore(olds ?? {}, asked)) return { inputs: asked, failures: [] };
        if (isDecidedByInputs(type) && isSameQuestion(type, olds ?? {}, news))
            return { inputs: withoutProvider(news), failures: [] };
        if (isText(news.problems)) return { inputs: news, failures: [{ property: "", reason: news.problems }] };
        const resource = resourceType(type);
        const [before, after] = [open(type, olds ?? {}), open(type, news)];
        const { notes = [], ...checked } = resource.check(before, after, { session });
        const answer = plain({ ...checked, inputs: asked ?? closed(type, news, checked.inputs) });
        if ((checked.failures ?? []).length > 0) return answer;
        for (const text of notes) messages.note(contextOf(type, news).urn, text);
        if (leavesRequest(type) || resource.checkInCloud === undefined) return answer;
        if (resource.needsCheckInCloud?.(before, after) === false) return answer;
        return resource.checkInCloud(before, after, contextOf(type, news)).then(live =>
            plain({
                inputs: asked ?? closed(type, news, { ...checked.inputs, ...live.inputs }),
                failures: live.failures,
            }),
        );
    };

    return {
        check,

        diff: (type, id, olds, news) => {
            if (isMachine(type)) expectRecordedKeys({ session }, open(type, olds));
            // The engine shows this update without a reason, because its inputs did not change.
            if (Array.isArray(olds.pending) && olds.pending.length > 0) {
                noteOnce(contextOf(type, olds), `still to do: ${olds.pending.join(", ")}`);
            }
            const ends = endWarning(type, olds);
            if (ends !== undefined) contextOf(type, olds).warn(ends);
            // Warn once in a run: a cluster has one id.
            const noNames = type === "ClusterId" ? noWholeNames() : undefined;
            if (noNames !== undefined) contextOf(type, olds).warn(noNames);
            // After a renaming by alias the state gets the new name: the deletion of a machine compares it.
            const renamed = isMachine(type) && isRenamed(type, olds, news);
            if (
                isMachine(type)
                    ? isUpToDate(olds, news)
                    : isDecidedByInputs(type) &&
                      isDone(olds) &&
                      isSameQuestion(type, olds, news) &&
                      !isTimeUp(type, olds)
            ) {
                return { changes: renamed };
            }
            const left = renamed ? undefined : leftToOthers(type, olds, news);
            if (left !== undefined) {
                noteOnce(contextOf(type, olds), left);
                return { changes: false };
            }
            try {
                // Some destroys (--target-dependents) call this all the same: what they see is no program's.
                const inRun = runFacts({ session }).program.isKnown ? { session } : undefined;
                // What others have changed of the cluster's own objects keeps no node from being repaired.
                const leaves = RepairRun.of(process.env) !== undefined && !isMachine(type);
                const before = leaves ? withoutDrift(open(type, olds)) : open(type, olds);
                const { note, ...found } = resourceType(type).diff(id, before, open(type, news), inRun);
                if (note !== undefined) noteOnce(contextOf(type, olds), note);
                return { ...found, changes: found.changes || renamed };
            } catch (error) {
                return thrown(error);
            }
        },

        create: (type, inputs) =>
            answering(type, inputs, () => {
                const given = givenInputs(type, inputs);
                plannedRun()?.create(about(type, given));
                return resourceType(type).create(open(type, given), contextOf(type, given));
            }),

        read: async (type, id, state) => {
            const { props, inputs, ...others } = await cancelling(() =>
                resourceType(type).read(id, open(type, state), contextOf(type, state)),
            );
            return plain({
                ...others,
                ...(props !== undefined && { props: closed(type, state, props) }),
                ...(inputs !== undefined && { inputs: closed(type, state, inputs) }),
            });
        },

        update: (type, id, olds, news) =>
            answering(type, news, async () => {
                const given = givenInputs(type, news);
                refuseUnplannedUpdate(type, id, olds, news, given);
                // Only the name has changed: no machine is asked, as one that is silent must not stop a renaming.
                if (isMachine(type) && isRenamed(type, olds, news) && isUpToDate(olds, news))
                    return { outs: { ...open(type, olds), resourceUrn: open(type, given)["resourceUrn"] } };
                return resourceType(type).update(id, open(type, olds), open(type, given), contextOf(type, given));
            }),

        delete: (type, id, state) =>
            cancelling(async () => {
                if (isMachine(type)) expectRecordedKeys({ session }, open(type, state));
                refuseAfterFailure({ session }, type);
                plannedRun()?.delete(about(type, state, id));
                const context = contextOf(type, state);
                await resourceType(type).delete(id, presentlyReached({ session }, open(type, state)), context);
                runFacts(context).did.deleted.add(`${type} ${context.urn.split("::").at(-1)}`);
            }),
    };
}

/** A run that repairs nodes leaves requests to the next one, and asks no machine about them. */
const leavesRequest = (type: string) => descriptorOf(type)?.request === true && RepairRun.of(process.env) !== undefined;

const urnIn = ({ resourceUrn }: Properties) => (typeof resourceUrn === "string" ? resourceUrn : "");

const machineIn = (type: MachineType, properties: Properties) => open(type, properties) as Properties & MachineName;

/** Properties as the resources expect them: unpacked, without the adapter's `__provider`. */
function open(type: string, properties: Properties): Properties {
    const rest = withoutProvider(properties);
    return isPacked(type) ? unpack(rest, secretNames(type)) : rest;
}

/** The state of what goes, reached as this run's program says. */
function presentlyReached(context: InSession, state: Properties): Properties {
    const { connection } = state;
    if (typeof connection !== "object" || connection === null) return state;
    return { ...state, connection: withPresentKeys(context, connection as SshTarget) };
}

/** Whether the text is given and known. */
function isText(value: unknown): value is string {
    return typeof value === "string" && value !== unknownValue;
}

function withoutProvider({ __provider: _, ...rest }: Properties): Properties {
    return rest;
}

function isPacked(type: string): boolean {
    return descriptorOf(type)?.packed === true;
}

function isDecidedByInputs(type: string): boolean {
    return descriptorOf(type)?.decidedByInputs === true;
}

/** What only the former inputs have counts for the inputs that may leave. */
function isSameQuestion(type: string, olds: Properties, news: Properties): boolean {
    const leaving: readonly string[] = descriptorOf(type)?.leavingInputs ?? [];
    return isAsBefore(olds, news) && leaving.every(name => olds[name] === undefined || news[name] !== undefined);
}

/** Packs the answer if the question was packed. */
function closed(type: string, asked: Properties, answer: object): Properties {
    const properties = answer as Properties;
    if (isMachine(type) && isStored(asked)) return packState(properties, asked);
    return isPacked(type) ? packedLike(asked, properties, secretNames(type)) : properties;
}

/** Drops undefined values, which the engine's wire format does not support. */
function plain<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}
