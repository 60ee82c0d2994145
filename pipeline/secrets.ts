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
