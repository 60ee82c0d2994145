import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { DeferredValue, factsOf, resolved, templateOf, valuesOf } from "../../provider/adapters/later";
import { canonicalJson } from "../../provider/steps/fingerprint";

/**
 * A hash of the values, at the preview of a cluster that does not exist yet: there is no key for other hashes then, and the hash by which a plan is approved
 * must cover what the program says. Undefined otherwise. Secrets and what is not known yet are left out: without a key, their hash could be guessed.
 */
export async function firstContent(
    values: Record<string, unknown>,
    key: pulumi.Output<string>,
): Promise<string | undefined> {
    if (!pulumi.runtime.isDryRun() || (await factsOf(new DeferredValue([], key))).known) return undefined;
    const deferred: DeferredValue[] = [];
    const whole = templateOf(values, deferred);
    const facts = await Promise.all(deferred.map(factsOf));
    const open = new Set(deferred.filter((_, i) => facts[i]!.known && !facts[i]!.secret));
    const found = await valuesOf([...open]);
    const content = resolved(whole, each => (open.has(each) ? found(each) : "left out"));
    return createHash("sha256").update(canonicalJson(content)).digest("hex").slice(0, 24);
}
