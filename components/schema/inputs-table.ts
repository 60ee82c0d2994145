import { changes } from "./changes";
import { type Change, effects } from "./effects";
import { defaultMark, type ObjectType, type Property } from "./generate";

/** docs/inputs.md, generated from schema.json. */

interface Schema {
    types: Record<string, ObjectType>;
    resources: Record<
        string,
        { description: string; inputProperties: Record<string, Property>; requiredInputs: string[] }
    >;
}

const intro = `# Inputs

Generated from \`schema.json\` by \`npx tsx components/schema/write.ts\`; do not edit. A value that breaks these rules is refused before anything is
touched. Texts are one line without control characters where nothing else is said; \`schema.json\` names the \`format\` of each text, and of the names in each map.
*secret* values are encrypted in the state and never shown. **required** inputs have no default.

Relative paths start from the folder in which Pulumi runs the program: that of \`Pulumi.yaml\`, or of the file that \`main\` names there; for an inline
program of the Automation API it is the working directory of your own process. \`\${__dirname}/manifests\` starts from the program's file in any case.
The components' outputs: [outputs.md](outputs.md).

**Change** is the effect of another value on a running cluster at the next \`pulumi up\`:

| | |
|---|---|
${Object.entries(effects)
    .map(([effect, meaning]) => `| ${effect} | ${meaning} |`)
    .join("\n")}

Preview shows the steps that will run on each node. A refusal is an error of preview, before anything is touched.
`;

export function inputsTable(schema: Schema): string {
    const sections = Object.entries(schema.resources).map(([token, resource]) => {
        const rows: string[] = [];
        const types = new Map<string, string>();
        const said = changes[shortName(token)] ?? {};
        const context = { rows, shown: types, schema, changes: said };
        addRows(context, resource.inputProperties, resource.requiredInputs, "");
        return [
            `## ${shortName(token)}`,
            "",
            resource.description,
            "",
            "| Input | Type | Default | Meaning | Change |",
            "|---|---|---|---|---|",
            ...rows,
            "",
        ].join("\n");
    });
    return [intro, ...sections].join("\n");
}

interface Context {
    rows: string[];
    /** Type → where it was shown first. */
    shown: Map<string, string>;
    schema: Schema;
    changes: Record<string, Change>;
}

function addRows(context: Context, properties: Record<string, Property>, required: string[], prefix: string): void {
    const { rows, shown, schema } = context;
    for (const [name, property] of Object.entries(properties)) {
        const place = `${prefix}${name}`;
        const type = objectOf(schema, property);
        const [text = "", ...fallbacks] = (property.description ?? type?.object.description ?? "").split(defaultMark);
        // A default may contain the mark: `{ isDefault: true }`.
        const fallback = fallbacks.join(defaultMark);
        const secret = property.secret ? " *secret*" : "";
        const before = type && shown.get(type.token);
        const meaning = before ? `${text.trim()} As \`${before}\`.` : text;
        const standard = required.includes(name) ? "**required**" : fallback;
        rows.push(
            `| \`${place}\` | ${typeText(property)}${secret} | ${cell(standard)} | ${cell(meaning)} | ${changeOf(context, place)} |`,
        );
        if (!type || before) continue;
        shown.set(type.token, place);
        addRows(context, type.object.properties, type.object.required, `${place}${type.step}.`);
    }
}

function changeOf({ changes: said }: Context, place: string): string {
    const change = said[place];
    if (change === undefined) return "";
    return cell(change.note === undefined ? change.effect : `${change.effect}: ${change.note}`);
}

/** The object type inside maps and lists, and the path to it. */
function objectOf(schema: Schema, property: Property): { token: string; object: ObjectType; step: string } | undefined {
    if (property.$ref?.startsWith("#/types/")) {
        const token = property.$ref.slice("#/types/".length);
        return { token, object: schema.types[token]!, step: "" };
    }
    const inner = property.additionalProperties ?? property.items;
    const found = inner && objectOf(schema, inner);
    return found && { ...found, step: (property.items ? "[]" : ".NAME") + found.step };
}

export function typeText(property: Property): string {
    if (property.$ref === "pulumi.json#/Any") return "any";
    if (property.$ref?.startsWith("#/resources/")) return shortName(property.$ref);
    if (property.$ref) return "object";
    if (property.items) return `list of ${typeText(property.items)}`;
    if (property.additionalProperties) return `map of ${typeText(property.additionalProperties)}`;
    if (property.oneOf) return property.oneOf.map(typeText).join(" or ");
    return property.type ?? "";
}

export function shortName(token: string): string {
    return token.split(":").at(-1)!;
}

export function cell(text: string): string {
    return text.replace(/\|/g, "\\|");
}
