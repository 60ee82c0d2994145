/** A type in Pulumi's package schema: what of it schema.json uses. */
export interface PulumiType {
    $ref?: string;
    type?: string;
    items?: PulumiType;
    additionalProperties?: PulumiType;
    properties?: Record<string, PulumiType>;
    required?: string[];
}

export interface PulumiSchema {
    types: Record<string, PulumiType>;
    resources: Record<string, { inputProperties: Record<string, PulumiType>; requiredInputs: string[] }>;
}

/** Stands for a value that is not known before the program runs. */
export class Unknown {}
