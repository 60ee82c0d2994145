import { listenForCancel, runSignal } from "./cancellation";
import { NfvError } from "./errors";
import { isMemory, refusedReplacement } from "./irreplaceable";
import { printErrorsOnce } from "./print-once";
import { note, report, warn } from "./progress";
import { endWarning } from "./resources/end-warning";
import { noWholeNames } from "./resources/give-up";
import { isAsBefore, isDone, packedLike, unpack } from "./resources/packed";
import { secretProperties } from "./resources/secrets";
import type { Checked, Context, Diff, Observed } from "./resources/types";
import { unknownValue } from "./unknown";

/**
 * The only entry point to the resources, for all hosts (pulumi.dynamic, an executable provider, tests). The states of
 * users contain the names exported here: new ones may be added, but none may be renamed or removed.
 */

type Properties = Record<string, unknown>;

listenForCancel();
printErrorsOnce();

/** The provider texts in states call this: all methods below, for one type. */
export function handler(type: string) {
    return {
        check: (olds: Properties, news: Properties) => check(type, olds, news),
        diff: (id: string, olds: Properties, news: Properties) => diff(type, id, olds, news),
        create: (inputs: Properties) => create(type, inputs),
        read: (id: string, state: Properties) => read(type, id, state),
        update: (id: string, olds: Properties, news: Properties) => update(type, id, olds, news),
        delete: (id: string, state: Properties) => remove(type, id, state),
    };
}

type LiveType = "CloudCheck" | "CnfNamespace" | "CnfObjects" | "OperationStart" | "Vim";

/** A promise only for types that need I/O. */
export function check(type: LiveType, olds: Properties, news: Properties): Promise<Checked<object>>;
export function check(type: string, olds: Properties, news: Properties): Checked<object>;
export function check(type: string, olds: Properties, all: Properties): Checked<object> | Promise<Checked<object>> {
    const { known, ...others } = all;
    const news = isMemory(type) ? others : all;
    const refused = refusedReplacement(type, olds ?? {}, known, news.resourceUrn);
    if (refused.length > 0) return { inputs: news, failures: refused };
    if (isOwnAffair(type) && isAsBefore(olds ?? {}, news)) return { inputs: withoutProvider(news), failures: [] };
    if (isText(news.problems)) return { inputs: news, failures: [{ property: "", reason: news.problems }] };
    const resource = resourceType(type);
    const [before, after] = [open(type, olds ?? {}), open(type, news)];
    const { notes = [], ...checked } = resource.check(before, after);
    const answer = plain({ ...checked, inputs: closed(type, news, checked.inputs) });
    if ((checked.failures ?? []).length > 0) return answer;
    for (const text of notes) note(contextOf(type, news).urn, text);
    if (resource.checkLive === undefined) return answer;
    return resource
        .checkLive(before, after, contextOf(type, news))
        .then(live =>
            plain({ inputs: closed(type, news, { ...checked.inputs, ...live.inputs }), failures: live.failures }),
        );
}

export function diff(type: string, id: string, olds: Properties, news: Properties): Diff {
    // The engine shows this update without a reason, because its inputs did not change.
    if (Array.isArray(olds.pending) && olds.pending.length > 0) {
        note(contextOf(type, olds).urn, `still to do: ${olds.pending.join(", ")}`);
    }
    const ends = endWarning(type, olds);
    if (ends !== undefined) contextOf(type, olds).warn(ends);
    // Warn once in a run: a cluster has one identity.
    const noNames = type === "ClusterIdentity" ? noWholeNames() : undefined;
    if (noNames !== undefined) contextOf(type, olds).warn(noNames);
    if (isOwnAffair(type) && isDone(olds) && isAsBefore(olds, news)) return { changes: false };
    return resourceType(type).diff(id, open(type, olds), open(type, news));
}

export function create(type: string, inputs: Properties): Promise<{ id: string; outs: object }> {
    return answering(type, inputs, () => resourceType(type).create(open(type, inputs), contextOf(type, inputs)));
}

export async function read(type: string, id: string, state: Properties): Promise<Observed<object, object>> {
    const { props, inputs, ...others } = await cancelling(() =>
        resourceType(type).read(id, open(type, state), contextOf(type, state)),
    );
    return plain({
        ...others,
        ...(props !== undefined && { props: closed(type, state, props) }),
        ...(inputs !== undefined && { inputs: closed(type, state, inputs) }),
    });
}

export function update(type: string, id: string, olds: Properties, news: Properties): Promise<{ outs: object }> {
    return answering(type, news, () =>
        resourceType(type).update(id, open(type, olds), open(type, news), contextOf(type, news)),
    );
}

async function remove(type: string, id: string, state: Properties): Promise<void> {
    await cancelling(() => resourceType(type).delete(id, open(type, state), contextOf(type, state)));
}

export { remove as delete };

/** Properties as the resources expect them: unpacked, without the adapter's `__provider`. */
function open(type: string, properties: Properties): Properties {
    const rest = withoutProvider(properties);
    return isPacked(type) ? unpack(rest, secretNames(type)) : rest;
}

/** Whether the text is given and known. */
function isText(value: unknown): value is string {
    return typeof value === "string" && value !== unknownValue;
}

function withoutProvider({ __provider: _, ...rest }: Properties): Properties {
    return rest;
}

/** Whether only inputs and completed steps decide what this type has to do. If neither changed, nothing is to do. */
function isOwnAffair(type: string): boolean {
    return ["Host", "Node", "ClusterNetwork", "OperationEnd"].includes(type);
}

function isPacked(type: string): boolean {
    return secretProperties[type]?.packed === true;
}

/** Loaded on demand: in most previews no resource has anything to do. */
function resourceType(type: string) {
    return (require("./resources/registry") as typeof import("./resources/registry")).resourceType(type);
}

/** Packs the answer if the question was packed. */
function closed(type: string, asked: Properties, answer: object): Properties {
    const properties = answer as Properties;
    return isPacked(type) ? packedLike(asked, properties, secretNames(type)) : properties;
}

function secretNames(type: string): string[] {
    return secretProperties[type]!.inputs.filter(path => !path.includes("."));
}

function contextOf(type: string, properties: Properties): Context {
    const { resourceUrn } = open(type, properties);
    const urn = typeof resourceUrn === "string" ? resourceUrn : "";
    return { urn, report: text => report(urn, text), warn: text => warn(urn, text), signal: runSignal };
}

/**
 * Adds `id` and `properties` to errors so that the engine keeps the resource. Without `__provider` in them it could
 * never be deleted.
 */
async function answering<T extends { outs: object }>(
    type: string,
    inputs: Properties,
    act: () => Promise<T>,
): Promise<T> {
    try {
        const answer = await cancelling(act);
        return plain({ ...answer, outs: closed(type, inputs, answer.outs) });
    } catch (error) {
        const partial = error as { id?: string; properties?: Properties };
        if (partial.id !== undefined && inputs.__provider !== undefined) {
            const kept = closed(type, inputs, partial.properties ?? {});
            partial.properties = plain({ ...kept, __provider: inputs.__provider });
        }
        throw error;
    }
}

/** After Ctrl-C, replaces errors of aborted timers and streams by one that a person can understand. */
async function cancelling<T>(act: () => Promise<T>): Promise<T> {
    try {
        runSignal.throwIfAborted();
        return await act();
    } catch (error) {
        throw runSignal.aborted && !(error instanceof NfvError) ? runSignal.reason : error;
    }
}

/** Drops undefined values, which the engine's wire format does not support. */
function plain<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}
