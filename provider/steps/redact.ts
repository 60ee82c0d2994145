import type { StepBody } from "./types";

/** Shorter values are not treated as secrets: replacing them would make the output unreadable. */
const shortest = 4;

/** All secret values of a step, and the single lines of multi-line ones. */
export function secretsOf(step: StepBody): string[] {
    const values = [
        ...Object.values(step.secrets ?? {}),
        ...(step.files ?? []).filter(file => file.secret).map(file => file.content),
    ];
    return values.flatMap(linesOfSecret);
}

/** A secret may be printed line by line. Lines that are not secret ("-----BEGIN …") are left out. */
export function linesOfSecret(value: string): string[] {
    const lines = value.split("\n").map(line => line.trim());
    return [value.trim(), ...lines.filter(line => line.length >= 8 && !line.startsWith("-----"))];
}

export function redact(text: string, secrets: readonly string[]): string {
    const known = [...new Set(secrets)].filter(secret => secret.length >= shortest);
    return known.sort((a, b) => b.length - a.length).reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
