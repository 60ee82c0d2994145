import { clusterKey, ownerTag, pulumiStackKey } from "../../../../provider/openstack/requirements";
import type { LiveStack } from "../../../../provider/openstack/stack";

/** What is known when an operation on the stack has failed. */
export interface StackFailure {
    operation: string;
    /** The plug-in's error text. */
    error: string;
    /** How often this operation has failed in this run. */
    failures: number;
    /** Undefined: there is no stack. */
    stack?: LiveStack;
    /** Tags of our stack. */
    tags: readonly string[];
    /** Whether the servers hold a cluster, if `dependsOnMachines`; undefined: not all of them could be asked, or none was. */
    machines?: "blank" | "used";
}

/**
 * `recreate`: delete it, then try again. `busy`: another change is in progress. `again`: try again in a moment.
 * `explain`: cannot be repaired now, report why it failed. `foreign`: not ours. `alive`: in use. `unclear`: its servers do not answer.
 */
export type RecoveryAction = "recreate" | "busy" | "again" | "explain" | "foreign" | "alive" | "unclear" | "none";

const mostAgain = 10;

/**
 * Plug-in and engine know a stack only when it is complete. So a run that failed or was killed during its creation leaves a stack that
 * is in no state. Its servers are unused, because everything else waits for the stack. The first row that applies decides.
 */
const remedies: { remedy: RecoveryAction; when: (trouble: FailureOfStack) => boolean }[] = [
    { remedy: "foreign", when: trouble => isTaken(trouble) && !isOurs(trouble) },
    { remedy: "alive", when: trouble => isTaken(trouble) && wasUsed(trouble) },
    // Recreate a stack only if a killed run left it, not if it holds a cluster whose state was lost.
    {
        remedy: "unclear",
        when: trouble => isTaken(trouble) && mayHoldCluster(trouble) && trouble.machines === undefined,
    },
    { remedy: "recreate", when: isTaken },
    // Not tried again: the engine would not run the hook again that looks what Heat would replace.
    { remedy: "busy", when: ({ operation, error }) => operation === "update" && isBusy(error) },
    { remedy: "explain", when: () => true },
];

type FailureOfStack = StackFailure & { stack: LiveStack };

/** Whether the machines' answers decide. */
export function dependsOnMachines(trouble: StackFailure): boolean {
    return recoveryOf({ ...trouble, machines: undefined }) === "unclear";
}

export function recoveryOf(trouble: StackFailure): RecoveryAction {
    const { stack } = trouble;
    // Heat hides a deleted stack some seconds before it frees the name.
    if (stack === undefined) return isTaken(trouble) && trouble.failures <= mostAgain ? "again" : "none";
    return remedies.find(({ when }) => when({ ...trouble, stack }))!.remedy;
}

function isTaken({ operation, error }: StackFailure): boolean {
    return operation === "create" && /\balready exists\b/i.test(error);
}

function isBusy(error: string): boolean {
    return /already has an action|in progress|ActionInProgress/i.test(error);
}

/** Compares all marks: cluster, program, and the key that only our state has. */
function isOurs({ stack, tags }: FailureOfStack): boolean {
    return tags.some(tag => tag.startsWith(`${ownerTag}=`)) && marks(tags).every(tag => stack.tags.includes(tag));
}

/** Tags that change while a cluster lives do not identify it. */
function marks(tags: readonly string[]): string[] {
    const keys = [clusterKey, pulumiStackKey, ownerTag];
    return tags.filter(tag => keys.some(key => tag.startsWith(`${key}=`)));
}

/**
 * Whether a cluster may run on it. We create stacks without rollback, so a rollback is that of an update (`openstack stack cancel`). A
 * deletion that failed may have left the machines.
 */
function mayHoldCluster({ stack: { action, state } }: FailureOfStack): boolean {
    return action === "ROLLBACK" || ["CREATE_COMPLETE", "DELETE_FAILED"].includes(`${action}_${state}`);
}

/** A stack that is updated, checked or suspended was complete before. */
function wasUsed(trouble: FailureOfStack): boolean {
    if (mayHoldCluster(trouble)) return trouble.machines === "used";
    return !["CREATE", "DELETE"].includes(trouble.stack.action);
}
