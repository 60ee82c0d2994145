import * as pulumi from "@pulumi/pulumi";
import { unknownSetting } from "../../provider/resources/operation-start-inputs";
import { keyedHash } from "../../provider/steps/fingerprint";
import { type DeferredValue, factsOf, resolved, templateOf, whenKnown } from "../../provider/unknown/later";

/**
 * Each value as a keyed hash, which is no secret whatever the value contains; `unknownSetting` while the value is not
 * known. Values may contain outputs at any depth.
 */
export function keyedHashes(
    values: Record<string, unknown>,
    key: pulumi.Output<string>,
): pulumi.Output<Record<string, string>> {
    return pulumi.output(hashes(values, key)) as pulumi.Output<Record<string, string>>;
}

async function hashes(
    values: Record<string, unknown>,
    key: pulumi.Output<string>,
): Promise<pulumi.Output<Record<string, string>>> {
    const all = await Promise.all(
        Object.entries(values).map(async ([name, value]) => {
            const deferred: DeferredValue[] = [];
            const whole = templateOf(value, deferred);
            return {
                name,
                whole,
                deferred,
                known: (await Promise.all(deferred.map(factsOf))).every(({ known }) => known),
            };
        }),
    );
    const keyHoles: DeferredValue[] = [];
    const keyDraft = templateOf(key, keyHoles);
    const deferred = [...keyHoles, ...all.filter(({ known }) => known).flatMap(each => each.deferred)];
    return pulumi.unsecret(
        whenKnown(deferred, found => {
            const hash = (value: unknown) => keyedHash(resolved(keyDraft, found) as string, resolved(value, found));
            return Object.fromEntries(
                all.map(({ name, whole, known }) => [name, known ? hash(whole) : unknownSetting]),
            );
        }),
    ) as pulumi.Output<Record<string, string>>;
}
