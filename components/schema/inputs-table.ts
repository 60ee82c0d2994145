import { defaultMark, type ObjectType, type Property } from "./generate";

/** docs/inputs.md, generated from schema.json. */

interface Schema {
    types: Record<string, ObjectType>;
    resources: Record<
        string,
        { description: string; inputProperties: Record<string, Property>; requiredInputs: string[] }
    >;
}

/** What a change of an input may do to a running cluster: its `@change` begins with one of these. */
export const effects = {
    nothing: "nothing on the nodes; the next operation uses the new value",
    step: "written to its place; nothing restarts, nothing waits",
    restart:
        "a service restarts on one control-plane node after the other, and in each pool on as many workers at once as `pools.NAME.maxUnavailable` says; containers keep running",
    rolling: "control-plane nodes one after another; each must be ready before the next",
    membership: "nodes join or leave; the others only get the new list of control-plane nodes",
    cloud: "the cloud changes it in place; servers keep running",
    machines: "Cluster API replaces the machines that it concerns, one after another; preview says how many",
    again: "is deleted and created again; the row says what that interrupts",
    refused: "refused at preview; the error says what to do instead",
} as const;

export type Effect = keyof typeof effects;

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
    const sections = Object.entries(schema.resources).map(([token, { description }]) =>
        [
            `## ${shortName(token)}`,
            "",
            description,
            "",
            "| Input | Type | Default | Meaning | Change |",
            "|---|---|---|---|---|",
            ...inputsOf(schema, shortName(token)).map(
                ({ place, type, standard, meaning, change = "" }) =>
                    `| \`${place}\` | ${type} | ${cell(standard)} | ${cell(meaning)} | ${cell(change)} |`,
            ),
            "",
        ].join("\n"),
    );
    return [intro, ...sections].join("\n");
}

/** A row of the page. */
export interface Input {
    place: string;
    type: string;
    standard: string;
    meaning: string;
    change: string | undefined;
    /** Its properties say what a change of them does. */
    isSaidInside: boolean;
}

export function inputsOf(schema: Schema, resource: string): Input[] {
    const { inputProperties, requiredInputs } = schema.resources[`pulumi-nfv:index:${resource}`]!;
    return rowsOf({ properties: inputProperties, required: requiredInputs, type: "object" }, "", schema, new Map());
}

/** `shown`: type → where it was shown first. */
function rowsOf(object: ObjectType, prefix: string, schema: Schema, shown: Map<string, string>): Input[] {
    return Object.entries(object.properties).flatMap(([name, property]) => {
        const place = `${prefix}${name}`;
        const type = objectOf(schema, property);
        const [text = "", ...fallbacks] = (property.description ?? type?.object.description ?? "").split(defaultMark);
        const before = type && shown.get(type.token);
        const isSaidInside = type !== undefined && saysChanges(type.object);
        const change = property.change ?? (isSaidInside ? undefined : object.change);
        const row = {
            place,
            type: `${typeText(property)}${property.secret ? " *secret*" : ""}`,
            // A default may contain the mark: `{ isDefault: true }`.
            standard: object.required.includes(name) ? "**required**" : fallbacks.join(defaultMark),
            meaning: before ? `${text.trim()} As \`${before}\`.` : text,
            change,
            isSaidInside,
        };
        if (!type || before) return [row];
        shown.set(type.token, place);
        const inner = isSaidInside ? type.object : { ...type.object, change };
        return [row, ...rowsOf(inner, `${place}${type.step}.`, schema, shown)];
    });
}

/** A type that says nothing about changes has the `@change` of the input that is of this type. */
function saysChanges(object: ObjectType): boolean {
    return [object, ...Object.values(object.properties)].some(({ change }) => change !== undefined);
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

/** The name of a page becomes a link: docs/how-it-works.md#another-endpoint. */
export function cell(text: string): string {
    return text
        .replace(/\|/g, "\\|")
        .replace(/docs\/(([\w-]+)\.md(?:#([\w-]+))?)/g, (_, page: string, file: string, part?: string) => {
            return `[${part?.replace(/-/g, " ") ?? file}](${page})`;
        });
}
