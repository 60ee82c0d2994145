import { createHmac } from "node:crypto";
import type { StepBody } from "./types";

/** What preview shows while the key is not known yet (before the cluster's identity exists). */
export const unknownFingerprint = "to do";

/** JSON with sorted keys and without undefined: equal data, equal text. */
export function canonicalJson(value: unknown): string {
    if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
    if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
    const object = value as Record<string, unknown>;
    let members = "";
    for (const key of Object.keys(object).sort()) {
        if (object[key] === undefined) continue;
        members += `${members && ","}${JSON.stringify(key)}:${canonicalJson(object[key])}`;
    }
    return `{${members}}`;
}

/** 12 hex digits: HMAC-SHA256 over the canonical JSON of a value. Without the key no value can be tried out. */
export function keyedHash(key: string, value: unknown): string {
    return createHmac("sha256", key).update(canonicalJson(value)).digest("hex").slice(0, 12);
}

/**
 * Hash of what a step would put there. Secrets enter as keyed hashes, and the whole is keyed again. Title, time limits, retries and
 * where an upload lies on the operator's machine are no part of it.
 */
export function fingerprint(body: StepBody, key: string | undefined): string {
    if (key === undefined) return unknownFingerprint;
    if (body.identity !== undefined) return keyedHash(key, { id: body.id, identity: body.identity });
    const parts = JSON.stringify([key, body], (_, value) => (isLong(value) ? numberOf(value) : value));
    let found = known.get(parts);
    if (found === undefined) {
        found = computed(body, key);
        if (known.size < mostKnown) known.set(parts, found);
    }
    return found;
}

/** Of steps that were asked for already, by all that goes in: most steps are the same on all machines of a cluster. */
const known = new Map<string, string>();
const mostKnown = 2000;

/** Scripts and files stand there by number: they are nearly always the same few. */
const numbers = new Map<string, number>();

function isLong(value: unknown): value is string {
    return typeof value === "string" && value.length > 200 && (numbers.has(value) || numbers.size < mostKnown);
}

/** Nothing else in a body is an object with this one property. */
function numberOf(text: string): object {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return { $text: number };
}

function computed(body: StepBody, key: string): string {
    const secrets = Object.entries(body.secrets ?? {}).map(([name, value]) => [name, keyedHash(key, value)]);
    return keyedHash(key, {
        id: body.id,
        files: body.files?.map(file => (file.secret ? { ...file, content: keyedHash(key, file.content) } : file)),
        uploads: body.uploads?.map(({ path, sha256, mode }) => ({ path, sha256, mode })),
        probe: body.probe,
        run: body.run,
        env: body.env,
        secrets: Object.fromEntries(secrets),
        onControlPlane: body.onControlPlane,
    });
}
