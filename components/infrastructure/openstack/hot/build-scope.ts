import { chosenNumbers } from "../../choose-nodes";
import { evaluate, evaluateCondition } from "./evaluate";
import { asCall } from "./functions";
import { placeText, templateError } from "./places";
import { type Copy, type GroupStyle, type Member, type Scope, whereIs } from "./scope";
import type { Hot, HotResource, Value, ValueMap } from "./types";

/** Top template's resource → the copies that the caller wants. */
export type Counts = Record<string, Copies>;

export interface Copies {
    /** Undefined: the template decides. */
    count?: number;
    /** Numbers, from 1, that no copy has. */
    without?: readonly number[];
}

/** Where each style of group declares its members and their number. */
const groups: Record<string, { style: GroupStyle; definition: string; count: string }> = {
    "OS::Heat::AutoScalingGroup": { style: "AutoScalingGroup", definition: "resource", count: "desired_capacity" },
    "OS::Heat::ResourceGroup": { style: "ResourceGroup", definition: "resource_def", count: "count" },
};

/** Types that scale by themselves; here the program decides the number. */
const scalers: Record<string, true> = { "OS::Heat::ScalingPolicy": true };

const notExpandable: Record<string, string> = {
    "AWS::AutoScaling::AutoScalingGroup": "Use OS::Heat::AutoScalingGroup with a nested template.",
    "OS::Heat::InstanceGroup": "Use OS::Heat::AutoScalingGroup with a nested template.",
    "OS::Heat::ResourceChain": "Write its resources out.",
};

/** The tree of templates: which resource becomes what in the flat template. Structure only; values follow later. */
export function buildScope(
    hot: Hot,
    world: Scope["world"],
    counts: Counts,
    at: { prefix: string; parent?: Scope["parent"]; chain: string[] } = { prefix: "", chain: [] },
): Scope {
    const scope: Scope = { hot, prefix: at.prefix, parent: at.parent, members: new Map(), world };
    for (const [name, resource] of Object.entries(hot.resources)) {
        scope.members.set(name, memberFor(name, resource, scope, counts, [...at.chain, hot.file]));
    }
    return scope;
}

/** The parameter that alone says how many members a group has. Undefined: there is none, or it is no group. */
export function countParameter({ type, properties }: HotResource): string | undefined {
    const call = groups[type] && asCall(properties[groups[type].count] ?? null);
    return call?.name === "get_param" && typeof call.argument === "string" ? call.argument : undefined;
}

function memberFor(name: string, resource: HotResource, scope: Scope, counts: Counts, chain: string[]): Member {
    const group = groups[resource.type];
    const nested = isTemplateType(resource.type);
    const asked = scope.parent === undefined && Object.hasOwn(counts, name);
    const from = copyScope(name, scope);
    if (scalers[resource.type]) {
        return {
            kind: "dropped",
            why: "a scaling policy has no effect here: the program says how many nodes there are",
        };
    }
    if (notExpandable[resource.type]) {
        const cause = `${name}: a resource of type ${resource.type} cannot be expanded`;
        throw templateError(whereIs(resource, "type"), cause, notExpandable[resource.type]);
    }
    if ((group || nested || asked) && resource.condition !== undefined) {
        const condition = evaluateCondition(resource.condition, scope);
        if (condition === undefined) {
            throw templateError(
                whereIs(resource, "condition"),
                `whether ${name} exists is not known before the stack is made, so its nodes cannot be named`,
                "Let the condition depend on parameters with plain values.",
            );
        }
        if (!condition) return { kind: "absent" };
    }
    if (group) return expandGroup(name, resource, group, scope, counts, chain);
    const { count = 1, without = [] } = (asked ? counts[name] : undefined) ?? {};
    if (nested && asked) {
        const numbers = chosenNumbers(count, without);
        const copies = numbers.map(number =>
            copyOf(`${name}_${number}`, resource.type, resource.properties, resource, from(number - 1), chain),
        );
        return { kind: "group", style: "vdu", copies, numbers };
    }
    if (asked && without.includes(1)) {
        throw templateError(
            whereIs(resource),
            `${name} is one ${resource.type}, so its only node cannot be removed for another one`,
            "Take its name out of `remove`. Or move the server with its ports to a nested template, and make it an OS::Heat::AutoScalingGroup.",
        );
    }
    if (asked && count !== 1) {
        throw templateError(
            whereIs(resource),
            `${name} is one ${resource.type} and cannot stand for ${count} nodes: its ports would be shared`,
            "Move the server with its ports to a nested template, and make it an OS::Heat::AutoScalingGroup.",
        );
    }
    return copyOf(name, resource.type, resource.properties, resource, from(0), chain);
}

/** The scope in which a copy's properties are read: in some, `[nfv, VDU, x, …]` means another entry for each copy. */
function copyScope(name: string, scope: Scope): (index: number) => Scope {
    const indexed = scope.parent === undefined && scope.world.answers.indexedVdus?.includes(name);
    return index => (indexed ? { ...scope, vduIndex: index } : scope);
}

function expandGroup(
    name: string,
    resource: HotResource,
    group: (typeof groups)[string],
    scope: Scope,
    counts: Counts,
    chain: string[],
): Member {
    const properties = resource.properties;
    const definition = properties[group.definition];
    const type = isMap(definition) ? definition.type : undefined;
    if (!isMap(definition) || typeof type !== "string") {
        throw templateError(
            whereIs(resource),
            `${name}: ${group.definition} must say the type of its members in plain text`,
            `Write ${group.definition}: { type: …, properties: … }.`,
        );
    }
    const asked = scope.parent === undefined && Object.hasOwn(counts, name) ? counts[name] : {};
    const count = asked.count ?? countOf(name, resource, group, scope);
    if (group.style === "AutoScalingGroup") checkBounds(name, resource, scope, count);
    const inner = definition.properties ?? {};
    if (!isMap(inner)) throw templateError(placeText(definition, "properties"), `${name}: properties is no map`);
    const variable = group.style === "ResourceGroup" ? String(properties.index_var ?? "%index%") : undefined;
    const from = copyScope(name, scope);
    const numbers = chosenNumbers(count, asked.without);
    const copies = numbers.map(number => {
        const index = number - 1;
        const own = variable === undefined ? inner : (replaceText(inner, variable, String(index)) as ValueMap);
        const source: HotResource = { ...resource, rest: restOf(definition) };
        return copyOf(`${name}_${number}`, type, own, source, from(index), chain, placeText(definition, "type"));
    });
    return { kind: "group", style: group.style, copies, numbers };
}

/** One resource or one nested template, under this name. */
function copyOf(
    name: string,
    type: string,
    properties: ValueMap,
    resource: HotResource,
    scope: Scope,
    chain: string[],
    where = whereIs(resource, "type"),
): Copy {
    if (/^[a-z]+:\/\//.test(type)) {
        throw templateError(
            where,
            `the type ${type} is a URL: such templates are not fetched`,
            "Put the file beside this one and name it.",
        );
    }
    const typed = { ...resource, type, properties };
    if (!isTemplateType(type)) return { kind: "single", name: scope.prefix + name, type, resource: typed, scope };
    const hot = Object.hasOwn(scope.world.nested, type) ? scope.world.nested[type] : undefined;
    if (!hot) throw templateError(where, `the nested template ${type} was not found`, "Put the file beside this one.");
    if (chain.includes(hot.file)) {
        const circle = [...chain.slice(chain.indexOf(hot.file)), hot.file].join(" → ");
        throw templateError(where, `the templates contain themselves: ${circle}`, "Break the circle.");
    }
    const unknown = Object.keys(properties).find(key => !Object.hasOwn(hot.parameters, key));
    if (unknown !== undefined) {
        throw templateError(
            placeText(properties, unknown) ?? where,
            `${type} has no parameter ${unknown}`,
            `Parameters of ${hot.file}: ${Object.keys(hot.parameters).join(", ") || "none"}.`,
        );
    }
    const parent = { scope, properties, resource: typed };
    return {
        kind: "template",
        scope: buildScope(hot, scope.world, {}, { prefix: `${scope.prefix}${name}_`, parent, chain }),
    };
}

function countOf(name: string, resource: HotResource, group: (typeof groups)[string], scope: Scope): number {
    const written = resource.properties[group.count] ?? resource.properties.min_size ?? 1;
    const value = Number(evaluate(written, scope));
    if (Number.isInteger(value) && value >= 0) return value;
    throw templateError(
        whereIs(resource),
        `${name}: its ${group.count} is not known before the stack is made, so its members cannot be written out`,
        "Write a number, or a parameter with a plain value.",
    );
}

function checkBounds(name: string, resource: HotResource, scope: Scope, count: number): void {
    for (const [bound, broken] of [
        ["min_size", (limit: number) => count < limit],
        ["max_size", (limit: number) => count > limit],
    ] as const) {
        const written = resource.properties[bound];
        const limit = written === undefined ? Number.NaN : Number(evaluate(written, scope));
        if (broken(limit)) {
            throw templateError(
                placeText(resource.properties, bound),
                `${name} shall have ${count} members, but its ${bound} is ${limit}`,
                `Change the count, or ${bound} in the template.`,
            );
        }
    }
}

/** Heat replaces `%index%` in the text before it evaluates the text. */
function replaceText(value: Value, variable: string, text: string): Value {
    if (typeof value === "string") return value.split(variable).join(text);
    if (Array.isArray(value)) return value.map(item => replaceText(item, variable, text));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceText(item, variable, text)]));
}

function restOf(definition: ValueMap): ValueMap {
    return definition.metadata == null ? {} : { metadata: definition.metadata };
}

function isTemplateType(type: string): boolean {
    return /\.(?:yaml|yml|template)$/.test(type);
}

function isMap(value: Value | undefined): value is ValueMap {
    return value !== null && typeof value === "object" && !Array.isArray(value) && asCall(value) === undefined;
}
