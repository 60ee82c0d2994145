import { createHmac } from "node:crypto";
import type { StepBody, StepUpload } from "./types";

/** Shown at preview while the key is unknown, because the cluster's identity does not exist yet. */
export const unknownFingerprint = "to do";

/** JSON with sorted keys and without undefined values: equal data gives equal text. */
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

/**
 * 12 hex digits: HMAC-SHA256 over the canonical JSON of a value. Without the key, nobody can test guesses of the value.
 */
export function keyedHash(key: string, value: unknown): string {
    return createHmac("sha256", key).update(canonicalJson(value)).digest("hex").slice(0, 12);
}

/**
 * Hash of what a step declares: id, revision and declared state. Secrets enter it as keyed hashes, and the whole is
 * hashed with the key again. Scripts are not part of it, nor title, timeouts, retries and an upload's path on the
 * operator's machine.
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

function declaredParts({ id, revision, declaredState, declaredFiles, uploads, env, ...own }: StepBody): Declared {
    if (declaredState !== undefined) return { id, revision, declaredState };
    const sums = uploads?.map(({ path, sha256, mode }) => ({ path, sha256, mode }));
    const { files, secrets } = declaredFiles === undefined ? own : { files: declaredFiles };
    return { id, revision, files, uploads: sums, env, secrets };
}

function withoutSecrets({ files, secrets, ...others }: Declared, key: string): object {
    const hashes = Object.entries(secrets ?? {}).map(([name, value]) => [name, keyedHash(key, value)]);
    return {
        ...others,
        files: files?.map(({ sealed, ...file }) =>
            file.secret ? { ...file, content: sealed ?? keyedHash(key, file.content) } : file,
        ),
        secrets: Object.fromEntries(hashes),
    };
}

/** Cache: fingerprints by all their inputs, because most steps are the same on all machines of a cluster. */
const known = new Map<string, string>();
const mostKnown = 2000;

/** Replaces files and long values by numbers in the cache's keys: they are nearly always the same few. */
const numbers = new Map<string, number>();

function isLong(value: unknown): value is string {
    return typeof value === "string" && value.length > 200 && (numbers.has(value) || numbers.size < mostKnown);
}

/** No other object in a body has this single property. */
function numberOf(text: string): object {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return { $text: number };
}
