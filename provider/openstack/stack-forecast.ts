import { parse } from "yaml";
import type { CloudClient } from "./client";
import { type StackResource, stackPath } from "./heat";
import { isSettled, type LiveStack } from "./stack";
import {
    type DefinedStack,
    holdsMachine,
    isSame,
    referencesIn,
    serversWith,
    type Template,
    type Tree,
    unexpectedChanges,
} from "./stack-definitions";

/** What an update would do to a stack: names of resources. Heat cannot foresee what follows from a replacement. */
export interface StackForecast {
    /** Heat would make another one, then delete this one. */
    replaced: string[];
    deleted: string[];
    /** Heat would change it in place, so that a node loses its machine, disk or address, and the state does not know how it is. */
    disturbed: string[];
}

type Kind = "replaced" | "deleted" | "updated";

type ForecastAnswer = { resource_changes: Partial<Record<Kind, Pick<StackResource, "resource_name">[]>> };

/** A template, and all its parameters in the form in which Heat shows them. */
export interface WantedStack {
    /** HOT as text. */
    template: string;
    parameters: Record<string, string>;
}

/**
 * Asks Heat what it would do with this template and these parameters. Nothing changes.
 *
 * In a forecast Heat resolves no reference to another resource, and calls everything replaced whose property holds one. So references to
 * what exists are resolved before. What remains unresolved is found by a second question: what Heat would replace although nothing changes.
 * Of that, what changes at all counts as replaced. `former`: the stack in the state.
 */
export async function forecastUpdate(
    cloud: CloudClient,
    stack: LiveStack,
    resources: readonly StackResource[],
    wanted: WantedStack,
    former: WantedStack = { template: "", parameters: {} },
): Promise<StackForecast> {
    const ask = forecaster(cloud, stack, resources);
    const [later, before] = [wanted, former].map(defined);
    const { replaced, deleted, updated } = await ask(later!);
    const made = new Map(resources.map(each => [each.resource_name, each]));
    const typeOf = (name: string) => made.get(name)?.resource_type ?? "";
    const hasFailed = (name: string) => made.get(name)?.resource_status.endsWith("_FAILED") === true;
    // What a change that failed has not reached is not what Heat's template says. Heat's own things hold nothing.
    const mayStay = replaced.filter(
        name => !hasFailed(name) && (isSettled(stack) || typeOf(name).startsWith("OS::Heat::")),
    );
    const mayDisturb = updated.filter(name => holdsMachine(typeOf(name)));
    if (mayStay.length + mayDisturb.length === 0) return { ...whole(later!, replaced), deleted, disturbed: [] };
    const live = await liveDefinition(cloud, stack);
    const always = mayStay.length === 0 ? [] : (await ask(live)).replaced;
    // Of these Heat's answer says nothing. Only what stays as it is, word for word, surely stays.
    const stays = (name: string) =>
        mayStay.includes(name) &&
        always.includes(name) &&
        isSame(later!, live, name) &&
        (isSettled(stack) || isSame(before!, live, name));
    const disturbed = unexpectedChanges(mayDisturb, { live, former: before!, later: later! });
    return { ...whole(later!, withFollowers(later!.template, replaced, stays)), deleted, disturbed };
}

const defined = ({ template, parameters }: WantedStack): DefinedStack => ({
    template: (parse(template) ?? {}) as Template,
    parameters,
});

/** Heat's own template and parameters. */
async function liveDefinition(cloud: CloudClient, stack: LiveStack): Promise<DefinedStack> {
    const template = (await cloud.get<Template>("orchestration", `${pathOf(stack)}/template`)) ?? {};
    // Heat's own: OS::stack_id and others.
    const given = Object.entries(stack.parameters).filter(([name]) => !name.startsWith("OS::"));
    return { template, parameters: Object.fromEntries(given) };
}

/** Names of what Heat would replace although nothing changes: what a change that failed has not reached is among it. */
export async function notAsDefined(
    cloud: CloudClient,
    stack: LiveStack,
    resources: readonly StackResource[],
): Promise<string[]> {
    return (await forecaster(cloud, stack, resources)(await liveDefinition(cloud, stack))).replaced;
}

function whole(later: DefinedStack, replaced: string[]): Pick<StackForecast, "replaced"> {
    return { replaced: [...new Set([...replaced, ...serversWith(replaced, later)])] };
}

/** What does not stay, and what refers to it. */
function withFollowers(template: Template, names: readonly string[], stays: (name: string) => boolean): string[] {
    const gone = new Set(names.filter(name => !stays(name)));
    const follows = (name: string) => [...referencesIn(template.resources?.[name])].some(other => gone.has(other));
    for (let before = -1; before !== gone.size; ) {
        before = gone.size;
        for (const name of names.filter(follows)) gone.add(name);
    }
    return names.filter(name => gone.has(name));
}

function forecaster(cloud: CloudClient, stack: LiveStack, resources: readonly StackResource[]) {
    const ids = new Map(
        resources
            .filter(each => each.physical_resource_id !== "")
            .map(each => [each.resource_name, each.physical_resource_id]),
    );
    const seen = new Map<string, Promise<Tree>>();
    const attributesOf = (name: string) => {
        const path = `${pathOf(stack)}/resources/${encodeURIComponent(name)}`;
        const asked =
            seen.get(name) ??
            cloud
                .get<{ resource: { attributes?: Tree } }>("orchestration", path)
                .then(answer => answer?.resource.attributes ?? {});
        seen.set(name, asked);
        return asked;
    };
    return async ({ template, parameters }: DefinedStack): Promise<Record<Kind, string[]>> => {
        const wanted = [...referencesIn(template.resources, ["get_attr"])].filter(name => ids.has(name));
        const attributes = new Map(
            await Promise.all(wanted.map(async name => [name, await attributesOf(name)] as const)),
        );
        const body = { template: resolveReferences(template, { ids, attributes }), parameters };
        const { resource_changes } = await cloud.change<ForecastAnswer>(
            "orchestration",
            "PUT",
            `${pathOf(stack)}/preview`,
            { body },
        );
        const names = (kind: Kind) => (resource_changes[kind] ?? []).map(each => each.resource_name);
        return { replaced: names("replaced"), deleted: names("deleted"), updated: names("updated") };
    };
}

const pathOf = ({ id, name }: LiveStack) => stackPath({ id, stack_name: name });

export interface KnownResources {
    /** Resource → id, of those that exist. */
    ids: ReadonlyMap<string, string>;
    /** Resource → its attributes. */
    attributes: ReadonlyMap<string, Tree>;
}

/** The template with values in place of get_resource and get_attr, as far as they are known. Pure. */
export function resolveReferences(template: Template, known: KnownResources): Template {
    return { ...template, resources: resolved(template.resources ?? {}, known) as Tree };
}

function resolved(value: unknown, known: KnownResources): unknown {
    if (Array.isArray(value)) return value.map(each => resolved(each, known));
    if (value === null || typeof value !== "object") return value;
    return (
        referenced(value as Tree, known) ??
        Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, known)]))
    );
}

function referenced(value: Tree, { ids, attributes }: KnownResources): unknown {
    if (Object.keys(value).length !== 1) return undefined;
    const { get_resource: name, get_attr: path } = value;
    if (typeof name === "string") return ids.get(name);
    if (!Array.isArray(path)) return undefined;
    const [resource, ...keys] = path as string[];
    return keys.reduce<unknown>((found, key) => (found as Tree | undefined | null)?.[key], attributes.get(resource!));
}
