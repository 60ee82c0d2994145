import { NfvError } from "../common/errors";

/** The administrator's access to a workload cluster. */
export interface WorkloadAccess {
    /** "https://172.24.4.10:6443". */
    endpoint: string;
    /** PEM. */
    caCertificate: string;
    /** PEM. Cluster API renews it before it ends. */
    clientCertificate: string;
    /** PEM. */
    clientKey: string;
}

/** Name of the Secret that Cluster API makes: https://cluster-api.sigs.k8s.io/developer/providers/contracts/control-plane */
export const kubeconfigSecret = (cluster: string) => `${cluster}-kubeconfig`;

/** The access in a kubeconfig as Cluster API writes it. @throws API_REFUSED if it is of another form */
export function accessOf(kubeconfig: string): WorkloadAccess {
    const { parse } = require("yaml") as typeof import("yaml");
    const { clusters, users } = (parse(kubeconfig) ?? {}) as {
        clusters?: { cluster: Record<string, string> }[];
        users?: { user: Record<string, string> }[];
    };
    const { server, "certificate-authority-data": ca } = clusters?.[0]?.cluster ?? {};
    const { "client-certificate-data": certificate, "client-key-data": key } = users?.[0]?.user ?? {};
    if (server === undefined || ca === undefined || certificate === undefined || key === undefined) {
        throw new NfvError({
            code: "API_REFUSED",
            cause: "the kubeconfig that Cluster API made has no server, authority or client certificate",
            hint: "Only kubeconfigs with a client certificate can be used, as the kubeadm control plane makes them.",
        });
    }
    const text = (base64: string) => Buffer.from(base64, "base64").toString();
    return { endpoint: server, caCertificate: text(ca), clientCertificate: text(certificate), clientKey: text(key) };
}
