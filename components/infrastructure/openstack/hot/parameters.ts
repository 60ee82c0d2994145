import { placeText, templateError } from "./places";
import type { Hot, HotParameter, TemplateAnswers, Value } from "./types";

/** Parameters that Heat sets itself. */
export function isPseudoParameter(name: string): boolean {
    return name.startsWith("OS::");
}

/** The values of the template's parameters as strings, as the stack needs them. Refuses what does not fit the declarations. */
export function parameterTexts(hot: Hot, answers: TemplateAnswers): Record<string, string> {
    const given = answers.parameters ?? {};
    const deferred = answers.deferredParameters ?? [];
    const texts: Record<string, string> = {};
    for (const name of [...Object.keys(given), ...deferred]) {
        if (!Object.hasOwn(hot.parameters, name)) {
            throw templateError(
                hot.file,
                `there is no parameter ${name} in this template`,
                `Parameters: ${Object.keys(hot.parameters).join(", ") || "none"}.`,
            );
        }
    }
    for (const [name, parameter] of Object.entries(hot.parameters)) {
        const value = given[name];
        if (value === undefined) {
            if (parameter.default === undefined && !deferred.includes(name)) {
                throw templateError(
                    placeText(parameter.source),
                    `parameter ${name} has neither a default nor a value`,
                    `Give ${name} in the template's parameters.`,
                );
            }
            continue;
        }
        checkAllowed(name, parameter, value);
        texts[name] = text(name, parameter, value);
    }
    return texts;
}

/** A parameter's value as functions see it: parsed by its type. Undefined: not known here. */
export function parameterValue(hot: Hot, name: string, answers: TemplateAnswers): Value | undefined {
    if (answers.deferredParameters?.includes(name)) return undefined;
    const parameter = Object.hasOwn(hot.parameters, name) ? hot.parameters[name] : undefined;
    if (!parameter) return undefined;
    return typed(parameter, answers.parameters?.[name] ?? parameter.default);
}

/** Converts text to the declared type. */
export function typed(parameter: Pick<HotParameter, "type">, value: Value | undefined): Value | undefined {
    if (typeof value !== "string") return value;
    switch (parameter.type) {
        case "number":
            return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
        case "boolean":
            return booleans[value.toLowerCase()] ?? value;
        case "comma_delimited_list":
            return value === "" ? [] : value.split(",").map(item => item.trim());
        case "json":
            try {
                return JSON.parse(value) as Value;
            } catch {
                return value;
            }
        default:
            return value;
    }
}

/** The words that Heat accepts as booleans. */
const booleans: Record<string, boolean> = {
    t: true,
    true: true,
    on: true,
    y: true,
    yes: true,
    "1": true,
    f: false,
    false: false,
    off: false,
    n: false,
    no: false,
    "0": false,
};

function text(name: string, parameter: HotParameter, value: Value): string {
    const read = typed(parameter, value);
    const fits: Record<string, boolean> = {
        string: typeof read !== "object" && read !== null,
        number: typeof read === "number",
        boolean: typeof read === "boolean" || read === 0 || read === 1,
        comma_delimited_list: Array.isArray(read),
        json: typeof read === "object" && read !== null,
    };
    if (!fits[parameter.type]) {
        throw templateError(
            placeText(parameter.source),
            `parameter ${name}: the value given is no ${parameter.type}`,
            parameter.type === "json" ? "Give an object, or its JSON text." : "Give a value of that type.",
        );
    }
    if (parameter.type === "comma_delimited_list") return (read as Value[]).map(String).join(",");
    if (parameter.type === "json") return typeof value === "string" ? value : JSON.stringify(value);
    return String(value);
}

function checkAllowed(name: string, parameter: HotParameter, value: Value): void {
    const constraints = parameter.source.constraints;
    if (!Array.isArray(constraints)) return;
    for (const constraint of constraints) {
        const allowed =
            constraint !== null && typeof constraint === "object" && !Array.isArray(constraint)
                ? constraint.allowed_values
                : undefined;
        if (Array.isArray(allowed) && !allowed.map(String).includes(String(value))) {
            throw templateError(
                placeText(constraint),
                `parameter ${name}: its value is not allowed`,
                `Allowed: ${allowed.map(String).join(", ")}.`,
            );
        }
    }
}
