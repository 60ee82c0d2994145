import * as pulumi from "@pulumi/pulumi";
import { packSecrets, type SecretEntry } from "../contract/packed";
import { canonicalJson } from "../steps/fingerprint";
import { type DeferredValue, factsOf, isKnown, isLater, resolved, templateOf, whenKnown } from "./later";

/**
 * A program's inputs in the form in which they are sent to the engine (see ../contract/packed.ts). Values at
 * `secretPaths` are always secret; other values in `spec` are secret if the program marks them so.
 */
export function packInputs(inputs: Record<string, unknown>, secretPaths: readonly string[]): Record<string, unknown> {
    const always = secretPaths.flatMap(path => partAt(inputs, path.split(".")));
    const hidden = new Set(always.map(([path]) => path.join(".")));
    const deferredSecrets: DeferredValue[] = [];
    const entries = templateOf(always, deferredSecrets) as SecretEntry[];
    const deferredInSpec: DeferredValue[] = [];
    const spec = templateOf(inputs["spec"], deferredInSpec, ["spec"], path => hidden.has(path.join(".")));
    const looked = Promise.all(
        deferredInSpec.map(async deferredValue => ({ deferredValue, ...(await factsOf(deferredValue)) })),
    );
    const others = Object.entries(inputs).filter(([name]) => !inSpec.includes(name) && !hidden.has(name));
    return {
        ...Object.fromEntries(others),
        spec: looked.then(async deferred => {
            // Unknown values stay in their places, so that the rest of the spec can be compared.
            const concealed = new Set(
                deferred.filter(({ secret, known }) => secret && known).map(({ deferredValue }) => deferredValue),
            );
            const open = deferred.filter(({ deferredValue }) => !concealed.has(deferredValue));
            const [steps, resourceUrn] = await Promise.all([inputs["steps"], inputs["resourceUrn"]]);
            const fill = (use: (deferredValue: DeferredValue) => unknown) =>
                resolved(spec, deferredValue => (concealed.has(deferredValue) ? undefined : use(deferredValue))) as
                    | object
                    | undefined;
            if (open.some(({ known }) => !known)) {
                const nested = fill(({ output }) => output);
                return pulumi.Output.isInstance(nested) ? nested : { ...nested, steps, resourceUrn };
            }
            return whenKnown(
                open.map(({ deferredValue }) => deferredValue),
                found => {
                    const known = fill(found);
                    const text = (shown: unknown) => canonicalJson({ ...known, steps: shown, resourceUrn });
                    return pulumi.Output.isInstance(steps) ? steps.apply(text) : text(steps);
                },
            );
        }),
        secrets: looked.then(deferred => {
            const concealed = deferred
                .filter(({ secret, known }) => secret && known)
                .map(({ deferredValue }) => deferredValue);
            return whenKnown(
                [...deferredSecrets, ...concealed],
                found =>
                    packSecrets([
                        ...(resolved(entries, found) as SecretEntry[]),
                        ...concealed.map((deferredValue): SecretEntry => [deferredValue.path, found(deferredValue)]),
                    ]),
                { secret: true },
            );
        }),
    };
}

/** Known data as one text, which the engine processes fastest. If a part is unknown, the data unchanged: no text then. */
export async function textOfKnown(value: pulumi.Input<unknown>): Promise<string> {
    const whole: pulumi.Output<unknown> = pulumi.output(value);
    return ((await isKnown(whole)) ? whole.apply(canonicalJson) : value) as unknown as string;
}

/** The inputs that are sent within the spec's text. */
const inSpec = ["spec", "steps", "resourceUrn"];

/** The values at the path. Where it leads into an output, the whole output. */
function partAt(inputs: Record<string, unknown>, path: readonly string[]): SecretEntry[] {
    let value: unknown = inputs;
    for (const [i, key] of path.entries()) {
        if (isLater(value)) return [[path.slice(0, i), value]];
        value = (value as Record<string, unknown> | undefined)?.[key];
    }
    return value === undefined ? [] : [[[...path], value]];
}
