import { note, report, warn } from "./progress";
import { packedLike, unpack } from "./resources/packed";
import { resourceType } from "./resources/registry";
import { secretProperties } from "./resources/secrets";
import type { Checked, Context, Diff, Observed } from "./resources/types";

/**
 * The one door through which every host (pulumi.dynamic, an executable provider, tests) reaches the resources. The names here
 * are recorded in the states of users: they may be added to, never renamed or removed.
 */

type Properties = Record<string, unknown>;

/** A promise only for types that ask the world. */
export function check(type: "CloudCheck", olds: Properties, news: Properties): Promise<Checked<object>>;
export function check(type: string, olds: Properties, news: Properties): Checked<object>;
export function check(type: string, olds: Properties, news: Properties): Checked<object> | Promise<Checked<object>> {
    const resource = resourceType(type);
    const [before, after] = [open(type, olds ?? {}), open(type, news)];
    const checked = resource.check(before, after);
    const answer = { ...checked, inputs: closed(type, news, checked.inputs) };
    if (resource.checkLive === undefined || (checked.failures ?? []).length > 0) return answer;
    return resource.checkLive(before, after, contextOf(news)).then(failures => ({ ...answer, failures }));
}

export function diff(type: string, id: string, olds: Properties, news: Properties): Diff {
    // The engine shows such an update without a reason: its inputs are the same as before.
    if (Array.isArray(olds.pending) && olds.pending.length > 0) {
        note(contextOf(olds).urn, `still to do: ${olds.pending.join(", ")}`);
    }
    return resourceType(type).diff(id, open(type, olds), open(type, news));
}

export function create(type: string, inputs: Properties): Promise<{ id: string; outs: object }> {
    return answering(type, inputs, () => resourceType(type).create(open(type, inputs), contextOf(inputs)));
}

export async function read(type: string, id: string, state: Properties): Promise<Observed<object, object>> {
    const { props, inputs, ...others } = await resourceType(type).read(id, open(type, state), contextOf(state));
    return plain({
        ...others,
        ...(props !== undefined && { props: closed(type, state, props) }),
        ...(inputs !== undefined && { inputs: closed(type, state, inputs) }),
    });
}

export function update(type: string, id: string, olds: Properties, news: Properties): Promise<{ outs: object }> {
    return answering(type, news, () =>
        resourceType(type).update(id, open(type, olds), open(type, news), contextOf(news)),
    );
}

async function remove(type: string, id: string, state: Properties): Promise<void> {
    await resourceType(type).delete(id, open(type, state), contextOf(state));
}

export { remove as delete };

/** As the resources know them: unpacked, and without the adapter's own text, which is no business of theirs. */
function open(type: string, properties: Properties): Properties {
    const { __provider: _, ...rest } = properties;
    return secretProperties[type]?.packed ? unpack(rest, secretNames(type)) : rest;
}

/** An answer in the form of what was asked. */
function closed(type: string, asked: Properties, answer: object): Properties {
    const properties = answer as Properties;
    return secretProperties[type]?.packed ? packedLike(asked, properties, secretNames(type)) : properties;
}

function secretNames(type: string): string[] {
    return secretProperties[type]!.inputs.filter(path => !path.includes("."));
}

function contextOf(properties: Properties): Context {
    const urn = typeof properties.resourceUrn === "string" ? properties.resourceUrn : "";
    return { urn, report: text => report(urn, text), warn: text => warn(urn, text) };
}

/** An error with `id` and `properties` keeps the resource; without __provider among them it could never be deleted. */
async function answering<T extends { outs: object }>(
    type: string,
    inputs: Properties,
    act: () => Promise<T>,
): Promise<T> {
    try {
        const answer = await act();
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

/** Without undefined values, which the engine's wire format does not know. */
function plain<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}
