import { NfvError } from "../common/errors";
import type { KubeApi } from "./api";
import { kubectlCommand, type ObjectName, pathOf, servedKinds } from "./ownership";

/**
 * Refuses to recreate an object that the state has already; undefined if it no longer exists, or is another one. With
 * `pulumi up --replace` the engine creates the new object before it deletes the former one. In a cluster one name is
 * one object, so it would be deleted.
 * @param formerUid uid of the object in the state
 * @throws API_UNREACHABLE, API_REFUSED
 */
export async function refuseReplacement(
    api: KubeApi,
    object: ObjectName,
    formerUid: string,
): Promise<NfvError | undefined> {
    const kind = (await servedKinds(api, object.apiVersion))?.find(each => each.kind === object.kind);
    const found = kind && (await api.metadata(pathOf(object, kind)));
    if (found?.metadata.uid !== formerUid) return undefined;
    return new NfvError({
        code: "INVALID_INPUT",
        node: `${object.kind} ${object.name}`,
        cause: "Pulumi would recreate it and then delete the old one, and in the cluster both are the same object: it would be gone, with what it holds",
        hint:
            "Leave it out of --replace, its provider too. To start pods anew: kubectl rollout restart. " +
            `To recreate the object: ${kubectlCommand("delete", object)}, then pulumi up --refresh.`,
    });
}
