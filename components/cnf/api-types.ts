import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { groupOf } from "../../provider/vim/group-of";

/** Types of a field: "string", "number", "boolean", "any", a name such as "core.v1.PodSpec"; of lists and maps the type of what is in them. */
export interface FieldType {
    alternatives: readonly (
        | { scalar: "string" | "number" | "boolean" | "any" }
        | { fields: string }
        | { listOf: FieldType }
        | { mapOf: FieldType }
    )[];
}

/** Types of fields by name. */
export type Fields = ReadonlyMap<string, FieldType>;

/** Schemas of JSON: a definition may have nearly any of them. */
const anyFields = /\.JSONSchemaProps$/;

let read: ReadonlyMap<string, Fields> | undefined;

/** Fields of Kubernetes' own types, by name such as "apps.v1.Deployment"; empty where @pulumi/kubernetes is not installed. */
export function apiTypes(): ReadonlyMap<string, Fields> {
    read ??= typesIn(declarations());
    return read;
}

/** "apps.v1.Deployment" of apps/v1, Deployment. */
export function typeName(apiVersion: string, kind: string): string {
    const group = groupOf(apiVersion);
    return `${group === "" ? "core" : group.split(".")[0]}.${apiVersion.split("/").at(-1)}.${kind}`;
}

/** Pulumi makes these declarations of the API's own OpenAPI schema. They are on every user's machine, in the version that goes with the plugin. */
function declarations(): string {
    try {
        const folder = dirname(require.resolve("@pulumi/kubernetes/package.json"));
        return readFileSync(join(folder, "types/input.d.ts"), "utf8");
    } catch {
        return "";
    }
}

/** Pure. */
export function typesIn(text: string): Map<string, Fields> {
    const types = new Map<string, Fields>();
    let [group, version] = ["", ""];
    let fields: Map<string, FieldType> | undefined;
    let open: string | undefined;
    for (const line of text.split("\n")) {
        if (/^\s+(?:\*|\/\*)/.test(line)) continue;
        const [, outer, inner, name] =
            /^(?:export declare namespace (\w+) \{| {4}namespace (\w+) \{| {8}interface (\w+) \{)/.exec(line) ?? [];
        if (outer !== undefined) group = outer;
        if (inner !== undefined) version = inner;
        if (name !== undefined) {
            fields = new Map();
            types.set(`${group}.${version}.${name}`, fields);
        } else if (line === "        }") fields = undefined;
        else if (fields !== undefined && (open !== undefined || /^ {12}["$\w]/.test(line))) {
            open = `${open ?? ""}${line.trim()} `;
            // A map stands on several lines.
            if (!/^ {12}\S.*;$/.test(line)) continue;
            const [, field, type] = /^"?([$\w-]+)"?\??: (.*); $/.exec(open) ?? [];
            if (field !== undefined) fields.set(field, typeOf(type!));
            open = undefined;
        }
    }
    return types;
}

/** "pulumi.Input<pulumi.Input<inputs.core.v1.Container>[] | undefined>": a list of that type. */
function typeOf(text: string): FieldType {
    const plain = text.replaceAll(/pulumi\.Input<|>|\s/g, "").replaceAll("|undefined", "");
    const map = /^\{\[key:string\]:(.*);\}$/.exec(plain);
    if (map !== null) return { alternatives: [{ mapOf: typeOf(map[1]!) }] };
    return { alternatives: plain.split("|").map(alternative) };
}

function alternative(text: string): FieldType["alternatives"][number] {
    if (text.endsWith("[]")) return { listOf: typeOf(text.slice(0, -2)) };
    if (text.startsWith('"')) return { scalar: "string" };
    if (text === "string" || text === "number" || text === "boolean") return { scalar: text };
    const name = /^inputs\.([\w.]+)$/.exec(text)?.[1];
    return name === undefined || anyFields.test(name) ? { scalar: "any" } : { fields: name };
}
