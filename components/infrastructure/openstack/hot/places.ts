import { NfvError } from "../../../../provider/common/errors";

/** Position of a value. Lines count from 1. */
export interface Place {
    file: string;
    line: number;
    /** Lines of a map's keys, or of a list's items. */
    entries: Record<string, number>;
}

const places = new WeakMap<object, Place>();

export function setPlace(value: object, place: Place): void {
    places.set(value, place);
}

/** Copies the position of `origin` to a value made from it, so that a later error still names the user's line. */
export function keepPlace<T>(value: T, origin: unknown): T {
    const place = origin !== null && typeof origin === "object" ? places.get(origin) : undefined;
    if (place && value !== null && typeof value === "object" && !places.has(value)) places.set(value, place);
    return value;
}

/** `file:line` of a value, or of an entry of it; undefined for a value that comes from no file. */
export function placeText(value: unknown, entry?: string | number): string | undefined {
    const place = value !== null && typeof value === "object" ? places.get(value) : undefined;
    if (!place) return undefined;
    return `${place.file}:${(entry === undefined ? undefined : place.entries[entry]) ?? place.line}`;
}

/** An error in a template: `file:line`, what is wrong, what to do. */
export function templateError(where: string | undefined, cause: string, hint?: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", step: where, cause, hint });
}
