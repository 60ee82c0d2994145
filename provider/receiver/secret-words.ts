/** Keys under which kubeconfigs and ETSI's connection data hold secrets. */
const secretKeys = /token|key|password|secret/i;

/** The secret texts in data: all texts below a key that names a secret. */
export function secretWords(value: unknown, isSecret = false): string[] {
    if (typeof value === "string") return isSecret && value !== "" ? [value] : [];
    if (value === null || typeof value !== "object") return [];
    const isList = Array.isArray(value);
    return Object.entries(value).flatMap(([key, inner]) =>
        secretWords(inner, isSecret || (!isList && secretKeys.test(key))),
    );
}

/** So many characters of a secret are enough to recognize it; a server may answer with a part of what it got. */
const telling = 12;

/** Whether a text contains one of the secrets, or a part of it. */
export function mentions(text: string, secrets: readonly string[]): boolean {
    return secrets.some(secret => {
        for (let start = 0; start === 0 || start + telling <= secret.length; start++)
            if (text.includes(secret.slice(start, start + telling))) return true;
        return false;
    });
}
