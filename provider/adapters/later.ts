import * as pulumi from "@pulumi/pulumi";
import { programSession } from "./hooks";

/**
 * Values in which some parts arrive later. pulumi.output() makes outputs for every nested object, again for each node;
 * that was most of the cost of a large cluster's preview. Here, a program resolves each output once, however many
 * resources use it.
 */

/** Stands for a deferred value at its place in a template. */
export class DeferredValue {
    constructor(
        readonly path: readonly string[],
        readonly output: pulumi.Output<unknown>,
    ) {}
}

/** A copy of a value in which a DeferredValue stands for each part that arrives later; all are also appended to `deferred`. */
export function templateOf(
    value: unknown,
    deferred: DeferredValue[],
    path: readonly string[] = [],
    isHidden: (path: readonly string[]) => boolean = () => false,
): unknown {
    if (isHidden(path)) return undefined;
    if (!isLater(value)) return mapped(value, (each, key) => templateOf(each, deferred, [...path, key], isHidden));
    const deferredValue = new DeferredValue(path, outputOf(value));
    deferred.push(deferredValue);
    return deferredValue;
}

/** The template with its deferred values filled in. */
export function resolved(value: unknown, fill: (deferredValue: DeferredValue) => unknown): unknown {
    return value instanceof DeferredValue ? fill(value) : mapped(value, each => resolved(each, fill));
}

/**
 * Applies `change` to the deferred values. The result is secret if one of them is, or if asked for, and has their
 * dependencies.
 */
export function whenKnown<T>(
    deferred: readonly DeferredValue[],
    change: (found: (deferredValue: DeferredValue) => unknown) => T,
    { secret = false } = {},
): pulumi.Output<T> {
    const outputs = outputsOf(deferred);
    const { open, closed } = together(outputs);
    return (secret ? closed() : open).apply(values => change(findIn(outputs, values))) as pulumi.Output<T>;
}

/** The deferred values that are known. */
export async function valuesOf(deferred: readonly DeferredValue[]): Promise<(deferredValue: DeferredValue) => unknown> {
    const outputs = outputsOf(deferred);
    return findIn(outputs, await together(outputs).values());
}

function outputsOf(deferred: readonly DeferredValue[]): pulumi.Output<unknown>[] {
    return [...new Set(deferred.map(({ output }) => output))];
}

function findIn(
    outputs: readonly pulumi.Output<unknown>[],
    values: readonly unknown[],
): (deferredValue: DeferredValue) => unknown {
    const byOutput = new Map(outputs.map((output, i) => [output, values[i]]));
    return ({ output }) => byOutput.get(output);
}

/** Whether an output's value is known, and whether it is secret. */
export interface Facts {
    known: boolean;
    secret: boolean;
}

const facts = new WeakMap<pulumi.Output<unknown>, Promise<Facts>>();

export function factsOf({ output }: DeferredValue): Promise<Facts> {
    let found = facts.get(output);
    if (found === undefined) {
        found = Promise.all([isKnown(output), pulumi.isSecret(output)]).then(([known, secret]) => ({ known, secret }));
        facts.set(output, found);
    }
    return found;
}

export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
    return (output as unknown as { isKnown: Promise<boolean> }).isKnown;
}

/** The value without the resources that it depends on. */
export function withoutDependencies(value: unknown): unknown {
    if (value instanceof Promise) return value.then(withoutDependencies);
    if (!pulumi.Output.isInstance(value)) return value;
    const output = value as unknown as { promise(unknowns: boolean): object; isKnown: object; isSecret: object };
    const none = new Set();
    const Output = pulumi.Output as unknown as new (...parts: unknown[]) => pulumi.Output<unknown>;
    return new Output(none, output.promise(true), output.isKnown, output.isSecret, Promise.resolve(none));
}

/** For `dependsOn`: the resources on which the value depends. */
export function dependenciesOf(value: unknown): pulumi.Output<pulumi.Resource[]> {
    return (pulumi.output(value) as pulumi.Output<unknown>).apply(() => []);
}

/** Resolves when the output is known; at preview it may never be. */
export function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
    return (output as unknown as { promise(): Promise<T> }).promise();
}

/** At preview, undefined while the value is not known. The result carries no secret. */
export async function valueIfKnown<T>(output: pulumi.Output<T>): Promise<T | undefined> {
    return (await isKnown(output)) ? promiseOf(output) : undefined;
}

export function isLater(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
    return pulumi.Output.isInstance(value) || value instanceof Promise;
}

const outputs = new WeakMap<object, pulumi.Output<unknown>>();

/**
 * The output of a value, resolved deeply: outputs within it are awaited, too. The same value always gives the same
 * output.
 */
function outputOf(value: pulumi.Output<unknown> | Promise<unknown>): pulumi.Output<unknown> {
    let found = outputs.get(value);
    if (found === undefined) {
        found = pulumi.output(value);
        outputs.set(value, found);
    }
    return found;
}

/** The groups of one program, by the numbers of their members. */
class Groups {
    readonly all = new Map<string, Group>();
    private readonly numbers = new Map<pulumi.Output<unknown>, number>();

    numberOf(output: pulumi.Output<unknown>): number {
        const number = this.numbers.get(output) ?? this.numbers.size;
        this.numbers.set(output, number);
        return number;
    }
}

interface Group {
    open: pulumi.Output<unknown[]>;
    /** The values as a secret. */
    closed(): pulumi.Output<unknown[]>;
    values(): Promise<unknown[]>;
}

/** Each node asks for the same outputs, so one combined output per set of outputs is kept. */
function together(members: readonly pulumi.Output<unknown>[]): Group {
    const groups = programSession().part(Groups);
    const key = members.map(member => groups.numberOf(member)).join();
    let group = groups.all.get(key);
    if (group === undefined) {
        const open = pulumi.all([...members]) as pulumi.Output<unknown[]>;
        let closed: pulumi.Output<unknown[]> | undefined;
        let values: Promise<unknown[]> | undefined;
        group = {
            open,
            closed: () => (closed ??= pulumi.secret(open)),
            values: () => (values ??= promiseOf(open)),
        };
        groups.all.set(key, group);
    }
    return group;
}

function mapped(value: unknown, change: (each: unknown, key: string) => unknown): unknown {
    if (Array.isArray(value)) return value.map((each, i) => change(each, String(i)));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each, key)]));
}
