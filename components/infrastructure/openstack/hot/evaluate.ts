import { asCall } from "./functions";
import { parameterValue, typed } from "./parameters";
import { indexedPath, type Scope } from "./scope";
import type { Value } from "./types";

/** The value of an expression, if it is known before the stack exists; else undefined. */
export function evaluate(value: Value, scope: Scope): Value | undefined {
    const call = asCall(value);
    if (call) return calls[call.name]?.(call.argument, scope);
    if (Array.isArray(value)) return all(value, scope);
    if (value !== null && typeof value === "object") {
        const items = all(Object.values(value), scope);
        return items && Object.fromEntries(Object.keys(value).map((key, index) => [key, items[index]]));
    }
    return value;
}

/** A condition: the name of one, or an expression. */
export function evaluateCondition(condition: Value, scope: Scope): boolean | undefined {
    if (typeof condition === "boolean") return condition;
    const named = typeof condition === "string" ? scope.hot.conditions[condition] : condition;
    if (named === undefined) return undefined;
    const value =
        typeof named === "string" && named !== condition ? evaluateCondition(named, scope) : evaluate(named, scope);
    return typeof value === "boolean" ? value : undefined;
}

const calls: Record<string, (argument: Value, scope: Scope) => Value | undefined> = {
    get_param: (argument, scope) => {
        const values = all(Array.isArray(argument) ? argument : [argument], scope);
        if (!values) return undefined;
        const path = indexedPath(values, scope).map(String);
        return path.slice(1).reduce<Value | undefined>(step, parameter(path[0], scope));
    },
    if: (argument, scope) => {
        if (!Array.isArray(argument)) return undefined;
        const condition = evaluateCondition(argument[0], scope);
        return condition === undefined ? undefined : evaluate(argument[condition ? 1 : 2] ?? null, scope);
    },
    equals: (argument, scope) => {
        const values = Array.isArray(argument) ? all(argument, scope) : undefined;
        return values && JSON.stringify(values[0]) === JSON.stringify(values[1]);
    },
    not: (argument, scope) => {
        const condition = evaluateCondition(argument, scope);
        return condition === undefined ? undefined : !condition;
    },
    and: (argument, scope) => combine(argument, scope, false),
    or: (argument, scope) => combine(argument, scope, true),
    contains: (argument, scope) => {
        const values = Array.isArray(argument) ? all(argument, scope) : undefined;
        return values && Array.isArray(values[1]) ? values[1].map(String).includes(String(values[0])) : undefined;
    },
    list_join: (argument, scope) => {
        const values = Array.isArray(argument) ? all(argument, scope) : undefined;
        const lists = values?.slice(1);
        return lists?.every(Array.isArray)
            ? (lists as Value[][]).flat().map(String).join(String(values![0]))
            : undefined;
    },
};

function parameter(name: string, scope: Scope): Value | undefined {
    if (!scope.parent) return parameterValue(scope.hot, name, scope.world.answers);
    const declared = Object.hasOwn(scope.hot.parameters, name) ? scope.hot.parameters[name] : undefined;
    if (!declared) return undefined;
    const given = scope.parent.properties[name];
    return typed(declared, given === undefined ? declared.default : evaluate(given, scope.parent.scope));
}

function step(value: Value | undefined, key: string): Value | undefined {
    if (value === null || typeof value !== "object") return undefined;
    return Object.hasOwn(value, key) ? (value as { [key: string]: Value })[key] : undefined;
}

function all(values: Value[], scope: Scope): Value[] | undefined {
    const results = values.map(item => evaluate(item, scope));
    return results.includes(undefined) ? undefined : (results as Value[]);
}

function combine(argument: Value, scope: Scope, decisive: boolean): boolean | undefined {
    const parts = Array.isArray(argument) ? argument.map(part => evaluateCondition(part, scope)) : [undefined];
    if (parts.includes(decisive)) return decisive;
    return parts.includes(undefined) ? undefined : !decisive;
}
