import { groupAttribute, memberAttribute } from "./attributes";
import { asCall, type Call } from "./functions";
import { missingHint } from "./nfv-names";
import { isPseudoParameter, parameterValue, typed } from "./parameters";
import { keepPlace, placeText, templateError } from "./places";
import { indexedPath, memberOf, type Scope } from "./scope";
import { select } from "./select";
import type { Value } from "./types";

/** More levels than any real template has: without a limit, circular references would never end. */
const maximumDepth = 200;
let depth = 0; // back at 0 whenever the outermost call returns

/** A value of a template of the tree as expression of the flat template. */
export function rewrite(value: Value, scope: Scope): Value {
    if (value === null || typeof value !== "object") return value;
    if (depth > maximumDepth) throw templateError(placeText(value), "these values refer to each other in a circle");
    depth++;
    try {
        const call = asCall(value);
        if (call) return keepPlace((calls[call.name] ?? otherCall)(call, scope), value);
        if (Array.isArray(value))
            return keepPlace(
                value.map(item => rewrite(item, scope)),
                value,
            );
        const entries = Object.entries(value).map(([key, item]) => [key, rewrite(item, scope)] as const);
        return keepPlace(Object.fromEntries(entries), value);
    } finally {
        depth--;
    }
}

/** A resource's or output's condition. Conditions of nested templates get a prefix and are declared here. */
export function rewriteCondition(condition: Value, scope: Scope): Value {
    if (typeof condition !== "string") return rewriteConditionBody(condition, scope);
    const body = scope.hot.conditions[condition];
    if (body === undefined) {
        throw templateError(
            scope.hot.file,
            `there is no condition ${condition}`,
            `Conditions: ${Object.keys(scope.hot.conditions).join(", ") || "none"}.`,
        );
    }
    const name = scope.prefix + condition;
    if (!scope.world.conditions.has(name)) {
        scope.world.conditions.set(name, true); // a cycle ends here, and Heat reports it
        scope.world.conditions.set(name, rewriteConditionBody(body, scope));
    }
    return name;
}

function rewriteConditionBody(body: Value, scope: Scope): Value {
    if (typeof body === "string") return rewriteCondition(body, scope);
    const call = asCall(body);
    if (call?.name === "not") return { not: rewriteConditionBody(call.argument, scope) };
    if ((call?.name === "and" || call?.name === "or") && Array.isArray(call.argument)) {
        return { [call.name]: call.argument.map(part => rewriteConditionBody(part, scope)) };
    }
    const value = rewrite(body, scope);
    const late = /"(get_attr|get_resource)":/.exec(JSON.stringify(value));
    if (late) {
        throw templateError(
            placeText(body),
            `a condition here depends on ${late[1]}, which is known only when the stack exists`,
            "Let the condition depend on parameters only.",
        );
    }
    return value;
}

const calls: Record<string, (call: Call, scope: Scope) => Value> = {
    get_param: getParam,
    get_resource: getResource,
    get_attr: getAttr,
    get_file: (call, scope) => {
        const text = typeof call.argument === "string" ? scope.world.files[call.argument] : undefined;
        if (text === undefined)
            throw errorAt(call, `get_file ${JSON.stringify(call.argument)}: this file was not read`);
        return text;
    },
    if: (call, scope) => {
        if (!Array.isArray(call.argument) || call.argument.length < 2) {
            throw errorAt(call, "if takes a condition and two values");
        }
        const [condition, ...values] = call.argument;
        return { if: [rewriteCondition(condition, scope), ...values.map(item => rewrite(item, scope))] };
    },
    resource_facade: call => {
        throw errorAt(
            call,
            "resource_facade speaks of the resource that stands for the nested template, which the flat template does not have",
            "Hand the value over as a parameter of the nested template.",
        );
    },
};

function otherCall(call: Call, scope: Scope): Value {
    return { [call.name]: rewrite(call.argument, scope) };
}

function getParam(call: Call, scope: Scope): Value {
    const path = indexedPath(pathOf(call, scope), scope);
    const name = String(path[0]);
    const rest = path.slice(1);
    if (!scope.parent) {
        checkAnswered(call, path, scope);
        return { get_param: Array.isArray(call.argument) ? path : name };
    }
    if (isPseudoParameter(name)) {
        // A nested stack has its own name, and templates use it to make names unique.
        const own = { list_join: ["-", [{ get_param: name }, scope.prefix.replace(/_$/, "")]] };
        return name === "OS::stack_name" ? own : { get_param: name };
    }
    const declared = scope.hot.parameters[name];
    const given = scope.parent.properties[name];
    if (given === undefined && declared.default === undefined) {
        throw errorAt(
            call,
            `parameter ${name} has no default, and ${scope.parent.resource.type} is used without it at ` +
                (placeText(scope.parent.resource.source) ?? "an unknown place"),
            `Add ${name} to the properties there.`,
        );
    }
    const base = given === undefined ? declared.default! : rewrite(given, scope.parent.scope);
    return select(asCall(base) ? base : typed(declared, base)!, rest, placeText(call.map));
}

/** Each `[nfv, …]` needs a value: Heat itself would continue with an empty text. */
function checkAnswered(call: Call, path: Value[], scope: Scope): void {
    if (path[0] !== "nfv" || scope.world.answers.deferredParameters?.includes("nfv")) return;
    let value = parameterValue(scope.hot, "nfv", scope.world.answers);
    for (const key of path.slice(1)) {
        if (typeof key === "object") return;
        const inside = value !== null && typeof value === "object" && Object.hasOwn(value, String(key));
        value = inside ? (value as { [key: string]: Value })[String(key)] : undefined;
        if (value !== undefined) continue;
        const bare = String(path[2]).replace(scope.vduIndex === undefined ? /$^/ : /-\d+$/, "");
        const hint = scope.world.answers.missingHint ?? missingHint;
        throw errorAt(call, `[${path.join(", ")}] has no value`, hint(path.map(String), bare));
    }
}

function getResource(call: Call, scope: Scope): Value {
    const name = String(call.argument);
    const member = memberOf(scope, name);
    switch (member.kind) {
        case "single":
            return { get_resource: member.name };
        case "absent":
            return null;
        case "dropped":
            throw errorAt(call, `${name}: ${member.why}`);
        case "template": {
            const id = member.scope.hot.outputs["OS::stack_id"];
            if (id) return rewrite(id.value, member.scope);
        }
    }
    throw errorAt(
        call,
        `get_resource: ${name} stands for a nested stack, which the flat template does not have`,
        "Refer to a resource in it by get_attr and an output of the nested template.",
    );
}

function getAttr(call: Call, scope: Scope): Value {
    const [name, ...path] = pathOf(call, scope);
    const member = memberOf(scope, String(name));
    const caller = { where: placeText(call.map, "get_attr"), rewrite };
    if (member.kind === "absent") return null;
    if (member.kind === "dropped") throw errorAt(call, `${name}: ${member.why}`);
    if (member.kind === "group") return groupAttribute(member, String(name), path, caller);
    return memberAttribute(member, String(name), path, caller);
}

function pathOf(call: Call, scope: Scope): Value[] {
    const path = (Array.isArray(call.argument) ? call.argument : [call.argument]).map(item => rewrite(item, scope));
    if (typeof path[0] !== "string") throw errorAt(call, `the first word of ${call.name} must be a name`);
    return path;
}

function errorAt(call: Call, cause: string, hint?: string) {
    return templateError(placeText(call.map, call.name), cause, hint);
}
