import * as pulumi from "@pulumi/pulumi";
import { isKnown } from "../provider/later";

/** The value, or what stands for it as long as it is not known: only at preview. */
export function knownOr<T>(value: pulumi.Input<T>, standIn: T): pulumi.Output<T> {
    const output = pulumi.output(value) as pulumi.Output<T>;
    return pulumi.output(isKnown(output).then(known => (known ? output : standIn))) as pulumi.Output<T>;
}
