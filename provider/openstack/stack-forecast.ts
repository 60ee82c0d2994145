import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import type { CloudClient } from "./client";
import { type StackResource, stackPath } from "./heat";
import { isSettled, type LiveStack } from "./stack";

/** What an update would do to a stack: names of resources. Heat cannot foresee what follows from a replacement. */
export interface StackForecast {
    /** Heat would make another one, then delete this one. */
    replaced: string[];
    deleted: string[];
}

type ForecastAnswer = { resource_changes: Record<keyof StackForecast, Pick<StackResource, "resource_name">[]> };

type Tree = { readonly [key: string]: unknown };

interface Template extends Tree {
    resources?: Tree;
}

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
 * Of that, what changes at all counts as replaced.
 */
export async function forecastUpdate(
    cloud: CloudClient,
    stack: LiveStack,
    resources: readonly StackResource[],
    wanted: WantedStack,
): Promise<StackForecast> {
    const ask = forecaster(cloud, stack, resources);
    const later = parse(wanted.template) as Template;
    const { replaced, deleted } = await ask(later, wanted.parameters);
    const failed = new Set(
        resources.filter(each => each.resource_status.endsWith("_FAILED")).map(each => each.resource_name),
    );
    if (replaced.every(name => failed.has(name)) || !isSettled(stack)) return { replaced, deleted };
    const template = await templateOf(cloud, stack);
    // Heat's own: OS::stack_id and others.
    const given = Object.entries(stack.parameters).filter(([name]) => !name.startsWith("OS::"));
    const without = await ask(template, Object.fromEntries(given));
    const always = new Set(without.replaced.filter(name => !failed.has(name)));
    // Of these Heat's answer says nothing. Only what stays as it is, word for word, surely stays.
    const stays = (name: string) =>
        always.has(name) &&
        isDeepStrictEqual(definitionOf(later, wanted.parameters, name), definitionOf(template, stack.parameters, name));
    return { replaced: withFollowers(later, replaced, stays), deleted };
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

/** Names of the resources in the template that Heat has now. */
export async function namesInTemplate(cloud: CloudClient, stack: LiveStack): Promise<ReadonlySet<string>> {
    return new Set(Object.keys((await templateOf(cloud, stack)).resources ?? {}));
}

async function templateOf(cloud: CloudClient, stack: LiveStack): Promise<Template> {
    return (await cloud.get<Template>("orchestration", `${pathOf(stack)}/template`))!;
}

/** A resource as the template defines it, with the values of its parameters. What Heat ignores in an update is left out. */
function definitionOf({ resources = {} }: Template, parameters: Record<string, string>, name: string): unknown {
    const { properties = {}, ...others } = (resources[name] ?? {}) as { properties?: Tree };
    const { user_data, ...kept } = properties;
    const ignored = kept["user_data_update_policy"] === "IGNORE";
    return withParameters({ ...others, properties: ignored ? kept : { ...kept, user_data } }, parameters);
}

function withParameters(value: unknown, parameters: Record<string, string>): unknown {
    if (Array.isArray(value)) return value.map(each => withParameters(each, parameters));
    if (value === null || typeof value !== "object") return value;
    const { get_param: path } = value as Tree;
    const name = Array.isArray(path) ? path[0] : path;
    const given = typeof name === "string" ? { value: parameters[name] ?? null } : {};
    const entries = Object.entries(value).map(([key, each]) => [key, withParameters(each, parameters)]);
    return { ...Object.fromEntries(entries), ...given };
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
    return async (template: Template, parameters: Record<string, string>): Promise<StackForecast> => {
        const wanted = [...attributesNamed(template.resources)].filter(name => ids.has(name));
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
        const names = (kind: keyof StackForecast) => resource_changes[kind].map(each => each.resource_name);
        return { replaced: names("replaced"), deleted: names("deleted") };
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

/** Names of the resources that the value uses. */
function* referencesIn(value: unknown): Generator<string> {
    if (value === null || typeof value !== "object") return;
    const { get_resource: name, get_attr: path } = value as Tree;
    if (typeof name === "string") yield name;
    if (Array.isArray(path) && typeof path[0] === "string") yield path[0];
    for (const each of Object.values(value)) yield* referencesIn(each);
}

/** Names of the resources whose attributes the value uses. */
function* attributesNamed(value: unknown): Generator<string> {
    if (value === null || typeof value !== "object") return;
    const path = (value as Tree)["get_attr"];
    if (Array.isArray(path) && typeof path[0] === "string") yield path[0];
    for (const each of Object.values(value)) yield* attributesNamed(each);
}
