import { NfvError } from "../common/errors";
import { runFacts } from "./run-facts";
import type { Context } from "./types";

/**
 * The machine may know more to do than the state said, for which the plan was made: one that was rebuilt has nothing done.
 * @throws PLAN_CHANGED
 */
export function refuseUnplanned(context: Pick<Context, "session" | "urn">, node: string, step: string): void {
    if (runFacts(context).program.plannedSteps.get(context.urn)?.(step) !== false) return;
    throw new NfvError({
        code: "PLAN_CHANGED",
        node,
        step,
        cause: "the machine asks for this, and the plan of the run does not name it",
        hint: "It was not done. Look at the machine: it may have been rebuilt or changed. Preview again with a refresh, and run that plan.",
    });
}
