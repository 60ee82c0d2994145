import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { flatTemplate } from "../hot/flat-template";
import type { Value, ValueMap } from "../hot/types";
import { writeYaml } from "../hot/write-yaml";

/**
 * The plug-in compares the parameters that it gave to a stack with those that Heat shows. Heat shows hidden parameters as asterisks, and at
 * the next change of the stack the plug-in would give Heat these asterisks as values. So no parameter may be hidden, all must be given,
 * each in the form in which Heat shows it: then the state marks secrets as secret, and a second run changes nothing.
 */
export function stackParameters(
    template: string,
    given: Record<string, pulumi.Input<Value>>,
): Record<string, pulumi.Output<string>> {
    const declared = Object.entries(declarations(template)).flatMap(([name, { type, default: standard }]) => {
        const value = Object.hasOwn(given, name) ? given[name] : standard;
        if (value === undefined || value === null) return [];
        return [[name, pulumi.output(value).apply(known => asHeatShows(type as string, known as Value))]];
    });
    return Object.fromEntries(declared);
}

/** The template without `hidden`; the unchanged text if there is none. */
export function withoutHidden(template: string): string {
    const declared = Object.entries(declarations(template));
    if (!declared.some(([, { hidden }]) => hidden !== undefined)) return template;
    const shown = declared.map(([name, { hidden: _, ...parameter }]) => [name, parameter]);
    return writeYaml({ ...flatTemplate(template), parameters: Object.fromEntries(shown) });
}

function declarations(template: string): Record<string, ValueMap> {
    return (flatTemplate(template)["parameters"] ?? {}) as Record<string, ValueMap>;
}

const truths = /^(1|t|true|on|y|yes)$/i;

/** How Heat's Python writes values of each type. */
const forms: Record<string, (value: Value) => string> = {
    boolean: value => (truths.test(String(value)) ? "True" : "False"),
    number: value => String(typeof value === "string" && value.trim() !== "" ? Number(value) : value),
    comma_delimited_list: value =>
        (Array.isArray(value) ? value : String(value).split(",")).map(each => String(each).trim()).join(","),
    json: value => pythonJson(typeof value === "string" ? parseJson(value) : value),
};

export function asHeatShows(type: string, value: Value): string {
    return (forms[type] ?? String)(value);
}

function parseJson(text: string): Value {
    try {
        return JSON.parse(text) as Value;
    } catch {
        // Heat reads YAML.
        return parse(text) as Value;
    }
}

/** As json.dumps() writes it: blanks after commas and colons, ASCII only. */
function pythonJson(value: Value): string {
    if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
    if (value !== null && typeof value === "object") {
        const members = Object.entries(value).map(([key, member]) => `${pythonJson(key)}: ${pythonJson(member)}`);
        return `{${members.join(", ")}}`;
    }
    return JSON.stringify(value).replace(
        /[\u007f-\uffff]/g,
        char => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
