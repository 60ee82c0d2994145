import { fingerprint } from "./fingerprint";
import type { Fingerprints, Step, StepBody, StepFactory } from "./types";

/**
 * The ordered steps that bring a machine to what `spec` says. Pure: same spec and key, same plan. `key` (secret) is
 * undefined until the cluster's identity exists: all fingerprints are then "to do".
 *
 * The order of keys is in the files that steps write. A program and the engine may give the same spec in different
 * orders, so the steps always get sorted keys.
 */
export function plan<Spec>(factories: readonly StepFactory<Spec>[], spec: Spec, key: string | undefined): Step[] {
    const inOrder = withSortedKeys(spec);
    const bodies = factories.map(factory => factory(inOrder)).filter((body): body is StepBody => body !== undefined);
    refuse(bodies.find(body => !/^[a-z0-9][a-zA-Z0-9.-]*$/.test(body.id))?.id, "cannot be the id of a step");
    refuse(firstTwice(bodies.map(body => body.id)), "is the id of two steps");
    refuse(firstTwice(bodies.map(body => body.title)), "is the title of two steps");
    return bodies.map(body => ({ ...body, fingerprint: fingerprint(body, key) }));
}

/**
 * The steps of `meanwhile` with the fingerprints of `wanted`: for now, these steps write an intermediate state, which a
 * later part of the run turns into the wanted one.
 */
export function planOnTheWay<Spec>(
    factories: readonly StepFactory<Spec>[],
    { wanted, meanwhile }: { wanted: Spec; meanwhile: Spec },
    key: string | undefined,
): Step[] {
    const fingerprints = new Map(plan(factories, wanted, key).map(step => [step.id, step.fingerprint]));
    return plan(factories, meanwhile, key).map(step => ({
        ...step,
        fingerprint: fingerprints.get(step.id) ?? step.fingerprint,
    }));
}

/** The plan as the preview shows it: title → fingerprint. */
export function stepTitles(steps: readonly Step[]): Record<string, string> {
    return Object.fromEntries(steps.map(step => [step.title, step.fingerprint]));
}

/** The steps that are not recorded with their current fingerprint, in order. */
export function stale(steps: readonly Step[], done: Fingerprints): Step[] {
    return steps.filter(step => isStale(step, done));
}

export function isStale({ id, fingerprint }: Step, done: Fingerprints): boolean {
    return done[id] !== fingerprint;
}

function withSortedKeys<T>(value: T): T {
    if (Array.isArray(value)) return value.map(withSortedKeys) as T;
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, each]) => [key, withSortedKeys(each)])) as T;
}

function firstTwice(values: readonly string[]): string | undefined {
    return values.find((value, i) => values.indexOf(value) !== i);
}

function refuse(value: string | undefined, why: string): void {
    if (value !== undefined) throw new Error(`"${value}" ${why}`);
}
