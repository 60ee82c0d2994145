import type { ConfigMap } from "@pulumi/pulumi/automation";

/** Shorter texts would make what is said unreadable. */
const shortest = 6;

/** Values that must not show: secrets of the stack's configuration, with the texts inside objects, and what the environment calls a secret. Pure. */
export function secretsIn(config: ConfigMap, env: Readonly<Record<string, string | undefined>>): string[] {
    const ofConfig = Object.values(config)
        .filter(({ secret }) => secret === true)
        .flatMap(({ value }) => [value, ...textsIn(value)]);
    const ofEnvironment = Object.entries(env)
        .filter(([name]) => /PASSWORD|PASSPHRASE$|SECRET|TOKEN|PRIVATE_KEY/.test(name))
        .map(([, value]) => value ?? "");
    const all = [...ofConfig, ...ofEnvironment].flatMap(value => [value, ...longLines(value)]);
    return [...new Set(all)].filter(value => value.length >= shortest);
}

/** The keys with which Pulumi marks a secret in an export. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Values that the stack's state knows as secrets: of all resources, also of other packages, and of outputs. Secret objects also hold addresses and names, which messages
 * need: only texts that look like keys, tokens or passwords of machines are taken. `exported`: `pulumi stack export --show-secrets`. Pure.
 */
export function secretsInState(exported: unknown): string[] {
    const found: string[] = [];
    const look = (value: unknown): void => {
        if (value === null || typeof value !== "object") return;
        const { [signatureKey]: signature, plaintext } = value as Record<string, unknown>;
        if (signature !== secretSignature) Object.values(value).forEach(look);
        else if (typeof plaintext === "string") found.push(...textsIn(`[${plaintext}]`));
    };
    look(exported);
    const all = found.flatMap(value => [value.trim(), ...longLines(value).map(line => line.trim())]);
    return [...new Set(all)].filter(isKeyLike);
}

const isKeyLike = (text: string) =>
    text.includes("PRIVATE KEY-----") || (/^[^\s:]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text));

/** A secret of several lines may be told line by line. */
function longLines(value: string): string[] {
    return value.includes("\n") ? value.split("\n").filter(line => line.length >= 16 && !line.startsWith("---")) : [];
}

function textsIn(value: string): string[] {
    let parsed: unknown;
    try {
        parsed = JSON.parse(value);
    } catch {
        return [];
    }
    const texts = (each: unknown): string[] =>
        typeof each === "string"
            ? [each]
            : typeof each === "object" && each !== null
              ? Object.values(each).flatMap(texts)
              : [];
    return typeof parsed === "object" ? texts(parsed) : [];
}
