/** The resource's place in the program, as `pulumi import` needs it. */
export interface Place {
    /** Pulumi's name of the resource. */
    name: string;
    /** URNs. */
    parent: string;
    provider?: string;
    /** Where the inputs of the storage server begin. @default "storage.", of a cluster */
    storageInputs?: string;
}

/** An input of the storage server, as its program writes it: "storage.volumes.data". */
export function storageInput(input: string, place: Place): string {
    return `${place.storageInputs ?? "storage."}${input}`;
}

/** Notes in the state what the cloud has. `type`: Pulumi's token. */
export function importCommand(type: string, id: string, { name, parent, provider }: Place): string {
    const given = [`'parent=${parent}'`, ...(provider === undefined ? [] : [`--provider 'provider=${provider}'`])];
    return `pulumi import ${type} ${name} ${id} --parent ${given.join(" ")} --protect=false --generate-code=false`;
}

/** What a user does whose state has lost it. */
export function noteIt(type: string, id: string, place: Place): string {
    return `Note it: ${importCommand(type, id, place)}. Then run pulumi up again.`;
}
