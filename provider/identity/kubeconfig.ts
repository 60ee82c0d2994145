export interface KubeconfigOptions {
    /** Name of the cluster and the context. */
    name: string;
    /** "https://10.0.0.100:6443". */
    endpoint: string;
    /**
     * PEM. Undefined: the server's certificate is not verified. Only for clusters we did not build, and only if the
     * user asks for it explicitly.
     */
    ca?: string;
    /** PEM; requires `clientKey`. Alternatively use `token`. */
    clientCert?: string;
    clientKey?: string;
    token?: string;
    /** Name of the user entry. @default "admin" */
    user?: string;
    /** Namespace of the context. */
    namespace?: string;
}

/**
 * A kubeconfig as YAML. The same options give the same text, so that resources that depend on it do not change
 * needlessly.
 */
export function renderKubeconfig(options: KubeconfigOptions): string {
    const { name, endpoint, ca, clientCert, clientKey, token, user = "admin", namespace } = options;
    const { stringify } = require("yaml") as typeof import("yaml");
    const userName = `${name}-${user}`;
    return stringify(
        {
            apiVersion: "v1",
            kind: "Config",
            clusters: [
                {
                    name,
                    cluster: {
                        server: endpoint,
                        ...(ca === undefined
                            ? { "insecure-skip-tls-verify": true }
                            : { "certificate-authority-data": base64(ca) }),
                    },
                },
            ],
            users: [
                {
                    name: userName,
                    user:
                        token === undefined
                            ? {
                                  "client-certificate-data": base64(clientCert ?? ""),
                                  "client-key-data": base64(clientKey ?? ""),
                              }
                            : { token },
                },
            ],
            contexts: [{ name, context: { cluster: name, user: userName, ...(namespace && { namespace }) } }],
            "current-context": name,
        },
        { lineWidth: 0 },
    );
}

function base64(text: string): string {
    return Buffer.from(text).toString("base64");
}
