import { didYouMean } from "../../provider/common/did-you-mean";
import type { Named } from "./machine-template";

/** The part of a definition's schema that is looked at. */
export interface FieldSchema {
    type?: string;
    properties?: Record<string, FieldSchema>;
    additionalProperties?: FieldSchema | boolean;
    items?: FieldSchema;
    enum?: unknown[];
    "x-kubernetes-preserve-unknown-fields"?: boolean;
    "x-kubernetes-int-or-string"?: boolean;
    "x-kubernetes-embedded-resource"?: boolean;
}

/** "cluster.x-k8s.io/v1beta2/Cluster" → schema of its objects. */
export type Definitions = ReadonlyMap<string, FieldSchema>;

interface Definition {
    kind: string;
    spec?: {
        group: string;
        names: { kind: string };
        versions?: { name: string; schema?: { openAPIV3Schema?: FieldSchema } }[];
    };
}

/** The schemas of the CustomResourceDefinitions among these objects. */
export function definitionsIn(objects: readonly object[]): Definitions {
    const definitions = (objects as Definition[]).filter(({ kind }) => kind === "CustomResourceDefinition");
    return new Map(
        definitions.flatMap(({ spec }) =>
            (spec?.versions ?? []).flatMap(({ name, schema }) =>
                schema?.openAPIV3Schema === undefined
                    ? []
                    : [[`${spec!.group}/${name}/${spec!.names.kind}`, schema.openAPIV3Schema] as const],
            ),
        ),
    );
}

/**
 * Fields that a kind does not have, and values of another type than its fields have: the API refuses these. What else it wants (required fields, patterns) is
 * left to it, because its webhooks fill in and change values before they are looked at. `isLate`: a value that is not known yet.
 */
export function definitionProblems(
    objects: readonly Named[],
    definitions: Definitions,
    isLate: (value: unknown) => boolean,
): string[] {
    return objects.flatMap(object => {
        const schema = definitions.get(`${object.apiVersion}/${object.kind}`);
        if (schema === undefined) return [];
        const { apiVersion: _, kind: __, metadata: ___, ...own } = object as Named & Record<string, unknown>;
        const found = Object.entries(own).flatMap(([field, value]) => inField(schema, field, value, field, isLate));
        return found.map(([place, what]) => `${object.kind} ${object.metadata.name}: ${place}: ${what}`);
    });
}

type Found = [place: string, what: string][];
type IsLate = (value: unknown) => boolean;

function inField(of: FieldSchema, field: string, value: unknown, place: string, isLate: IsLate): Found {
    const schema =
        of.properties?.[field] ?? (typeof of.additionalProperties === "object" ? of.additionalProperties : undefined);
    if (schema !== undefined) return inValue(schema, value, place, isLate);
    const mayHaveMore =
        of.additionalProperties || of["x-kubernetes-preserve-unknown-fields"] || of.properties === undefined;
    if (mayHaveMore) return [];
    return [[place, `this kind has no such field${didYouMean(field, Object.keys(of.properties!))}`]];
}

function inValue(schema: FieldSchema, value: unknown, place: string, isLate: IsLate): Found {
    if (value === undefined || value === null || isLate(value)) return [];
    const wanted = schema["x-kubernetes-int-or-string"] ? "number or string" : schema.type;
    if (wanted !== undefined && !types[wanted]?.(value))
        return [[place, `must be ${articled(wanted)}, and is ${typeOf(value)}`]];
    if (schema.enum !== undefined && !schema.enum.includes(value))
        return [
            [
                place,
                `must be one of ${schema.enum.map(each => JSON.stringify(each)).join(", ")}, not ${JSON.stringify(value)}`,
            ],
        ];
    if (Array.isArray(value))
        return value.flatMap((each, i) => (schema.items ? inValue(schema.items, each, `${place}.${i}`, isLate) : []));
    // It is of another kind, which has its own schema.
    if (typeof value !== "object" || schema["x-kubernetes-embedded-resource"]) return [];
    return Object.entries(value).flatMap(([field, each]) => inField(schema, field, each, `${place}.${field}`, isLate));
}

const types: Record<string, (value: unknown) => boolean> = {
    string: value => typeof value === "string",
    boolean: value => typeof value === "boolean",
    integer: value => Number.isInteger(value),
    number: value => typeof value === "number",
    "number or string": value => typeof value === "number" || typeof value === "string",
    array: value => Array.isArray(value),
    object: value => typeof value === "object" && !Array.isArray(value),
};

/** Not the value: it may be secret. */
function typeOf(value: unknown): string {
    if (Array.isArray(value)) return "an array";
    return typeof value === "number" || typeof value === "boolean" ? String(value) : articled(typeof value);
}

const articled = (type: string) => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
