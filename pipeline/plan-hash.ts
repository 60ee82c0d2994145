import { createHash } from "node:crypto";

/** A word for the plan, 24 hexadecimal digits. The order of keys makes no difference. Pure. */
export function planHash(...content: unknown[]): string {
    return createHash("sha256")
        .update(JSON.stringify(content.map(sorted)))
        .digest("hex")
        .slice(0, 24);
}

function sorted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
