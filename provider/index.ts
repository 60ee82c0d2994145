import { note, report, warn } from "./progress";
import { resourceType } from "./resources/registry";
import type { Checked, Context, Diff, Observed } from "./resources/types";

/**
 * The one door through which every host (pulumi.dynamic, an executable provider, tests) reaches the resources. The names here
 * are recorded in the states of users: they may be added to, never renamed or removed.
 */

type Properties = Record<string, unknown>;

export function check(type: string, olds: Properties, news: Properties): Checked<object> {
    return resourceType(type).check(strip(olds ?? {}), strip(news));
}

export function diff(type: string, id: string, olds: Properties, news: Properties): Diff {
    // The engine shows such an update without a reason: its inputs are the same as before.
    if (Array.isArray(olds.pending) && olds.pending.length > 0) {
        note(contextOf(olds).urn, `still to do: ${olds.pending.join(", ")}`);
    }
    return resourceType(type).diff(id, strip(olds), strip(news));
}

export function create(type: string, inputs: Properties): Promise<{ id: string; outs: object }> {
    return keepingPartialState(inputs, () => resourceType(type).create(strip(inputs), contextOf(inputs)));
}

export async function read(type: string, id: string, state: Properties): Promise<Observed<object, object>> {
    return plain(await resourceType(type).read(id, strip(state), contextOf(state)));
}

export function update(type: string, id: string, olds: Properties, news: Properties): Promise<{ outs: object }> {
    return keepingPartialState(news, () => resourceType(type).update(id, strip(olds), strip(news), contextOf(news)));
}

async function remove(type: string, id: string, state: Properties): Promise<void> {
    await resourceType(type).delete(id, strip(state), contextOf(state));
}

export { remove as delete };

/** The adapter's own text in the properties is no business of the resources. */
function strip(properties: Properties): Properties {
    const { __provider: _, ...rest } = properties;
    return rest;
}

function contextOf(properties: Properties): Context {
    const urn = typeof properties.resourceUrn === "string" ? properties.resourceUrn : "";
    return { urn, report: text => report(urn, text), warn: text => warn(urn, text) };
}

/** An error with `id` and `properties` keeps the resource; without __provider among them it could never be deleted. */
async function keepingPartialState<T>(inputs: Properties, act: () => Promise<T>): Promise<T> {
    try {
        return plain(await act());
    } catch (error) {
        const partial = error as { id?: string; properties?: Properties };
        if (partial.id !== undefined && inputs.__provider !== undefined) {
            partial.properties = plain({ ...partial.properties, __provider: inputs.__provider });
        }
        throw error;
    }
}

/** Without undefined values, which the engine's wire format does not know. */
function plain<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}
