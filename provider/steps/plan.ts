import { fingerprint } from "./fingerprint";
import type { Fingerprints, Step, StepBody, StepFactory } from "./types";

/**
 * The ordered steps that bring a machine to what `spec` says. Pure: same spec and key, same plan.
 * `key` (secret) is undefined while the cluster's identity does not exist yet: all fingerprints are then "to do".
 */
export function plan<Spec>(factories: readonly StepFactory<Spec>[], spec: Spec, key: string | undefined): Step[] {
    const bodies = factories.map(factory => factory(spec)).filter((body): body is StepBody => body !== undefined);
    refuse(bodies.find(body => !/^[a-z0-9][a-zA-Z0-9.-]*$/.test(body.id))?.id, "cannot be the id of a step");
    refuse(firstTwice(bodies.map(body => body.id)), "is the id of two steps");
    refuse(firstTwice(bodies.map(body => body.title)), "is the title of two steps");
    return bodies.map(body => ({ ...body, fingerprint: fingerprint(body, key) }));
}

/**
 * The steps of `meanwhile` with the fingerprints of `wanted`: on the way the same steps put something else there, and what follows makes
 * of it what is wanted.
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

/** What preview shows of a plan: title → fingerprint. */
export function stepTitles(steps: readonly Step[]): Record<string, string> {
    return Object.fromEntries(steps.map(step => [step.title, step.fingerprint]));
}

/** The steps that are not recorded with the fingerprint that they have now, in order. */
export function stale(steps: readonly Step[], done: Fingerprints): Step[] {
    return steps.filter(step => isStale(step, done));
}

export function isStale({ id, fingerprint }: Step, done: Fingerprints): boolean {
    return done[id] !== fingerprint;
}

function firstTwice(values: readonly string[]): string | undefined {
    return values.find((value, i) => values.indexOf(value) !== i);
}

function refuse(value: string | undefined, why: string): void {
    if (value !== undefined) throw new Error(`"${value}" ${why}`);
}
