import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../provider/adapters/dynamic";
import { type DeferredValue, factsOf, resolved, templateOf, valuesOf, whenKnown } from "../../provider/adapters/later";
import { plan, stepTitles } from "../../provider/steps/plan";
import type { StepFactory } from "../../provider/steps/types";

/** The same spec with two different placeholders for each value that is not known at preview, such as a new server's address. */
export type StandIns<Spec> = readonly [DeepInput<Spec>, DeepInput<Spec>];

/**
 * What preview shows of a machine: step title → fingerprint. Before the cluster's identity exists there is no key for fingerprints;
 * then the titles are shown, from a spec completed by `sample`, each with "to do". Later, "to do" marks the steps that depend on an
 * unknown value: their fingerprints differ between the two `standIns`.
 *
 * The result is not secret although its inputs are: a fingerprint is a keyed hash, and the key stays secret. If all inputs are known, the
 * result is plain: outputs are slow, and the spec and the key already carry the dependencies.
 */
export async function plannedSteps<Spec extends object>(
    factories: readonly StepFactory<Spec>[],
    spec: DeepInput<Spec>,
    key: pulumi.Output<string>,
    sample: Partial<Spec>,
    standIns?: StandIns<Spec>,
): Promise<pulumi.Output<Record<string, string>> | Record<string, string>> {
    const titles = (complete: unknown, hashKey: unknown) =>
        stepTitles(plan(factories, complete as Spec, hashKey as string | undefined));
    const real = later({ spec, key });
    if (await real.known()) {
        const { spec: complete, key: hashKey } = await real.values();
        return titles(complete, hashKey);
    }
    const [one, other] = standIns ?? [spec, spec];
    const half = later({ one, other, key });
    if (standIns !== undefined && (await half.known())) {
        return half.output(({ one: a, other: b, key: hashKey }) => common(titles(a, hashKey), titles(b, hashKey)));
    }
    return later({ ...(one as object), ...sample }).output(complete => titles(complete, undefined));
}

/** The parts once they are known, no longer marked as secret. */
function later(parts: Record<string, unknown>) {
    const deferred: DeferredValue[] = [];
    const whole = templateOf(parts, deferred);
    return {
        known: async () => (await Promise.all(deferred.map(factsOf))).every(({ known }) => known),
        values: async () => resolved(whole, await valuesOf(deferred)) as Record<string, unknown>,
        output: <T>(change: (values: Record<string, unknown>) => T): pulumi.Output<T> =>
            pulumi.unsecret(
                whenKnown(deferred, found => change(resolved(whole, found) as Record<string, unknown>)),
            ) as pulumi.Output<T>,
    };
}

function common(one: Record<string, string>, other: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
        Object.entries(one).map(([title, print]) => [title, print === other[title] ? print : "to do"]),
    );
}
