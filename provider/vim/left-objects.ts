import type { KubeApi, KubeObject } from "./api";
import { type AccountObjects, listed, ownLabels } from "./objects";
import { ownerOf } from "./ownership";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Kinds of which an account has objects, in the order in which they go: what gives rights first. */
const kinds = [
    { root: rbac, plural: "clusterrolebindings" },
    { root: rbac, plural: "rolebindings" },
    { root: "/api/v1", plural: "secrets" },
    { root: rbac, plural: "clusterroles" },
    { root: "/api/v1", plural: "serviceaccounts" },
] as const;

const ours = encodeURIComponent(
    Object.entries(ownLabels)
        .map(([key, value]) => `${key}=${value}`)
        .join(","),
);

export interface LeftObject {
    path: string;
    uid?: string;
    /** "secrets kube-system/nfv-vim-bound-1" */
    title: string;
}

/**
 * Objects with the owner's mark that its account does not have. No run leaves any, but a restore of etcd brings them back: a token that was ended is valid again then, and an account
 * has the rights of a former program.
 */
export async function leftObjects(api: KubeApi, owner: string, account: AccountObjects): Promise<LeftObject[]> {
    const known = new Set(listed(account).map(({ path }) => path));
    const found = await Promise.all(
        kinds.map(async ({ root, plural }) => {
            const objects = await api.list(`${root}/${plural}?labelSelector=${ours}`);
            return objects.filter(each => ownerOf(each) === owner).map(each => leftOf(root, plural, each));
        }),
    );
    return found.flat().filter(({ path }) => !known.has(path));
}

function leftOf(root: string, plural: string, { metadata: { name, namespace, uid } }: KubeObject): LeftObject {
    const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
    return {
        path: `${root}${place}/${plural}/${encodeURIComponent(name)}`,
        ...(uid !== undefined && { uid }),
        title: `${plural} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
    };
}

/** Deletes them; returns their titles. */
export async function removeLeft(api: KubeApi, owner: string, account: AccountObjects): Promise<string[]> {
    const left = await leftObjects(api, owner, account);
    for (const { path, uid } of left)
        await api.delete(path, uid === undefined ? undefined : { preconditions: { uid } });
    return left.map(({ title }) => title);
}
