import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import { lookOrKeep } from "../contract/look-or-keep";
import type { CheckFailure, Context, Diff } from "../contract/types";
import { changed, topLevel } from "../contract/values";
import { type KubeApi, type KubeObject, settle } from "../vim";
import { asFailures, liveSeconds } from "../vim/check-cluster";
import { ownerOf, withOwner } from "../vim/ownership";

/** Objects of known kinds that carry the mark of their owner. Those of others are never changed. */

/** Where the objects of each kind are. */
const collections: Record<string, { version: string; plural: string; namespaced?: true }> = {
    ClusterRole: { version: "apis/rbac.authorization.k8s.io/v1", plural: "clusterroles" },
    ClusterRoleBinding: { version: "apis/rbac.authorization.k8s.io/v1", plural: "clusterrolebindings" },
    CSIDriver: { version: "apis/storage.k8s.io/v1", plural: "csidrivers" },
    CustomResourceDefinition: { version: "apis/apiextensions.k8s.io/v1", plural: "customresourcedefinitions" },
    DaemonSet: { version: "apis/apps/v1", plural: "daemonsets", namespaced: true },
    Deployment: { version: "apis/apps/v1", plural: "deployments", namespaced: true },
    Lease: { version: "apis/coordination.k8s.io/v1", plural: "leases", namespaced: true },
    PersistentVolume: { version: "api/v1", plural: "persistentvolumes" },
    Role: { version: "apis/rbac.authorization.k8s.io/v1", plural: "roles", namespaced: true },
    RoleBinding: { version: "apis/rbac.authorization.k8s.io/v1", plural: "rolebindings", namespaced: true },
    ServiceAccount: { version: "api/v1", plural: "serviceaccounts", namespaced: true },
    StorageClass: { version: "apis/storage.k8s.io/v1", plural: "storageclasses" },
    VolumeSnapshotClass: { version: "apis/snapshot.storage.k8s.io/v1", plural: "volumesnapshotclasses" },
};

/** "/apis/apps/v1/namespaces/kube-system/deployments/web" */
export function pathOf({ kind, metadata: { name, namespace } }: KubeObject): string {
    const collection = collections[kind];
    if (collection === undefined) throw new Error(`owned-objects.ts has no row for ${kind}`);
    const { version, plural, namespaced } = collection;
    // Helm gives a namespace to every kind. With it, an object of the whole cluster is at no path: it would count as gone.
    const place = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
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

/** Differences of a set of objects; those of another owner or cluster are another set. `compared`: inputs whose change is an update. */
export function setDiff(olds: { pending?: boolean }, news: object, compared: readonly string[]): Diff {
    const replaces = changed(olds, news, ["clusterId", "owner"]);
    const changes = replaces.length > 0 || changed(olds, news, compared).length > 0 || olds.pending === true;
    return { changes, replaces: topLevel(replaces), deleteBeforeReplace: true };
}

/** What exists of objects, in lists and by name. */
export interface Existing {
    list(objects: readonly KubeObject[]): KubeObject[];
    byName(objects: Record<string, KubeObject>): Record<string, KubeObject>;
}

/** For a refresh: the state with what exists of its objects; as it was, with a warning, if the cluster cannot be asked. `ask`: paths of those that exist. */
export async function readOwned<State extends { name: string }>(
    state: State,
    ask: () => Promise<Set<string>>,
    keep: (existing: Existing) => Partial<State>,
    context: Context,
): Promise<State> {
    return lookOrKeep(state.name, state, context, async () => {
        const found = await settle(liveSeconds, ask);
        const isThere = (object: KubeObject) => found.has(pathOf(object));
        const byName = (objects: Record<string, KubeObject>) =>
            Object.fromEntries(Object.entries(objects).filter(([, object]) => isThere(object)));
        return { ...state, ...keep({ list: objects => objects.filter(isThere), byName }) };
    });
}
