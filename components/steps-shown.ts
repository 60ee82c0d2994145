import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../provider/dynamic";
import { plan, stepTitles } from "../provider/steps/plan";
import type { StepFactory } from "../provider/steps/types";

/**
 * What preview shows of a machine: step title → fingerprint. Before the cluster's identity exists there is no key to make
 * fingerprints with; then the titles of a spec completed by `sample` are shown, each "to do".
 *
 * The result is not secret though secrets went in: a fingerprint is a keyed hash, and its key stays secret.
 */
export function stepsShown<Spec extends object>(
    factories: readonly StepFactory<Spec>[],
    spec: DeepInput<Spec>,
    key: pulumi.Output<string>,
    sample: Partial<Spec>,
): pulumi.Output<Record<string, string>> {
    const titles = (complete: unknown, hashKey: string | undefined) =>
        stepTitles(plan(factories, complete as Spec, hashKey));
    const real = pulumi.unsecret(pulumi.all([spec, key]).apply(([complete, hashKey]) => titles(complete, hashKey)));
    const toDo = () =>
        pulumi.unsecret(
            pulumi.output({ ...(spec as object), ...sample }).apply(complete => titles(complete, undefined)),
        );
    return pulumi.output(isKnown(real).then(known => (known ? real : toDo())));
}

function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
    return (output as unknown as { isKnown: Promise<boolean> }).isKnown;
}
