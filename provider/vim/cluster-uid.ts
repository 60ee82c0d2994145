import { NfvError } from "../errors";
import { ApiRefused, KubeApi } from "./api";
import type { VimAuth, VimEndpoint } from "./types";

/**
 * What tells two clusters apart, whatever their API is called: the uid of namespace kube-system, which lives as long as the cluster.
 * Undefined: these credentials may not read it.
 */
export async function readClusterUid(api: KubeApi): Promise<string | undefined> {
    try {
        return (await api.metadata("/api/v1/namespaces/kube-system"))?.metadata.uid;
    } catch (error) {
        if (error instanceof ApiRefused && error.status === 403) return undefined;
        throw error;
    }
}

/** The same of a cluster that may be gone, or refuse its former credentials. */
export async function askClusterUid(access: VimEndpoint & { auth: VimAuth }): Promise<string | undefined> {
    try {
        return await readClusterUid(new KubeApi(access, access.auth));
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return undefined;
    }
}
