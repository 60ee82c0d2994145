import { createHmac } from "node:crypto";
import type { StepBody, StepUpload } from "./types";

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
 * Hash of what a step declares: id, revision and declared state. Secrets enter as keyed hashes, and the whole is keyed again. Scripts are
 * no part of it, nor are title, time limits, retries and the path of an upload on the operator's machine.
 */
export function fingerprint(body: StepBody, key: string | undefined): string {
    if (key === undefined) return unknownFingerprint;
    const declared = declaredParts(body);
    const parts = JSON.stringify([key, declared], (_, value) => (isLong(value) ? numberOf(value) : value));
    let found = known.get(parts);
    if (found === undefined) {
        found = keyedHash(key, withoutSecrets(declared, key));
        if (known.size < mostKnown) known.set(parts, found);
    }
    return found;
}

type Declared = Pick<StepBody, "id" | "revision" | "declaredState" | "files" | "env" | "secrets"> & {
    uploads?: Pick<StepUpload, "path" | "sha256" | "mode">[];
};

function declaredParts({ id, revision, declaredState, files, uploads, env, secrets }: StepBody): Declared {
    if (declaredState !== undefined) return { id, revision, declaredState };
    const sums = uploads?.map(({ path, sha256, mode }) => ({ path, sha256, mode }));
    return { id, revision, files, uploads: sums, env, secrets };
}

function withoutSecrets({ files, secrets, ...others }: Declared, key: string): object {
    const hashes = Object.entries(secrets ?? {}).map(([name, value]) => [name, keyedHash(key, value)]);
    return {
        ...others,
        files: files?.map(file => (file.secret ? { ...file, content: keyedHash(key, file.content) } : file)),
        secrets: Object.fromEntries(hashes),
    };
}

/** Of steps that were asked for already, by all that goes in: most steps are the same on all machines of a cluster. */
const known = new Map<string, string>();
const mostKnown = 2000;

/** Files and long values stand there by number: they are nearly always the same few. */
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
