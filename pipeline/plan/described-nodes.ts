import { opened, specOf } from "./urns";

interface Described {
    role?: unknown;
    pool?: unknown;
}

/** The nodes that the start of an operation has in its specification, by name. */
export function nodesIn(properties: Record<string, unknown> | undefined): Record<string, Described> {
    return (opened(specOf(properties)?.["nodes"]) ?? {}) as Record<string, Described>;
}

/** `controlPlane`, or the name of the pool. */
export function groupOf({ role, pool }: Described): string {
    return role === "controlPlane" ? "controlPlane" : String(pool ?? "workers");
}
