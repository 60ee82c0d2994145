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
    /** PEM of the authority that vouches for the provider. @default the system's */
    caCertificate?: string;
}

/** Who we are to the API: exactly one of clientCertificate (with clientKey), bearerToken, oidc. Secret. */
export interface VimAuth {
    /** PEM. */
    clientCertificate?: string;
    /** PEM. */
    clientKey?: string;
    bearerToken?: string;
    oidc?: OidcAuth;
}

/** Where a cluster is and how it proves to be the right one: exactly one of caCertificate and sslCaCert. */
export interface VimEndpoint {
    /** "https://10.0.0.100:6443". */
    endpoint: string;
    /** PEM of the authority that vouches for the API. */
    caCertificate?: string;
    /** "none": the API's certificate is not verified. Whoever sits in between reads the credentials; warns. */
    sslCaCert?: string;
}

/** The account whose token is handed out: at most one of namespaces, rules, clusterRole and clusterAdmin. */
export interface ServiceAccountSpec {
    /** @default "nfv-vim" */
    name?: string;
    /** Made if it is not there. @default "kube-system" */
    namespace?: string;
    /** Where the account may deploy network functions; made if they are not there. @default ["nfv"] */
    namespaces?: string[];
    /** What pods may be in namespaces that are made for the account: baseline, restricted, privileged. @default "baseline" */
    podSecurity?: string;
    /** What the account may do, in all namespaces. */
    rules?: PolicyRule[];
    /** An existing ClusterRole to bind, in all namespaces. */
    clusterRole?: string;
    /** Binds cluster-admin. Has to be said. @default false */
    clusterAdmin?: boolean;
    /** 0: the token does not end. @default 7776000 (90 days) */
    tokenLifeSeconds?: number;
}
