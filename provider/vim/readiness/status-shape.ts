/** What the definition of a kind says about the status of its objects. */
export interface StatusShape {
    /**
     * none: the kind has no status. conditions: its status has conditions. other: a status of other fields. unknown: the definition does not
     * say, or cannot be read.
     */
    has: "none" | "conditions" | "other" | "unknown";
    /** Fields of the status. */
    fields: string[];
}

interface Schema {
    properties?: Record<string, Schema>;
    [field: string]: unknown;
}

interface Definition {
    spec?: {
        versions?: { name: string; subresources?: { status?: object }; schema?: { openAPIV3Schema?: Schema } }[];
    };
}

export const unknownShape: StatusShape = { has: "unknown", fields: [] };

/** Reads a CustomResourceDefinition. */
export function statusShape(definition: object | undefined, version: string): StatusShape {
    const found = (definition as Definition | undefined)?.spec?.versions?.find(({ name }) => name === version);
    if (found === undefined) return unknownShape;
    const { properties } = found.schema?.openAPIV3Schema ?? {};
    const status = properties?.["status"];
    if (status === undefined) {
        // Without the subresource a controller could still write one, if the schema keeps what it does not name.
        return found.subresources?.status === undefined ? { has: "none", fields: [] } : unknownShape;
    }
    const fields = Object.keys(status.properties ?? {});
    if (fields.includes("conditions")) return { has: "conditions", fields };
    return fields.length === 0 ? unknownShape : { has: "other", fields };
}
