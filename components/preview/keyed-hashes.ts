import * as pulumi from "@pulumi/pulumi";
import { type DeferredValue, factsOf, resolved, templateOf, whenKnown } from "../../provider/adapters/later";
import { unknownSetting } from "../../provider/operation/operation-start-inputs";
import { keyedHash } from "../../provider/steps/fingerprint";

/**
 * Each value as a keyed hash, which is no secret whatever the value contains; `unknownSetting` while the value is not
 * known. Values may contain outputs at any depth. `derived`: what is hashed of a value, once it is known.
 */
export function keyedHashes(
    values: Record<string, unknown>,
    key: pulumi.Output<string>,
    derived: Derived = value => value,
): pulumi.Output<Record<string, string>> {
    return pulumi.output(hashes(values, key, derived)) as pulumi.Output<Record<string, string>>;
}

type Derived = (value: unknown, name: string, key: string) => unknown;

async function hashes(
    values: Record<string, unknown>,
    key: pulumi.Output<string>,
    derived: Derived,
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
            const known = resolved(keyDraft, found) as string;
            const hash = (name: string, value: unknown) =>
                keyedHash(known, derived(resolved(value, found), name, known));
            return Object.fromEntries(
                all.map(({ name, whole, known: isKnown }) => [name, isKnown ? hash(name, whole) : unknownSetting]),
            );
        }),
    ) as pulumi.Output<Record<string, string>>;
}
