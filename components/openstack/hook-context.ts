import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../provider/dynamic";
import type { Context } from "../../provider/resources/types";

/** Where a hook says what it does: in the row of this resource. */
export function contextOf(parent: pulumi.Resource): Context {
    return {
        report: text => void pulumi.log.info(text, parent, undefined, true),
        warn: text => void pulumi.log.warn(text, parent),
        urn: "",
    };
}

/** Of what is known by the time a hook runs: it is run by an up, for a resource that waits for all of it. */
export function knownValue<T>(input: DeepInput<T>): Promise<T> {
    return new Promise(resolve => void pulumi.output(input).apply(resolve as never));
}
