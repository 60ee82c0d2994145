import { NfvError } from "../common/errors";
import { ApiRefused, KubeApi } from "./api";
import type { VimAuth, VimEndpoint } from "./types";

/**
 * Identifies a cluster, whatever its endpoint is: the uid of namespace kube-system, which exists as long as the
 * cluster. Undefined if these credentials may not read it.
 */
export async function readClusterUid(api: KubeApi): Promise<string | undefined> {
    try {
        return (await api.metadata("/api/v1/namespaces/kube-system"))?.metadata.uid;
    } catch (error) {
        if (error instanceof ApiRefused && error.status === 403) return undefined;
        throw error;
    }
}

/** Like readClusterUid, for a cluster that may be gone, or refuse its former credentials. */
export async function askClusterUid(access: VimEndpoint & { auth: VimAuth }): Promise<string | undefined> {
    try {
        return await readClusterUid(new KubeApi(access, access.auth));
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return undefined;
    }
}
