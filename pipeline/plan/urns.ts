/** The end of a URN: "core-w1". */
export function nameIn(urn: string): string {
    return urn.split("::").slice(3).join("::");
}

const ours = /^pulumi-nodejs:dynamic\/nfv:/;

/** "Node" for a resource of this package; otherwise Pulumi's type token. */
export function shortType(type: string): string {
    return type.replace(ours, "");
}

export function isOurs(type: string): boolean {
    return ours.test(type);
}

/** Of the resource itself, without its parents'. */
export function typeIn(urn: string): string {
    return (urn.split("::")[2] ?? "").split("$").at(-1)!;
}

/** The specification that a machine's resource has, stored as a text. Undefined if there is none that can be read. */
export function specOf(inputs: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
    return opened(inputs?.["spec"]);
}

/** An object, or the JSON text of one. */
export function opened(value: unknown): Record<string, unknown> | undefined {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    if (typeof value !== "string" || !value.startsWith("{")) return undefined;
    try {
        return opened(JSON.parse(value));
    } catch {
        return undefined;
    }
}
