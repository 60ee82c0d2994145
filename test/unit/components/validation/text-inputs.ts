import { readFileSync } from "node:fs";
import * as path from "node:path";
import type { Property } from "../../../../components/schema/generate";
import { type FormatName, formats } from "../../../../components/validation/formats";
import { projectRoot } from "../../../support/user-project";

/** A place of a program where a user writes a text. */
export interface TextInput {
    resource: string;
    /** Type and property, "VipArgs.interface"; with " keys" for names in a map. */
    input: string;
    /** @default line */
    format: string;
    /** Path in the arguments of the resource; a key that is tried is the last part. */
    path: (text: string) => string[];
    /** Arguments with the text at this place and nothing else. */
    args: (text: string) => object;
}

interface Schema {
    types: Record<string, { properties: Record<string, Property> }>;
    resources: Record<string, { inputProperties: Record<string, Property> }>;
}

/** Property; of a list; of a map whose names have this format. */
type Part = string | 0 | { names: string };
interface Found {
    input: string;
    format: string;
    parts: Part[];
    isKey?: boolean;
}

/** Every text of every resource, by its first place: a type that occurs in several places is tried in one. */
export function textInputs(): TextInput[] {
    const schema = JSON.parse(readFileSync(path.join(projectRoot, "schema.json"), "utf8")) as Schema;
    const seen = new Set<string>();
    const inProperties = (owner: string, properties: Record<string, Property>, above: Part[]): Found[] =>
        Object.entries(properties).flatMap(([name, property]) =>
            inProperty(`${owner}.${name}`, property, [...above, name]),
        );
    const inProperty = (input: string, property: Property, parts: Part[]): Found[] => {
        const { $ref, items, additionalProperties, propertyNames, format = "line" } = property;
        if (items) return inProperty(input, items, [...parts, 0]);
        if (additionalProperties) {
            const names = propertyNames?.format ?? "line";
            const key: Found = { input: `${input} keys`, format: names, parts, isKey: true };
            return [key, ...inProperty(input, additionalProperties, [...parts, { names }])];
        }
        if (property.type === "string" || property.oneOf) return [{ input, format, parts }];
        const type = schema.types[$ref?.slice("#/types/".length) ?? ""];
        if (type === undefined || seen.has($ref!)) return [];
        seen.add($ref!);
        return inProperties($ref!.split(":").at(-1)!, type.properties, parts);
    };
    return Object.entries(schema.resources).flatMap(([token, { inputProperties }]) => {
        const resource = token.split(":").at(-1)!;
        return inProperties(resource, inputProperties, []).map(({ input, format, parts, isKey }) => {
            const path = (text: string) => [...parts.map(nameOf), ...(isKey ? [text] : [])];
            const args = (text: string) => build(parts, isKey ? { [text]: null } : text) as object;
            return { resource, input, format, path, args };
        });
    });
}

/** A right name, so that only the text itself can be wrong. */
const nameOf = (part: Part) => (typeof part === "object" ? formats[part.names as FormatName].example : `${part}`);

function build([part, ...rest]: Part[], last: unknown): unknown {
    if (part === undefined) return last;
    const inner = build(rest, last);
    return part === 0 ? [inner] : { [nameOf(part)]: inner };
}

/** What programs, shells, YAML, nft or a path could take for something else. */
export const hostileTexts = {
    "a path upwards": "../../etc",
    "a line break": "a\nb",
    "a carriage return": "a\rb",
    "a command": "$(id)",
    "an old command": "`id`",
    "a second command": "a;b",
    "a blank": "a b",
    "a quote": "'",
    "a double quote": '"',
    braces: "{}",
    "an option": "-o",
    "a very long text": "x".repeat(5000),
    NUL: "a\0b",
    "a line separator": "a\u2028b",
    "a look-alike": "\u0430pi",
    "a turned text": "\u202Eabc",
};

export type Hostile = keyof typeof hostileTexts;
