import * as pulumi from "@pulumi/pulumi";
import { isKnown } from "./later";

/** The value; at preview, while it is not known, `standIn`. */
export function orPlaceholder<T>(value: pulumi.Input<T>, standIn: T): pulumi.Output<T> {
    const output = pulumi.output(value) as pulumi.Output<T>;
    return pulumi.output(isKnown(output).then(known => (known ? output : standIn))) as pulumi.Output<T>;
}
