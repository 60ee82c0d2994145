export type Value = string | number | boolean;
export type Section = Record<string, Value | undefined>;
export type Ini = Record<string, Section>;

/** Text of a configuration file of OpenStack. A later part adds to or overrides an earlier one. */
export function toIni(...parts: Ini[]): string {
    return Object.entries(merge(parts))
        .map(([name, section]) => `[${name}]\n${lines(section)}`)
        .join("\n");
}

function merge(parts: readonly Ini[]): Ini {
    const result: Ini = {};
    for (const part of parts) {
        for (const [name, section] of Object.entries(part)) {
            result[name] = { ...result[name], ...section };
        }
    }
    return result;
}

function lines(section: Section): string {
    return Object.entries(section)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key} = ${value}\n`)
        .join("");
}
