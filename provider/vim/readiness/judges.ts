import type { Judge, LiveObject, Verdict } from "./types";

/** One entry of `status.conditions`. */
export interface Condition {
    type: string;
    status: string;
    reason?: string;
    message?: string;
    observedGeneration?: number;
}

export const ready: Verdict = { ready: true, why: "" };

export function notReady(why: string): Verdict {
    return { ready: false, why };
}

/** The conditions at a path: those entries that are conditions. */
export function conditionsOf(object: LiveObject, path = "status.conditions"): Condition[] {
    const found = fieldOf(object, path);
    return Array.isArray(found) ? found.filter(isCondition) : [];
}

function isCondition(each: unknown): each is Condition {
    const { type, status } = (each ?? {}) as Partial<Condition>;
    return typeof type === "string" && typeof status === "string";
}

/** The value at a path like "status.phase", "status.parents.0.name", or "metadata.labels.example\.com/tier". */
export function fieldOf(object: unknown, path: string): unknown {
    const keys = path.split(/(?<!\\)\./).map(key => key.replaceAll("\\.", "."));
    return keys.reduce<unknown>(
        (value, key) =>
            value !== null && typeof value === "object" && Object.hasOwn(value, key)
                ? (value as Record<string, unknown>)[key]
                : undefined,
        object,
    );
}

/** 'Available is False (ScalingUp): 1 of 3 replicas' */
export function conditionText({ type, status, reason, message }: Condition): string {
    return `${type} is ${status}${reason ? ` (${reason})` : ""}${message ? `: ${message.trim()}` : ""}`;
}

/** 'Available=True, RollingOut=False' */
export function conditionList(conditions: readonly Condition[]): string {
    return conditions.map(({ type, status }) => `${type}=${status}`).join(", ");
}

/** The controller has not seen the object's last change yet; undefined: it has, or does not say. */
export function behind(object: LiveObject): string | undefined {
    const { generation } = object.metadata;
    const observed = object.status?.["observedGeneration"];
    if (generation === undefined || observed === undefined || Number(observed) >= generation) return undefined;
    return `its controller has not seen the last change yet (generation ${generation}, observed ${observed})`;
}

/** All of these conditions have the status; if the object has none of them, nothing is said. */
export function judgeConditions(
    object: LiveObject,
    types: readonly string[],
    { status = "True", at = "status.conditions" } = {},
): Verdict | undefined {
    const all = conditionsOf(object, at);
    const found = types.map(type => all.find(each => each.type === type));
    if (found.every(each => each === undefined)) return undefined;
    const { generation = 0 } = object.metadata;
    const wrong = types.flatMap((type, i) => {
        const condition = found[i];
        if (condition === undefined) return [`it has no condition ${type} yet`];
        if (condition.status !== status) return [conditionText(condition)];
        const { observedGeneration = generation } = condition;
        return observedGeneration < generation
            ? [
                  `${type} is ${status} of generation ${observedGeneration}, its controller has not seen ${generation} yet`,
              ]
            : [];
    });
    if (wrong.length > 0) return notReady(wrong.join("; "));
    const isSure =
        object.status?.["observedGeneration"] !== undefined ||
        found.every(condition => condition?.observedGeneration !== undefined);
    return isSure ? ready : { ...ready, unsure: true };
}

/** The names of the pieces of which the table of known kinds is made. */

export const exists: Judge = () => ready;

export const conditions =
    (...types: string[]): Judge =>
    object =>
        judgeConditions(object, types);

export const conditionsAt =
    (at: string, ...types: string[]): Judge =>
    object =>
        judgeConditions(object, types, { at });

/** Compared as texts, regardless of case: controllers write "Running" and "RUNNING". Without a value, any value but false is right. */
export const field =
    (path: string, ...values: string[]): Judge =>
    object => {
        const found = fieldOf(object, path);
        if (found === undefined || found === null || found === "") return undefined;
        const text = typeof found === "object" ? JSON.stringify(found) : String(found);
        const isRight =
            values.length === 0 ? found !== false : values.some(each => each.toLowerCase() === text.toLowerCase());
        if (!isRight) return notReady(`${path} is ${text}`);
        return object.status?.["observedGeneration"] === undefined ? { ...ready, unsure: true } : ready;
    };

/** The first one that has something to say. */
export const firstOf =
    (...judges: Judge[]): Judge =>
    object => {
        for (const judge of judges) {
            const verdict = judge(object);
            if (verdict !== undefined) return verdict;
        }
        return undefined;
    };

/** All of them say that it is ready. */
export const allOf =
    (...judges: Judge[]): Judge =>
    object => {
        const verdicts = judges.map(judge => judge(object));
        const wrong = verdicts.flatMap(verdict => (verdict?.ready === false ? [verdict.why] : []));
        if (wrong.length > 0) return notReady(wrong.join("; "));
        if (verdicts.some(verdict => verdict === undefined)) return undefined;
        return verdicts.find(verdict => verdict?.unsure) ?? ready;
    };

/** Not ready while one of these conditions is True: the object is on its way from one state to another. */
export const notWhile =
    (...types: string[]): Judge =>
    object => {
        const under = conditionsOf(object).filter(({ type, status }) => types.includes(type) && status === "True");
        return under.length === 0 ? ready : notReady(under.map(conditionText).join("; "));
    };

/** Each entry of a list (a route's parents) has these conditions. */
export const eachOf =
    (path: string, ...types: string[]): Judge =>
    object => {
        const entries = fieldOf(object, path);
        if (!Array.isArray(entries) || entries.length === 0) return undefined;
        const verdicts = entries.map((entry, i) => {
            const part = { ...object, status: entry as Record<string, unknown> };
            return judgeConditions(part, types) ?? notReady(`${path}.${i} has no condition ${types.join(", ")} yet`);
        });
        return verdicts.find(verdict => !verdict.ready) ?? verdicts[0];
    };

/** Its conditions never belong to a former state: the judged fields cannot change. */
export const sure =
    (judge: Judge): Judge =>
    object => {
        const verdict = judge(object);
        return verdict?.ready ? ready : verdict;
    };

/** For objects whose spec has this value. */
export const when =
    (path: string, value: string, judge: Judge, otherwise: Judge): Judge =>
    object =>
        (fieldOf(object, path) === value ? judge : otherwise)(object);
