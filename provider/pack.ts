import * as pulumi from "@pulumi/pulumi";
import { packSecrets } from "./resources/packed";
import { canonicalJson } from "./steps/fingerprint";

/** A value that may arrive later, and its place in the inputs. */
interface Leaf {
    path: string[];
    output: pulumi.Output<unknown>;
}

/**
 * Inputs of a program as they travel (see resources/packed.ts). What lies at `secretPaths` is secret whatever the program says; other
 * values in `spec` are if the program says so.
 */
export function packInputs(inputs: Record<string, unknown>, secretPaths: readonly string[]): Record<string, unknown> {
    const always = secretPaths.flatMap(path => leafAt(inputs, path.split(".")));
    const hidden = new Set(always.map(({ path }) => path.join(".")));
    const open = (name: string) => name !== "spec" && !hidden.has(name);
    const later: Leaf[] = [];
    const draft = takeOutputs(inputs["spec"], ["spec"], hidden, later);
    const parts = Promise.all(
        later.map(async leaf => ({
            ...leaf,
            // What is unknown stays in its place, so that the rest of the spec can be compared.
            secret: (await pulumi.isSecret(leaf.output)) && (await isKnown(leaf.output)),
        })),
    );
    const spec = parts.then(async leaves => {
        const nested = filled(
            draft,
            ["spec"],
            new Map(leaves.filter(({ secret }) => !secret).map(({ path, output }) => [path.join("\n"), output])),
        );
        const whole: pulumi.Output<unknown> = pulumi.output(nested);
        return (await isKnown(whole)) ? whole.apply(canonicalJson) : nested;
    });
    const secrets = parts.then(leaves => {
        const entries = [...always, ...leaves.filter(({ secret }) => secret)];
        return pulumi
            .all(entries.map(({ output }) => output))
            .apply(values => packSecrets(entries.map(({ path }, i) => [path, values[i]])));
    });
    return {
        ...Object.fromEntries(Object.entries(inputs).filter(([name]) => open(name))),
        spec,
        secrets: pulumi.secret(secrets),
    };
}

/** Known data as one text, which is what the engine is quick with; with something unknown in it as it is. */
export async function textOfKnown(value: pulumi.Input<unknown>): Promise<unknown> {
    const whole: pulumi.Output<unknown> = pulumi.output(value);
    return (await isKnown(whole)) ? whole.apply(canonicalJson) : value;
}

/** What lies there; where the path leads into an output, the whole of it. */
function leafAt(inputs: Record<string, unknown>, path: readonly string[]): Leaf[] {
    let value: unknown = inputs;
    for (const [i, key] of path.entries()) {
        if (isLater(value)) return [{ path: path.slice(0, i), output: pulumi.output(value) }];
        value = (value as Record<string, unknown> | undefined)?.[key];
    }
    return value === undefined ? [] : [{ path: [...path], output: pulumi.output(value) }];
}

/** A copy without what arrives later, which is put into `later`, and without what is hidden. */
function takeOutputs(value: unknown, path: string[], hidden: ReadonlySet<string>, later: Leaf[]): unknown {
    if (hidden.has(path.join("."))) return undefined;
    if (isLater(value)) {
        later.push({ path, output: pulumi.output(value) });
        return undefined;
    }
    return mapped(value, (each, key) => takeOutputs(each, [...path, key], hidden, later));
}

/** A copy with the outputs in their places; the places are there, with nothing in them. */
function filled(value: unknown, path: string[], outputs: ReadonlyMap<string, unknown>): unknown {
    const output = outputs.get(path.join("\n"));
    return output ?? mapped(value, (each, key) => filled(each, [...path, key], outputs));
}

function mapped(value: unknown, change: (each: unknown, key: string) => unknown): unknown {
    if (Array.isArray(value)) return value.map((each, i) => change(each, String(i)));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each, key)]));
}

function isLater(value: unknown): boolean {
    return pulumi.Output.isInstance(value) || value instanceof Promise;
}

function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
    return (output as unknown as { isKnown: Promise<boolean> }).isKnown;
}
