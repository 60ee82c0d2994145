export interface KubeconfigOptions {
    /** Name of cluster and context. */
    name: string;
    /** "https://10.0.0.100:6443". */
    endpoint: string;
    /** PEM. Undefined: the server's certificate is not verified; only for clusters of others, said in full by the user. */
    ca?: string;
    /** PEM; with `clientKey`. Alternatively `token`. */
    clientCert?: string;
    clientKey?: string;
    token?: string;
    /** Name of the user entry. @default "admin" */
    user?: string;
    /** Namespace of the context. */
    namespace?: string;
}

/** A kubeconfig as YAML. Pure: same access, same text, so that nothing that hangs on it changes without need. */
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
