import type { KubeApi, KubeObject } from "./api";
import { NotYet } from "./client";
import { isConflict, othersInNamespace, ownerOf, withOwner } from "./ownership";

const pathOf = (name: string) => `/api/v1/namespaces/${encodeURIComponent(name)}`;

export function getNamespace(api: KubeApi, name: string): Promise<KubeObject | undefined> {
    return api.get(pathOf(name));
}

/**
 * The namespace as it is, or created now with only the owner's mark; `applyNamespace` then applies the rest. The
 * request that creates it fails if it exists, so another owner's namespace is never taken for ours.
 * @throws NotYet while a namespace of that name is being deleted
 */
export async function findOrMakeNamespace(api: KubeApi, name: string, owner: string): Promise<KubeObject> {
    const found = await getNamespace(api, name);
    if (found?.metadata.deletionTimestamp !== undefined) {
        throw new NotYet({ code: "API_UNREACHABLE", cause: `namespace ${name} is being deleted` });
    }
    if (found !== undefined) return found;
    const bare = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    try {
        return await api.post("/api/v1/namespaces", withOwner(bare, owner));
    } catch (error) {
        if (!isConflict(error)) throw error;
        throw new NotYet({ code: "API_UNREACHABLE", cause: `namespace ${name} has just been made` });
    }
}

export function applyNamespace(api: KubeApi, object: KubeObject, owner: string): Promise<KubeObject> {
    return api.apply(pathOf(object.metadata.name), withOwner(object, owner));
}

/**
 * Deletes a namespace that carries the owner's mark and contains nothing of others.
 * @returns why it stays; "" if it is deleted
 */
export async function removeNamespace(api: KubeApi, name: string, owner: string, uid?: string): Promise<string> {
    const found = await getNamespace(api, name);
    if (found === undefined) return "";
    if (ownerOf(found) !== owner || (uid !== undefined && found.metadata.uid !== uid)) {
        return `namespace ${name} is not the one that was made here: it stays`;
    }
    const others = await othersInNamespace(api, name, owner);
    if (others.length > 0) {
        const few = others.slice(0, 10).join(", ") + (others.length > 10 ? ` and ${others.length - 10} more` : "");
        return `namespace ${name} stays: ${few} would go with it. To remove it: kubectl delete namespace ${name}`;
    }
    await api.delete(pathOf(name), { preconditions: { uid: found.metadata.uid } });
    return "";
}
