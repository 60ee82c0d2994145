import { NfvError } from "./errors";
import type { ResourceTypeName } from "./resources/registry";
import type { CheckFailure } from "./resources/types";

/** Types whose resource records what exists. Each row: what a second resource would not know, and the damage. */
const memories: Partial<Record<ResourceTypeName, string>> = {
    ClusterId: "it holds the cluster's id: with another one, all machines would be reset and the cluster be lost",
    ClusterKeys:
        "it holds the cluster's keys: with others, no node could join and encrypted Secrets could not be read any more",
    ServerKeys:
        "it holds the key that the servers let in and the keys that they show: no server could be reached any more",
    CloudCheck:
        "it holds what the names of images, flavors and networks meant when the servers were made: they would be replaced",
    OperationStart: "it holds what the servers were made from: they would be replaced, all masters among them",
    Masters: "it holds how the masters of former programs are reached: a second cluster could begin beside theirs",
    Membership: "it counts what happened to the nodes: what a stopped run has left would not be mended",
    OwnerMark: "it holds the mark that the objects in the cluster carry: they would be a stranger's",
};

export function isMemory(type: string): boolean {
    return Object.hasOwn(memories, type);
}

/**
 * Refuses `pulumi up --replace` and `pulumi state taint` for such a resource. For both, the engine bypasses `diff` and
 * calls `check` without the old inputs, as for a new resource. `known`: the program found its URN in the stack's state.
 */
export function refusedReplacement(type: string, olds: object, known: unknown, urn: unknown): CheckFailure[] {
    const why = memories[type as ResourceTypeName];
    if (why === undefined || known !== true || Object.keys(olds).length > 0) return [];
    const error = new NfvError({
        code: "INVALID_INPUT",
        node: type,
        cause: `it cannot be replaced: ${why}; nothing was touched`,
        hint: `Leave it out of --replace. Where it is tainted: pulumi state untaint '${String(urn)}'.`,
    });
    return [{ property: "", reason: error.message }];
}
