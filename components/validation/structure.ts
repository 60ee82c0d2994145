import { readFileSync } from "node:fs";
import Ajv, { type ErrorObject } from "ajv";
import { didYouMean, mostSimilar } from "../../provider/common/did-you-mean";
import { type Format, type FormatName, formats, hasFormat } from "./formats";

/** Checks against the published schema.json: names and types of all inputs, and the formats of all texts. */

interface PulumiType {
    $ref?: string;
    type?: string;
    /** Must be known when the program runs: no Promise, no Output. */
    plain?: boolean;
    items?: PulumiType;
    additionalProperties?: PulumiType;
    /** Of types without parts. */
    oneOf?: PulumiType[];
    properties?: Record<string, PulumiType>;
    required?: string[];
    /** Of a text. @default line */
    format?: FormatName;
    /** Of the names in a map. @default line */
    propertyNames?: { format: FormatName };
}

interface PulumiSchema {
    types: Record<string, PulumiType>;
    resources: Record<string, { inputProperties: Record<string, PulumiType>; requiredInputs: string[] }>;
}

/** Stands for a value that is not known before the program runs. */
export class Unknown {}

/** Stands for a resource of the program. */
export class GivenResource {
    readonly #type: string;

    constructor(type: string) {
        this.#type = type;
    }

    /** "a StorageServer; did you mean its output address?" */
    get shown(): string {
        const output = outputMeant[this.#type];
        const kind = this.#type.split(":").at(-1) || "resource";
        return `a ${kind}${output === undefined ? "" : `; did you mean its output ${output}?`}`;
    }
}

/** Type of a resource → the output that is meant where the resource itself stands in place of a text. */
const outputMeant: Record<string, string> = { "pulumi-nfv:index:StorageServer": "address" };

/** The published schema, and its compiled form. */
let published: { ajv: Ajv; schema: PulumiSchema } | undefined;

/** The validator is used for one or two objects, so its compilation must be cheap. The schemas are our own. */
const quick = { code: { optimize: false }, validateSchema: false, meta: false };

export interface StructureProblem {
    /** "place: what is wrong". */
    text: string;
    /** The input. For an unknown name it is the one that was meant. */
    path: string[];
    /** Its name and type are right, so that rules can read it. */
    isReadable: boolean;
}

/** What is wrong with names and types of a resource's arguments. */
export function structureProblems(resource: string, args: unknown): StructureProblem[] {
    const check = publishedSchema().ajv.getSchema(`pulumi-nfv:index:${resource}`)!;
    if (check(args)) return [];
    return (
        (check.errors ?? [])
            // The format of the name says what is wrong with it.
            .filter(error => error.keyword !== "propertyNames")
            .filter(error => error.keyword === "plain" || !touchesUnknown(args, error))
            .map(error => ({
                text: describe(error, resource),
                path: pathOf(error),
                isReadable: ["format", "maximum"].includes(error.keyword),
            }))
    );
}

function publishedSchema() {
    published ??= readSchema();
    return published;
}

function readSchema() {
    const text = readFileSync(require.resolve("pulumi-nfv/schema.json"), "utf8");
    const ajv = new Ajv({ ...quick, allErrors: true, allowUnionTypes: true, strict: false, verbose: true });
    for (const name of Object.keys(formats) as FormatName[]) {
        ajv.addFormat(name, text => hasFormat(name, text));
    }
    ajv.addKeyword({ keyword: "plain", validate: (_: boolean, value: unknown) => !(value instanceof Unknown) });
    const schema = JSON.parse(text) as PulumiSchema;
    for (const [token, type] of Object.entries(schema.types)) ajv.addSchema(toJsonSchema(type), token);
    for (const [token, { inputProperties, requiredInputs }] of Object.entries(schema.resources)) {
        const type = { type: "object", properties: inputProperties, required: requiredInputs };
        ajv.addSchema(toJsonSchema(type), token);
    }
    return { ajv, schema };
}

function toJsonSchema(type: PulumiType): object {
    return type.plain ? { ...shapeOf(type), plain: true } : shapeOf(type);
}

function shapeOf(type: PulumiType): object {
    if (type.$ref?.startsWith("#/types/")) return { $ref: type.$ref.slice("#/types/".length) };
    if (type.$ref) return {};
    if (type.oneOf) return { type: type.oneOf.map(each => each.type), format: type.format ?? "line" };
    if (type.items) return { type: "array", items: toJsonSchema(type.items) };
    if (type.additionalProperties) {
        const { propertyNames = { format: "line" } } = type;
        return { type: "object", propertyNames, additionalProperties: toJsonSchema(type.additionalProperties) };
    }
    if (type.type === "string") return { type: "string", format: type.format ?? "line" };
    if (!type.properties) return { type: type.type };
    return {
        type: "object",
        properties: Object.fromEntries(
            Object.entries(type.properties).map(([key, value]) => [
                key,
                { ...toJsonSchema(value), ...limitOf(key, value) },
            ]),
        ),
        required: type.required ?? [],
        additionalProperties: false,
    };
}

/** Longer than anything takes; timers of a longer time end at once. */
const longestTimeout = 7 * 24 * 3600;

function limitOf(name: string, { type }: PulumiType): object {
    return type === "number" && /timeoutSeconds$/i.test(name) ? { maximum: longestTimeout } : {};
}

type Message = (error: ErrorObject, place: (name?: string) => string, resource: string) => string;

const messages: Record<string, Message> = {
    required: ({ params }, place) => `${place(params["missingProperty"])}: is required`,
    type: (error, place) =>
        `${place()}: must be of type ${wanted(error).join(" or ")}, got ${shown(error)}${remedy(error)}`,
    format: (error, place) => {
        const name = error.params["format"] as FormatName;
        const { must, example, isClear }: Format = formats[name];
        const subject = error.propertyName === undefined ? "must be" : "the name must be";
        // A URL may contain a login.
        const isShown = isOpen(error) && name !== "url";
        const said = isClear ? must : `${must}, such as ${JSON.stringify(example)}`;
        return `${place(error.propertyName)}: ${subject} ${said}${isShown ? `; got ${JSON.stringify(error.data)}` : ""}`;
    },
    maximum: ({ params, data }, place) =>
        `${place()}: ${String(data)} is not allowed: at most ${params["limit"]} (a week)`,
    plain: (_, place) =>
        `${place()}: must be known when the program runs, got a Promise or an Output (await a Promise; an Output cannot be used here)`,
    additionalProperties: ({ params, parentSchema }, place, resource) => {
        const name = params["additionalProperty"] as string;
        const known = namesIn(parentSchema);
        const meant = synonym(name, known) || didYouMean(name, known) || elsewhere(resource, name);
        return `${place(name)}: there is no such input${meant || choice(known)}`;
    },
};

/** Words of others for our inputs. */
const synonyms: Record<string, string> = { yum: "dnf", rpm: "dnf", zypper: "dnf", deb: "apt", aptitude: "apt" };

function synonym(name: string, known: readonly string[]): string {
    const meant = synonyms[name.toLowerCase()];
    return meant !== undefined && known.includes(meant) ? `; did you mean "${meant}"?` : "";
}

/** How many inputs a hint names where none is near. */
const mostInputs = 8;

function choice(known: readonly string[]): string {
    return known.length > 0 && known.length <= mostInputs ? `; there are ${known.join(", ")}` : "";
}

const longestPlace = 200;

/** How many places a hint names: a name that more inputs have says nothing. */
const mostPlaces = 2;

/** An input of this name that belongs to another place. */
function elsewhere(resource: string, name: string): string {
    const { schema } = publishedSchema();
    const { inputProperties } = schema.resources[`pulumi-nfv:index:${resource}`]!;
    const places = pathsIn(schema.types, inputProperties, []).filter(path => path.at(-1) === name);
    const isClear = places.length > 0 && places.length <= mostPlaces;
    return isClear ? `; did you mean ${places.map(path => path.join(".")).join(" or ")}?` : "";
}

/** `open`: types around, as a jump host may have a jump host. */
function pathsIn(
    types: PulumiSchema["types"],
    properties: Record<string, PulumiType>,
    above: string[],
    open: string[] = [],
): string[][] {
    return Object.entries(properties).flatMap(([key, type]) => {
        const path = [...above, key];
        const part = type.items ?? type.additionalProperties;
        const { $ref = "" } = part ?? type;
        const inner = types[$ref.slice("#/types/".length)]?.properties;
        if (inner === undefined || open.includes($ref)) return [path];
        return [path, ...pathsIn(types, inner, part ? [...path, "NAME"] : path, [...open, $ref])];
    });
}

function describe(error: ErrorObject, resource: string): string {
    const parts = pointer(error);
    const place = (name?: string) =>
        oneLine([...parts, ...(name === undefined ? [] : [name])].join(".")) || "arguments";
    return messages[error.keyword]?.(error, place, resource) ?? `${place()}: ${error.message}`;
}

/** Names in maps are the user's: they must not break the lines of a message, nor fill it. */
function oneLine(place: string): string {
    const short = place.length > longestPlace ? `${place.slice(0, longestPlace)}…` : place;
    return short.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, sign => JSON.stringify(sign).slice(1, -1));
}

function pointer(error: ErrorObject): string[] {
    return error.instancePath
        .split("/")
        .slice(1)
        .map(part => part.replace(/~1/g, "/").replace(/~0/g, "~"));
}

function touchesUnknown(args: unknown, error: ErrorObject): boolean {
    let value = args;
    for (const part of pointer(error)) {
        if (value instanceof Unknown) return true;
        value = (value as Record<string, unknown>)[part];
    }
    return value instanceof Unknown;
}

function pathOf(error: ErrorObject): string[] {
    const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>;
    if (error.propertyName !== undefined) return [...pointer(error), error.propertyName];
    const unknown = additionalProperty;
    const name =
        unknown === undefined ? missingProperty : (mostSimilar(unknown, namesIn(error.parentSchema)) ?? unknown);
    return name === undefined ? pointer(error) : [...pointer(error), name];
}

function namesIn(schema: object | undefined): string[] {
    return Object.keys((schema as PulumiType | undefined)?.properties ?? {});
}

function wanted({ params }: ErrorObject): string[] {
    return [params["type"]].flat();
}

/** How to write it. */
function remedy(error: ErrorObject): string {
    const [first, ...others] = wanted(error);
    if (first === "array") return ": write [ … ]";
    if (others.length > 0) return "";
    const given = kindOf(error.data);
    if (first === "string") return given === "number" || given === "boolean" ? ": write it in quotes" : "";
    const isMeant = first === "number" ? /^\d+$/ : /^(true|false)$/;
    return given === "string" && isMeant.test(error.data as string) ? ": write it without quotes" : "";
}

const simple = ["string", "number", "boolean"];
const longestShown = 60;

/**
 * The value only where it cannot be a secret. An input that is not plain may be an Output, so it may come from a secret; so may parts
 * of an object or list for which something else was given.
 */
function shown(error: ErrorObject): string {
    const { data } = error;
    if (data instanceof GivenResource) return data.shown;
    const kind = kindOf(data);
    const isSimple = wanted(error).every(type => simple.includes(type));
    return isSimple && isOpen(error) ? `the ${kind} ${JSON.stringify(data)}` : kind;
}

function isOpen({ data, parentSchema }: ErrorObject): boolean {
    const isPlain = (parentSchema as PulumiType | undefined)?.plain === true;
    return isPlain && simple.includes(kindOf(data)) && JSON.stringify(data).length <= longestShown;
}

function kindOf(value: unknown): string {
    return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
