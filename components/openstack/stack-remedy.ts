import { ownerTag } from "../../provider/openstack/needs";
import type { LiveStack } from "../../provider/openstack/stack";

/** What is known when an operation on the stack has failed. */
export interface StackTrouble {
    operation: string;
    /** The plug-in's words. */
    error: string;
    /** How often this operation has failed in this run. */
    failures: number;
    /** Undefined: there is none. */
    stack?: LiveStack & { createdAt?: Date };
    /** Tags that our stack bears. */
    tags: readonly string[];
    now: Date;
}

/**
 * `recreate`: delete it, then try again. `wait`: until nothing is in progress, then try again. `again`: in a moment. `explain`:
 * nothing to repair now, say why it failed. `foreign`, `alive`: it is not ours to touch.
 */
export type Remedy = "recreate" | "wait" | "again" | "explain" | "foreign" | "alive" | "none";

const dayMs = 24 * 3600 * 1000;
const mostWaits = 3;
const mostAgain = 10;

/**
 * Plug-in and engine know a stack only when it is complete. So a run that failed or was killed while it was made leaves one that is
 * in nobody's state; nothing has happened on its servers yet, as everything else waits for the stack. The first row that applies.
 */
const remedies: { remedy: Remedy; when: (trouble: Required<StackTrouble>) => boolean }[] = [
    { remedy: "foreign", when: trouble => isTaken(trouble) && !isOurs(trouble) },
    // Complete: only if it is what a killed run has left, not a cluster of which the state was lost.
    { remedy: "alive", when: trouble => isTaken(trouble) && wasUsed(trouble) },
    { remedy: "recreate", when: isTaken },
    {
        remedy: "wait",
        when: ({ operation, error, failures }) => operation === "update" && isBusy(error) && failures <= mostWaits,
    },
    { remedy: "explain", when: () => true },
];

export function remedyOf(trouble: StackTrouble): Remedy {
    const { stack } = trouble;
    // Heat shows no stack some seconds before it gives its name free.
    if (stack === undefined) return isTaken(trouble) && trouble.failures <= mostAgain ? "again" : "none";
    return remedies.find(({ when }) => when({ ...trouble, stack }))!.remedy;
}

function isTaken({ operation, error }: StackTrouble): boolean {
    return operation === "create" && /\balready exists\b/i.test(error);
}

function isBusy(error: string): boolean {
    return /already has an action|in progress|ActionInProgress/i.test(error);
}

function isOurs({ stack, tags }: Required<StackTrouble>): boolean {
    const owner = tags.find(tag => tag.startsWith(`${ownerTag}=`));
    return owner !== undefined && stack.tags.includes(owner);
}

function wasUsed({ stack, now }: Required<StackTrouble>): boolean {
    if (stack.action === "DELETE" || stack.action === "ROLLBACK") return false;
    if (stack.action !== "CREATE") return true;
    const { createdAt } = stack;
    return stack.state === "COMPLETE" && (createdAt === undefined || now.getTime() - createdAt.getTime() > dayMs);
}
