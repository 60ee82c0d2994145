import { isPlainSafe } from "./plain-scalars";
import type { Value } from "./types";

/** Short maps and lists are written on one line, as people write `{ get_attr: [port, name] }`. */
const lineWidth = 110;

/** YAML that readers of versions 1.1 and 1.2 understand in the same way; the same value gives the same text. */
export function writeYaml(value: Value): string {
    return isCollection(value) && !isEmpty(value) ? block(value, 0) : `${inline(value)}\n`;
}

function block(value: Value[] | { [key: string]: Value }, depth: number): string {
    const indent = "  ".repeat(depth);
    if (Array.isArray(value)) {
        return value.map(item => `${indent}-${entry(item, depth, true)}`).join("");
    }
    return Object.entries(value)
        .map(([key, item]) => `${indent}${scalar(key)}:${entry(item, depth, false)}`)
        .join("");
}

/** The text after a dash or after a key's colon. */
function entry(value: Value, depth: number, inList: boolean): string {
    if (typeof value === "string" && isLiteralSafe(value)) return ` ${literal(value, "  ".repeat(depth + 1))}`;
    const short = isShort(value) ? inline(value) : undefined;
    if (short !== undefined && short.length + 2 * depth <= lineWidth) return ` ${short}\n`;
    if (typeof value === "string") return ` ${scalar(value)}\n`;
    if (!isCollection(value) || isEmpty(value)) return ` ${inline(value)}\n`;
    const text = block(value, depth + 1);
    return inList ? ` ${text.slice(2 * (depth + 1))}` : `\n${text}`;
}

/** Functions and flat collections are short; a map of several settings is easier to read on several lines. */
function isShort(value: Value): boolean {
    if (!isCollection(value) || isEmpty(value)) return false;
    if (Array.isArray(value)) return value.every(item => !isCollection(item) || isEmpty(item) || isCall(item));
    return isCall(value);
}

function isCall(value: Value): boolean {
    if (!isCollection(value) || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return (
        entries.length === 1 &&
        /^[a-z_]+$/.test(entries[0][0]) &&
        (!isCollection(entries[0][1]) || isShort(entries[0][1]))
    );
}

function inline(value: Value): string {
    if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
    if (isCollection(value)) {
        const items = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${inline(item)}`);
        return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
    }
    if (typeof value === "number") return number(value);
    // Old readers end a plain scalar at a colon inside a flow collection.
    return typeof value === "string" ? (value.includes(":") ? quoted(value) : scalar(value)) : String(value);
}

function scalar(text: string): string {
    return isPlainSafe(text) ? text : quoted(text);
}

/** YAML understands JSON's escapes; the other unprintable characters are escaped by number. */
function quoted(text: string): string {
    return JSON.stringify(text).replace(
        /[\u007f-\u00a0\u00ad\u2028\u2029\ufeff\ufffe\uffff]/g,
        char => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

/** Version 1.1 requires a decimal point in a number with an exponent. */
function number(value: number): string {
    if (Number.isNaN(value)) return ".nan";
    if (!Number.isFinite(value)) return value < 0 ? "-.inf" : ".inf";
    if (Object.is(value, -0)) return "0";
    return String(value).replace(/^(-?\d+)e/, "$1.0e");
}

/** Whether a block scalar can hold this multi-line text without loss: it ends with at most one line feed. */
function isLiteralSafe(text: string): boolean {
    return (
        /^[^\s]/.test(text) &&
        text.trimEnd().includes("\n") &&
        /^(?:[\t\x20-\x7e\u00a1-\u00ac\u00ae-\u1fff]*\n)*[\t\x20-\x7e\u00a1-\u00ac\u00ae-\u1fff]*$/.test(text) &&
        !/\n\n$/.test(text) &&
        /\S\n?$/.test(text)
    );
}

function literal(text: string, indent: string): string {
    const ended = text.endsWith("\n");
    const lines = (ended ? text.slice(0, -1) : text).split("\n");
    return `|${ended ? "" : "-"}\n${lines.map(line => (line === "" ? "" : indent + line)).join("\n")}\n`;
}

function isCollection(value: Value): value is Value[] | { [key: string]: Value } {
    return value !== null && typeof value === "object";
}

function isEmpty(value: Value[] | { [key: string]: Value }): boolean {
    return Object.keys(value).length === 0;
}
