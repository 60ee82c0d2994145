import { templateError } from "./places";
import { type Copy, type Member, memberOf, type Scope } from "./scope";
import { select } from "./select";
import type { Value } from "./types";

type Group = Extract<Member, { kind: "group" }>;

interface Caller {
    /** Place of the call, for errors. */
    where?: string;
    /** Rewrites the outputs of a nested template as expressions of the flat one. */
    rewrite: (value: Value, scope: Scope) => Value;
}

/** `get_attr: [name, …path]` of a resource, or of a nested template (its outputs, or a resource in it). */
export function memberAttribute(copy: Copy, name: string, path: Value[], caller: Caller): Value {
    if (copy.kind === "single") return { get_attr: [copy.name, ...path] };
    const scope = copy.scope;
    const [attribute, ...rest] = path;
    if (typeof attribute !== "string") {
        throw templateError(caller.where, `get_attr of ${name} needs the name of an output`, outputsOf(scope));
    }
    if (attribute.startsWith("resource."))
        return innerAttribute(scope, attribute.slice("resource.".length), rest, caller);
    if (attribute === "outputs" && !Object.hasOwn(scope.hot.outputs, "outputs")) {
        const all = Object.entries(scope.hot.outputs).map(
            ([key, output]) => [key, caller.rewrite(output.value, scope)] as const,
        );
        return select(Object.fromEntries(all), rest, caller.where);
    }
    if (!Object.hasOwn(scope.hot.outputs, attribute)) {
        throw templateError(caller.where, `${name} has no output ${attribute}`, outputsOf(scope));
    }
    return select(caller.rewrite(scope.hot.outputs[attribute].value, scope), rest, caller.where);
}

/** `get_attr` of an AutoScalingGroup, of a ResourceGroup, or of a VDU with several copies. */
export function groupAttribute(group: Group, name: string, path: Value[], caller: Caller): Value {
    const [attribute, ...rest] = path;
    if (typeof attribute !== "string")
        throw templateError(caller.where, `get_attr of ${name} needs the name of an attribute`);
    const of = (copy: Copy, inner: Value[]) => memberAttribute(copy, name, inner, caller);
    const byNumber = (value: (copy: Copy) => Value): Value =>
        Object.fromEntries(group.copies.map((copy, i) => [String(group.numbers[i] - 1), value(copy)]));
    if (attribute.startsWith("resource.")) {
        const [number, ...inner] = attribute.slice("resource.".length).split(".");
        const copy = group.copies[group.numbers.indexOf(Number(number) + 1)];
        if (!copy) {
            const isLeftOut = Number(number) < (group.numbers.at(-1) ?? 0);
            const why = isLeftOut ? "its node was removed by name" : `it has ${group.copies.length}`;
            throw templateError(caller.where, `${name} has no member ${number}: ${why}`);
        }
        return inner.length + rest.length === 0 ? reference(copy, name, caller) : of(copy, [...dotted(inner), ...rest]);
    }
    const attributes: Record<string, () => Value> = {
        refs: () =>
            select(
                group.copies.map(copy => reference(copy, name, caller)),
                rest,
                caller.where,
            ),
        refs_map: () =>
            select(
                byNumber(copy => reference(copy, name, caller)),
                rest,
                caller.where,
            ),
    };
    if (group.style === "AutoScalingGroup") {
        attributes.current_size = () => group.copies.length;
        attributes.outputs_list = () => group.copies.map(copy => of(copy, rest));
        attributes.outputs = () => byNumber(copy => of(copy, rest));
    }
    if (group.style === "ResourceGroup") attributes.attributes = () => byNumber(copy => of(copy, rest));
    if (attributes[attribute]) return attributes[attribute]();
    if (group.style === "ResourceGroup") return group.copies.map(copy => of(copy, path));
    throw templateError(
        caller.where,
        `attribute ${attribute} of ${name} cannot be expanded: it is now ${group.copies.length} explicit copies`,
        group.style === "vdu"
            ? `Ask for one of them: [${name}, resource.0.${attribute}].`
            : `Attributes that can: ${Object.keys(attributes).join(", ")}, resource.N.`,
    );
}

/** What get_resource would return for it. */
function reference(copy: Copy, name: string, caller: Caller): Value {
    if (copy.kind === "single") return { get_resource: copy.name };
    const id = copy.scope.hot.outputs["OS::stack_id"];
    if (id) return caller.rewrite(id.value, copy.scope);
    throw templateError(
        caller.where,
        `the members of ${name} are nested stacks, which the flat template does not have`,
        `Refer to an output of ${copy.scope.hot.file}, or give it an output OS::stack_id.`,
    );
}

/** `resource.port.fixed_ips`: a resource inside a nested template. */
function innerAttribute(scope: Scope, dottedName: string, path: Value[], caller: Caller): Value {
    const [name, ...words] = dottedName.split(".");
    if (!scope.members.has(name))
        throw templateError(caller.where, `there is no resource ${name} in ${scope.hot.file}`);
    const member = memberOf(scope, name);
    const rest = [...dotted(words), ...path];
    if (member.kind === "absent") return null;
    if (member.kind === "dropped") throw templateError(caller.where, `${name}: ${member.why}`);
    if (member.kind === "group") return groupAttribute(member, name, rest, caller);
    return rest.length === 0 ? reference(member, name, caller) : memberAttribute(member, name, rest, caller);
}

/** All after a member's number is one name, even if it contains dots: `resource.0.resource.port`. */
function dotted(words: string[]): string[] {
    return words.length === 0 ? [] : [words.join(".")];
}

function outputsOf(scope: Scope): string {
    return `Outputs of ${scope.hot.file}: ${Object.keys(scope.hot.outputs).join(", ") || "none"}.`;
}
