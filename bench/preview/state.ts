/** A resource as `pulumi stack export` shows it. */
export interface StoredResource {
    urn: string;
    type: string;
}

/** The dynamic resources, which are compared with empty ones. */
export function ownResources(resources: readonly StoredResource[]): StoredResource[] {
    return resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic"));
}

/** Compact JSON of the Host and the Node of a machine, in bytes. */
export function bytesOf(resources: readonly StoredResource[], machine: string): number {
    const own = ownResources(resources).filter(({ urn }) => urn.endsWith(`-${machine}`));
    return own.reduce((sum, resource) => sum + Buffer.byteLength(JSON.stringify(resource)), 0);
}

/** "5,50": numbers of nodes, each with at least one worker. */
export function sizesFrom(text: string, masters: number): number[] {
    const sizes = text.split(",").map(Number);
    const wrong = sizes.find(size => !Number.isInteger(size) || size <= masters);
    if (wrong !== undefined) {
        throw new Error(`--nodes takes whole numbers above ${masters} by commas, not "${text}"`);
    }
    return sizes;
}
