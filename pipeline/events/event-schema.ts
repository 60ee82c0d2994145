/** JSON schema (2020-12) of one line of the JSON output. A test compares it with real events and with `PipelineEvent`. */
const text = { type: "string" };
const count = { type: "integer", minimum: 1 };
const seconds = { type: "number", minimum: 0 };
const act = { enum: ["create", "update", "replace", "delete", "read"] };
const state = { enum: ["begin", "end", "failed"] };

/** For each type: its properties; names that end with "?" may be missing. */
const properties: Record<string, Record<string, object>> = {
    about: { command: text, package: text, "commit?": text, "by?": text },
    stage: { stage: { enum: ["configure", "preview", "approve", "up", "destroy", "check", "wait"] }, "text?": text },
    version: { version: text, number: count, of: count, state },
    plan: {
        plan: {
            type: "object",
            required: ["stack", "operations", "nodes", "groups", "wanted", "resources", "warnings", "hash"],
            properties: { stack: text, hash: { type: "string", pattern: "^[0-9a-f]{24}$" } },
        },
    },
    operation: { cluster: text, text },
    phase: { phase: text },
    node: { node: text, "cluster?": text, resource: { enum: ["Host", "Node"] }, act, state, "seconds?": seconds },
    resource: { name: text, resource: text, act, state, "seconds?": seconds },
    step: {
        node: text,
        "cluster?": text,
        resource: text,
        step: text,
        number: count,
        of: count,
        "seconds?": seconds,
        "words?": text,
    },
    progress: { node: text, "cluster?": text, resource: text, text },
    hook: {
        "cluster?": text,
        hook: text,
        event: text,
        state: { enum: ["done", "failed"] },
        seconds,
        "output?": text,
    },
    message: { severity: { enum: ["info", "warning"] }, "node?": text, text },
    error: { "code?": text, "node?": text, "step?": text, text, "hint?": text },
    summary: {
        preview: { type: "boolean" },
        result: { enum: ["succeeded", "failed", "stopped"] },
        seconds,
        changes: { type: "object", additionalProperties: { type: "integer", minimum: 0 } },
    },
};

/** Whether what was read from a file has all that an event of its type must have. Other properties do not matter. Pure. */
export function isEvent(value: unknown): boolean {
    const event = value as Record<string, unknown> | null;
    const type = event?.["type"];
    if (typeof type !== "string" || !Object.hasOwn(properties, type) || typeof event?.["time"] !== "string")
        return false;
    return Object.entries(properties[type]!).every(([name, schema]) => {
        const given = event[name.replace("?", "")];
        return given === undefined ? name.endsWith("?") : fits(given, schema);
    });
}

function fits(value: unknown, schema: { type?: string; enum?: string[]; required?: string[] }): boolean {
    if (schema.enum !== undefined) return schema.enum.includes(value as string);
    if (schema.type === "object")
        return typeof value === "object" && value !== null && (schema.required ?? []).every(name => name in value);
    return schema.type === "integer" ? Number.isInteger(value) : typeof value === schema.type;
}

/** Nothing besides these properties: an event with another one is refused. */
export const eventSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "One event of pulumi-nfv/pipeline",
    type: "object",
    oneOf: Object.entries(properties).map(([type, own]) => ({
        properties: {
            type: { const: type },
            time: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" },
            ...Object.fromEntries(Object.entries(own).map(([name, schema]) => [name.replace("?", ""), schema])),
        },
        required: ["type", "time", ...Object.keys(own).filter(name => !name.endsWith("?"))],
        additionalProperties: false,
    })),
};
