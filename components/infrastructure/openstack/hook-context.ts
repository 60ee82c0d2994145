import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../../provider/adapters/dynamic";
import { programSession } from "../../../provider/adapters/hooks";
import type { Context } from "../../../provider/contract/types";

/** A hook reports in the row of this resource. Call it where the hook is registered: see programSession. */
export function contextOf(parent: pulumi.Resource): Context {
    return {
        session: programSession(),
        report: text => void pulumi.log.info(text, parent, undefined, true),
        warn: text => void pulumi.log.warn(text, parent),
        note: text => void pulumi.log.info(text, parent),
        urn: "",
    };
}

/** The value of an input. It is known when a hook runs, because hooks run in an `up` and for a resource that waits for it. */
export function knownValue<T>(input: DeepInput<T>): Promise<T> {
    return new Promise(resolve => void pulumi.output(input).apply(resolve as never));
}
