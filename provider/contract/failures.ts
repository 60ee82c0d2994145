import { NfvError } from "../common/errors";
import { runFacts } from "./run-facts";
import type { InSession } from "./types";

/** Notes that a resource of ours was refused, or could not be made or changed. */
export function noteFailure(context: InSession, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    runFacts(context).did.failed ??= text.split("\n").slice(0, 2).join(" ").trim();
}

/**
 * With --continue-on-error the engine goes on behind a failure: what is registered last must not take it that all others have stored what they were given.
 * @throws ROTATION_FAILED if something failed in this run
 */
export function refuseRotationAfterFailure(context: InSession, step: string): void {
    const { failed } = runFacts(context).did;
    if (failed === undefined) return;
    throw new NfvError({
        code: "ROTATION_FAILED",
        step,
        cause: `something failed in this run, and its state may have the former key alone: ${failed}: no machine was touched`,
        hint: "Correct that first, and run pulumi up again.",
    });
}

/**
 * `pulumi up --continue-on-error` goes on to delete what the program no longer has. After a renaming, that is the living cluster that
 * could not be made under its new name.
 * @throws INVALID_INPUT if something failed in this run
 */
export function refuseAfterFailure(context: InSession, type: string): void {
    const { failed } = runFacts(context).did;
    if (failed === undefined) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: type,
        step: "delete",
        cause: `not everything that the program has could be made in this run, so nothing is taken away: what would go may be a cluster under its former name. What failed: ${failed}`,
        hint: "Correct that first, and run pulumi up again. Was the cluster's resource renamed, give the new one an alias of the old name (options.aliases).",
    });
}
