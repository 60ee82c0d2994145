import { asCall } from "./functions";
import { templateError } from "./places";
import type { Value } from "./types";

/** Selects a part of a value by a path, as get_param and get_attr do; for a function call it extends the call's path. */
export function select(value: Value, path: Value[], where: string | undefined): Value {
    if (path.length === 0 || value === null) return value;
    const call = asCall(value);
    if (call?.name === "get_param" || call?.name === "get_attr") {
        return { [call.name]: [...(Array.isArray(call.argument) ? call.argument : [call.argument]), ...path] };
    }
    if (call?.name === "if" && Array.isArray(call.argument)) {
        const [condition, ...values] = call.argument;
        return { if: [condition, ...values.map(item => select(item, path, where))] };
    }
    const [key, ...rest] = path;
    if (call || typeof key === "object") {
        throw templateError(
            where,
            call ? `one cannot look into the result of ${call.name}` : "the path is known only when the stack exists",
            "Hand over the value itself, or write the path out.",
        );
    }
    if (typeof value !== "object" || !Object.hasOwn(value, String(key))) {
        throw templateError(where, `there is no ${String(key)} in the value that it refers to`);
    }
    return select((value as { [key: string]: Value })[String(key)], rest, where);
}
