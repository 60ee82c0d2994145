import { NfvError } from "../errors";
import type { InSession } from "./types";

/** What this run was refused because it belongs to somebody else: "m1: this machine is …". */
class Refusals extends Set<string> {}

/** Notes that a machine or a server belongs to another cluster, which may be ours under its former name. */
export function noteRefusal(context: InSession | undefined, what: string): void {
    context?.session.part(Refusals).add(what);
}

/**
 * `pulumi up --continue-on-error` goes on to delete what the program no longer has. After a renaming, that is the living cluster whose
 * machines the new name was refused.
 * @throws FOREIGN_NODE
 */
export function refuseAfterRefusal({ session }: InSession, name: string): void {
    const [first] = session.part(Refusals);
    if (first === undefined) return;
    throw new NfvError({
        code: "FOREIGN_NODE",
        node: name,
        step: "leave",
        cause: `this run was refused what belongs to another cluster (${first}), so it takes nothing away: the other cluster may be this one under its former name`,
        hint: "Correct the program first. Was the cluster's resource renamed, give the new one an alias of the old name (options.aliases).",
    });
}
