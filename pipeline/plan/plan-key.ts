import { createHash } from "node:crypto";
import { canonicalJson } from "../../provider/steps/fingerprint";
import { resourcesIn, type StateResource } from "../../tools/check/stack-state";

/**
 * The key of the hashes of secrets in a plan, of what is secret and random in the stack's state: so a preview and the run of its plan have the same one, and who has
 * only the plan cannot try guesses. `exported`: `pulumi stack export --show-secrets`. Undefined: the state has nothing of the kind yet. Pure.
 */
export function planKey(exported: unknown): string | undefined {
    const resources = resourcesOf(exported);
    const clusters = resources.map(({ outputs }) => outputs["fingerprintKey"]).filter(isKey);
    // A stack of network functions alone has the access to their clusters.
    const accesses = resources.flatMap(({ outputs: { access } }) => (access ? [canonicalJson(access)] : []));
    const [first] = clusters.length > 0 ? clusters : accesses;
    if (first === undefined) return undefined;
    const all = [...new Set(clusters.length > 0 ? clusters : accesses)].sort();
    return createHash("sha256")
        .update(canonicalJson(["hash of a plan", all]))
        .digest("hex");
}

/** A state that cannot be read has no key: the preview says why, or that no secret is covered. */
function resourcesOf(exported: unknown): StateResource[] {
    try {
        return resourcesIn(JSON.stringify(exported));
    } catch {
        return [];
    }
}

const isKey = (value: unknown): value is string => typeof value === "string" && value.length >= 16;
