import type * as pulumi from "@pulumi/pulumi";
import { NfvError } from "./errors";
import { beforeCreate, hasHooks, ownState } from "./own-state";
import type { ResourceTypeName } from "./resources/registry";

/** Types whose resource is the memory of what exists: what a second one would not know, and what would come of it. */
const memories: Partial<Record<ResourceTypeName, string>> = {
    ClusterIdentity:
        "it holds the cluster's name and keys: with others, all machines would be reset and the cluster be lost",
    ServerKeys:
        "it holds the key that the servers let in and the keys that they show: no server could be reached any more",
    CloudCheck:
        "it holds what the names of images, flavors and networks meant when the servers were made: they would be replaced",
    OperationStart:
        "it holds the last operation and, with Heat, what the servers were made from: they would be replaced, all masters among them",
    Membership: "it counts what happened to the nodes: what a stopped run has left would not be mended",
    OwnerMark: "it holds the mark that the objects in the cluster carry: they would be a stranger's",
};

/**
 * Refuses `pulumi up --replace` and `pulumi state taint` of such a resource, at preview too. Neither asks `diff`, and for both `check`
 * does not learn what the state has. A program whose engine has no hooks does without.
 */
export function neverReplaced(type: ResourceTypeName, name: string): pulumi.ResourceHookBinding | undefined {
    const why = memories[type];
    if (why === undefined || !hasHooks()) return undefined;
    const look = async ({ urn }: pulumi.ResourceHookArgs) => {
        if ((await ownState())[urn] === undefined) return;
        throw new NfvError({
            code: "INVALID_INPUT",
            node: `${type} ${name}`,
            cause: `it cannot be replaced: ${why}; nothing was touched`,
            hint: `Leave it out of --replace. Where it is tainted: pulumi state untaint '${urn}'.`,
        });
    };
    return { beforeCreate: [beforeCreate(`pulumi-nfv-stays-${type}-${name}`, look, { onDryRun: true })] };
}
