import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../provider/dynamic";
import { plan, stepTitles } from "../provider/steps/plan";
import type { StepFactory } from "../provider/steps/types";
import { isKnown } from "./known-or";

/** The same thing with two different values in place of each that is not known at preview: an address of a server to be made. */
export type StandIns<Spec> = readonly [DeepInput<Spec>, DeepInput<Spec>];

/**
 * What preview shows of a machine: step title → fingerprint. Before the cluster's identity exists there is no key to make
 * fingerprints with; then the titles of a spec completed by `sample` are shown, each "to do". So are, later, the steps that hang on
 * what is not known yet: those whose fingerprints differ between the two `standIns`.
 *
 * The result is not secret though secrets went in: a fingerprint is a keyed hash, and its key stays secret.
 */
export function stepsShown<Spec extends object>(
    factories: readonly StepFactory<Spec>[],
    spec: DeepInput<Spec>,
    key: pulumi.Output<string>,
    sample: Partial<Spec>,
    standIns?: StandIns<Spec>,
): pulumi.Output<Record<string, string>> {
    const titles = (complete: unknown, hashKey: string | undefined) =>
        stepTitles(plan(factories, complete as Spec, hashKey));
    const real = pulumi.unsecret(pulumi.all([spec, key]).apply(([complete, hashKey]) => titles(complete, hashKey)));
    const [one, other] = standIns ?? [spec, spec];
    const partly = () =>
        pulumi.unsecret(
            pulumi.all([one, other, key]).apply(([a, b, hashKey]) => common(titles(a, hashKey), titles(b, hashKey))),
        );
    const toDo = () =>
        pulumi.unsecret(
            pulumi.output({ ...(one as object), ...sample }).apply(complete => titles(complete, undefined)),
        );
    const shown = async () => {
        if (await isKnown(real)) return real;
        const half = partly();
        return standIns !== undefined && (await isKnown(half)) ? half : toDo();
    };
    return pulumi.output(shown());
}

function common(one: Record<string, string>, other: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
        Object.entries(one).map(([title, print]) => [title, print === other[title] ? print : "to do"]),
    );
}
