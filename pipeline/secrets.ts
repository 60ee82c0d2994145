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
 * need: only texts that look like keys, tokens or passwords of machines are taken, and those that are called a password or the like. What the state also has in clear
 * is none. `exported`: `pulumi stack export --show-secrets`. Pure.
 */
export function secretsInState(exported: unknown): string[] {
    const found: Named[] = [];
    const clear = new Set<string>();
    const look = (value: unknown): void => {
        if (typeof value === "string") for (const { text } of namedTexts(value)) clear.add(text);
        if (value === null || typeof value !== "object") return;
        const { [signatureKey]: signature, plaintext } = value as Record<string, unknown>;
        if (signature !== secretSignature) Object.values(value).forEach(look);
        else if (typeof plaintext === "string") found.push(...namedTexts(opened(plaintext)));
    };
    look(exported);
    const all = found.flatMap(({ name, text }) =>
        [text.trim(), ...longLines(text).map(line => line.trim())].filter(
            each => isKeyLike(each) || (secretName.test(name) && each.length >= shortest),
        ),
    );
    return [...new Set(all)].filter(text => !clear.has(text));
}

const secretName = /pass(word|wd|phrase)$|secret$|token$/i;

const isKeyLike = (text: string) =>
    text.includes("PRIVATE KEY-----") || (/^[^\s:]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text));

interface Named {
    /** Of the property that has it; "": of none. */
    name: string;
    text: string;
}

/** All texts in a value, also those in texts that are JSON: inputs of machines are stored so, see provider/resources/packed.ts. */
function namedTexts(value: unknown, name = ""): Named[] {
    if (typeof value === "string") {
        const inner = /^[[{]/.test(value) ? opened(value) : undefined;
        return [{ name, text: value }, ...(typeof inner === "object" ? namedTexts(inner, name) : [])];
    }
    if (Array.isArray(value)) {
        const [path, each] = value;
        if (value.length === 2 && isPath(path)) return namedTexts(each, path.at(-1));
        return value.flatMap(each => namedTexts(each, name));
    }
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, each]) => namedTexts(each, key));
}

const isPath = (value: unknown): value is string[] =>
    Array.isArray(value) && value.length > 0 && value.every(each => typeof each === "string");

function opened(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

/** A secret of several lines may be told line by line. */
function longLines(value: string): string[] {
    return value.includes("\n") ? value.split("\n").filter(line => line.length >= 16 && !line.startsWith("---")) : [];
}

function textsIn(value: string): string[] {
    const parsed = opened(value);
    return typeof parsed === "object" ? namedTexts(parsed).map(({ text }) => text) : [];
}
