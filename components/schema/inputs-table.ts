import { defaultMark, type ObjectType, type Property } from "./generate";

/** docs/inputs.md, made from schema.json. */

interface Schema {
    types: Record<string, ObjectType>;
    resources: Record<
        string,
        { description: string; inputProperties: Record<string, Property>; requiredInputs: string[] }
    >;
}

const intro = `# Inputs

Made from \`schema.json\` by \`npx tsx components/schema/write.ts\`; do not edit. A value that breaks these rules is refused before anything is
touched. *secret* values are encrypted in the state and never shown. **required** stands where there is no default.
`;

export function inputsTable(schema: Schema): string {
    const sections = Object.entries(schema.resources).map(([token, resource]) => {
        const rows: string[] = [];
        const types = new Map<string, string>();
        addRows(rows, types, schema, resource.inputProperties, resource.requiredInputs, "");
        return [
            `## ${shortName(token)}`,
            "",
            resource.description,
            "",
            "| Input | Type | Default | Meaning |",
            "|---|---|---|---|",
            ...rows,
            "",
        ].join("\n");
    });
    return [intro, ...sections].join("\n");
}

function addRows(
    rows: string[],
    shown: Map<string, string>,
    schema: Schema,
    properties: Record<string, Property>,
    required: string[],
    prefix: string,
): void {
    for (const [name, property] of Object.entries(properties)) {
        const place = `${prefix}${name}`;
        const type = objectOf(schema, property);
        const [text = "", fallback = ""] = (property.description ?? type?.object.description ?? "").split(defaultMark);
        const secret = property.secret ? " *secret*" : "";
        const before = type && shown.get(type.token);
        const meaning = before ? `${text.trim()} As \`${before}\`.` : text;
        const standard = required.includes(name) ? "**required**" : fallback;
        rows.push(`| \`${place}\` | ${typeText(property)}${secret} | ${cell(standard)} | ${cell(meaning)} |`);
        if (!type || before) continue;
        shown.set(type.token, place);
        addRows(rows, shown, schema, type.object.properties, type.object.required, `${place}${type.step}.`);
    }
}

/** The object type inside maps and lists, and how the way to it is written. */
function objectOf(schema: Schema, property: Property): { token: string; object: ObjectType; step: string } | undefined {
    if (property.$ref?.startsWith("#/types/")) {
        const token = property.$ref.slice("#/types/".length);
        return { token, object: schema.types[token]!, step: "" };
    }
    const inner = property.additionalProperties ?? property.items;
    const found = inner && objectOf(schema, inner);
    return found && { ...found, step: (property.items ? "[]" : ".NAME") + found.step };
}

function typeText(property: Property): string {
    if (property.$ref === "pulumi.json#/Any") return "any";
    if (property.$ref?.startsWith("#/resources/")) return shortName(property.$ref);
    if (property.$ref) return "object";
    if (property.items) return `list of ${typeText(property.items)}`;
    if (property.additionalProperties) return `map of ${typeText(property.additionalProperties)}`;
    return property.type ?? "";
}

function shortName(token: string): string {
    return token.split(":").at(-1)!;
}

function cell(text: string): string {
    return text.replace(/\|/g, "\\|");
}
