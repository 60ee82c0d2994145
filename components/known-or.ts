import * as pulumi from "@pulumi/pulumi";

/** The value, or what stands for it as long as it is not known: only at preview. */
export function knownOr<T>(value: pulumi.Input<T>, standIn: T): pulumi.Output<T> {
    const output = pulumi.output(value) as pulumi.Output<T>;
    const { isKnown } = output as unknown as { isKnown: Promise<boolean> };
    return pulumi.output(isKnown.then(known => (known ? output : standIn))) as pulumi.Output<T>;
}

/** Whether anything in it is unknown. */
export function isKnown(value: unknown): Promise<boolean> {
    return (pulumi.output(value) as unknown as { isKnown: Promise<boolean> }).isKnown;
}
