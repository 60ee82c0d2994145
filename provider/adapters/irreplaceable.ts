import { NfvError } from "../common/errors";
import type { CheckFailure } from "../contract/types";
import { descriptorOf } from "./descriptors";

/** Whether a resource of this type records what exists, and so cannot be replaced. */
export function isMemory(type: string): boolean {
    return descriptorOf(type)?.irreplaceable !== undefined;
}

/**
 * Refuses `pulumi up --replace` and `pulumi state taint` for such a resource. For both, the engine bypasses `diff` and
 * calls `check` without the old inputs, as for a new resource. `known`: the program found its URN in the stack's state.
 */
export function refusedReplacement(type: string, olds: object, known: unknown, urn: unknown): CheckFailure[] {
    const why = descriptorOf(type)?.irreplaceable;
    if (why === undefined || known !== true || Object.keys(olds).length > 0) return [];
    const error = new NfvError({
        code: "INVALID_INPUT",
        node: type,
        cause: `it cannot be replaced: ${why}; nothing was touched`,
        hint: `Leave it out of --replace. Where it is tainted: pulumi state untaint '${String(urn)}'.`,
    });
    return [{ property: "", reason: error.message }];
}
