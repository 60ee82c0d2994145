import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { ownerOf, withOwner } from "../vim/ownership";
import { asFailures, liveSeconds } from "./check-cluster";
import type { CheckFailure, Context } from "./types";

/** Objects of Kubernetes' own kinds that carry the mark of their owner. Those of others are never changed. */

/** The collection of each kind. */
const collections: Record<string, string> = {
    ClusterRole: "apis/rbac.authorization.k8s.io/v1/clusterroles",
    ClusterRoleBinding: "apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    CSIDriver: "apis/storage.k8s.io/v1/csidrivers",
    DaemonSet: "apis/apps/v1/daemonsets",
    Deployment: "apis/apps/v1/deployments",
    Lease: "apis/coordination.k8s.io/v1/leases",
    PersistentVolume: "api/v1/persistentvolumes",
    Role: "apis/rbac.authorization.k8s.io/v1/roles",
    RoleBinding: "apis/rbac.authorization.k8s.io/v1/rolebindings",
    ServiceAccount: "api/v1/serviceaccounts",
    StorageClass: "apis/storage.k8s.io/v1/storageclasses",
};

/** "/apis/apps/v1/namespaces/kube-system/deployments/web" */
export function pathOf({ kind, metadata: { name, namespace } }: KubeObject): string {
    const [, version, plural] = /^(.*)\/(.*)$/.exec(collections[kind] ?? "") ?? [];
    if (version === undefined) throw new Error(`owned-objects.ts has no row for ${kind}`);
    const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
    return `/${version}${place}/${plural}/${encodeURIComponent(name)}`;
}

export const titleOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;

/** Paths of those that exist and are the owner's. @throws NOT_OURS for one that belongs to others */
export async function requireOwned(
    api: KubeApi,
    objects: readonly KubeObject[],
    { owner, node, hint }: { owner: string; node: string; hint?: string },
): Promise<Set<string>> {
    const found = await Promise.all(
        objects.map(async object => ({ object, there: await api.metadata(pathOf(object)) })),
    );
    const others = found.filter(({ there }) => there !== undefined && ownerOf(there) !== owner);
    if (others.length === 0) {
        return new Set(found.flatMap(({ object, there }) => (there === undefined ? [] : [pathOf(object)])));
    }
    const cause = others
        .map(({ object, there }) => {
            const maker = ownerOf(there!);
            return `${titleOf(object)} exists already: ${maker ? `made by ${maker}` : "not made by pulumi-nfv"}`;
        })
        .join("\n");
    throw new NfvError({ code: "NOT_OURS", node, cause, ...(hint !== undefined && { hint }) });
}

/** At preview: what `look` finds to be others'. The cluster may not exist yet, or not answer: then the run itself finds out. */
export async function refuseForeign(
    look: () => Promise<unknown>,
    what: string,
    context: Context,
): Promise<CheckFailure[]> {
    try {
        await settle(0, look);
        return [];
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (error.code === "NOT_OURS") return asFailures(error);
        context.report(`whether ${what} are free is asked later: ${error.reason}`);
        return [];
    }
}

export async function applyOwned(
    api: KubeApi,
    object: KubeObject,
    owner: string,
    timeoutSeconds: number,
): Promise<void> {
    await settle(timeoutSeconds, () => api.apply(pathOf(object), withOwner(object, owner)));
}

/** Removes an object if it is the owner's, and waits a little until it is gone. */
export async function removeOwned(api: KubeApi, object: KubeObject, owner: string, context: Context): Promise<void> {
    const path = pathOf(object);
    const found = await settle(liveSeconds, () => api.metadata(path));
    if (found === undefined || ownerOf(found) !== owner) return;
    context.report(`remove ${titleOf(object)}`);
    await settle(liveSeconds, () => api.delete(path, { preconditions: { uid: found.metadata.uid } }));
    const end = Date.now() + liveSeconds * 1000;
    while (Date.now() < end && (await settle(liveSeconds, () => api.metadata(path))) !== undefined) {
        await sleep(300, undefined, { signal: context.signal });
    }
}
