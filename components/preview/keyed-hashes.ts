import * as pulumi from "@pulumi/pulumi";
import { draft, factsOf, filled, type Hole, whenKnown } from "../../provider/later";
import { unknownSetting } from "../../provider/resources/operation-start-inputs";
import { keyedHash } from "../../provider/steps/fingerprint";

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
            const holes: Hole[] = [];
            const whole = draft(value, holes);
            return { name, whole, holes, known: (await Promise.all(holes.map(factsOf))).every(({ known }) => known) };
        }),
    );
    const keyHoles: Hole[] = [];
    const keyDraft = draft(key, keyHoles);
    const holes = [...keyHoles, ...all.filter(({ known }) => known).flatMap(each => each.holes)];
    return pulumi.unsecret(
        whenKnown(holes, found => {
            const hash = (value: unknown) => keyedHash(filled(keyDraft, found) as string, filled(value, found));
            return Object.fromEntries(
                all.map(({ name, whole, known }) => [name, known ? hash(whole) : unknownSetting]),
            );
        }),
    ) as pulumi.Output<Record<string, string>>;
}
