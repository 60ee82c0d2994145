/** A rule of Kubernetes' role-based access control. */
export interface PolicyRule {
    apiGroups?: string[];
    resources?: string[];
    resourceNames?: string[];
    nonResourceURLs?: string[];
    verbs: string[];
}

export interface OidcAuth {
    /** The provider's URL; its discovery document names the token endpoint. Exactly one of issuerUrl and tokenUrl. */
    issuerUrl?: string;
    tokenUrl?: string;
    clientId: string;
    clientSecret?: string;
    username: string;
    password: string;
    /** @default "openid" */
    scope?: string;
    /** PEM of the authority that signed the provider's certificate. @default the system's */
    caCertificate?: string;
}

/** Credentials for the API: exactly one of clientCertificate (with clientKey), bearerToken, oidc. Secret. */
export interface VimAuth {
    /** PEM. */
    clientCertificate?: string;
    /** PEM. */
    clientKey?: string;
    bearerToken?: string;
    oidc?: OidcAuth;
}

/** The endpoint of a cluster, and how it is verified: exactly one of caCertificate and sslCaCert. */
export interface VimEndpoint {
    /** "https://10.0.0.100:6443". */
    endpoint: string;
    /** PEM of the authority that signed the API's certificate. */
    caCertificate?: string;
    /**
     * "none": the API's certificate is not verified, so an attacker in between can read the credentials; gives a
     * warning.
     */
    sslCaCert?: string;
}

/** The account whose token is handed out: at most one of namespaces, rules, clusterRole and clusterAdmin. */
export interface ServiceAccountSpec {
    /** @default "nfv-vim" */
    name?: string;
    /** Created if it does not exist. @default "kube-system" */
    namespace?: string;
    /** Where the account may deploy network functions; created if missing. @default ["nfv"] */
    namespaces?: string[];
    /**
     * Pod security level of the namespaces that are created for the account: baseline, restricted, privileged. @default
     * "baseline"
     */
    podSecurity?: string;
    /** `hard` of a ResourceQuota in each of the namespaces. Undefined: there is none. */
    quota?: Record<string, number | string>;
    /** The account may also write NetworkAttachmentDefinitions. @default false */
    networkAttachments?: boolean;
    /** What the account may do, in all namespaces. */
    rules?: PolicyRule[];
    /** An existing ClusterRole to bind, in all namespaces. */
    clusterRole?: string;
    /** Binds cluster-admin. Must be set explicitly. @default false */
    clusterAdmin?: boolean;
    /** Lifetime of the token, in seconds; 0: it does not expire. @default 7776000 (90 days) */
    tokenLifeSeconds?: number;
}
