import { NfvError } from "../common/errors";

/** `${NAME}` and `${NAME:=default}`, also with `=`, `:-` and `-`: as in shells, but without assignment. */
const head = /^([A-Za-z_][A-Za-z0-9_]*)(:=|:-|=|-)?/;

/**
 * Puts values into a text as clusterctl does: a variable that is missing or empty takes its default, and `$${` is a
 * `${` that stays. A default may hold variables itself.
 * @throws INVALID_INPUT naming every variable without value and default, and for the shell's other operators
 */
export function substitute(text: string, values: Readonly<Record<string, string>>, what: string): string {
    const missing = new Set<string>();
    const result = expand(text, values, missing, what);
    if (missing.size === 0) return result;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `${what}: variables without a value: ${[...missing].sort().join(", ")}`,
        hint: 'Give them in the input "variables"; nothing has been touched.',
    });
}

function expand(text: string, values: Readonly<Record<string, string>>, missing: Set<string>, what: string): string {
    let result = "";
    let rest = text;
    for (let at = rest.indexOf("${"); at >= 0; at = rest.indexOf("${")) {
        if (rest[at - 1] === "$") {
            result += `${rest.slice(0, at - 1)}\${`;
            rest = rest.slice(at + 2);
            continue;
        }
        const end = closing(rest, at + 2);
        const inner = rest.slice(at + 2, end);
        result += rest.slice(0, at) + resolved(inner, values, missing, what);
        rest = rest.slice(end + 1);
    }
    return result + rest;
}

function resolved(inner: string, values: Readonly<Record<string, string>>, missing: Set<string>, what: string): string {
    const words = inner.trim();
    const [matched, name, operator] = head.exec(words) ?? [];
    if (matched === undefined || (operator === undefined && matched !== words)) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `${what}: \${${inner}} is not supported: a name, or NAME:=DEFAULT`,
        });
    }
    const value = Object.hasOwn(values, name) ? values[name] : "";
    if (value !== "") return value;
    if (operator !== undefined) return expand(words.slice(matched.length), values, missing, what);
    if (!Object.hasOwn(values, name)) missing.add(name);
    return "";
}

/** Where the brace closes that was opened before `from`; the end of the text if it never does. */
function closing(text: string, from: number): number {
    let depth = 1;
    for (let i = from; i < text.length; i++) {
        if (text.startsWith("${", i)) depth++;
        if (text[i] === "}" && --depth === 0) return i;
    }
    return text.length;
}
