import type * as pulumi from "@pulumi/pulumi";

/** Access to a Kubernetes cluster. */
export interface VimArgs {
    /** URL of the API: `"https://10.0.0.100:16443"`. */
    endpoint: pulumi.Input<string>;
    /**
     * Certificate of the authority that vouches for the API: PEM text, or the path of a file with it. Exactly one of `caCertificate` and
     * `sslCaCert` is set.
     */
    caCertificate?: pulumi.Input<string>;
    /** The word `"none"`: the API's certificate is not verified, and whoever sits in between reads the credentials. Warns. */
    sslCaCert?: string;
    /** Who we are to the API. */
    auth: VimAuthArgs;
    /**
     * An account to make, whose token is handed out.
     * @default the credentials given are handed out themselves
     */
    serviceAccount?: ServiceAccountArgs;
    /**
     * Another number asks for another token; the former one stops working.
     * @default 1
     */
    tokenGeneration?: number;
    /**
     * What the cluster is for Pulumi: on another cluster everything is created there. Without it, another endpoint must lead to the same
     * cluster: if kube-system has another uid there, it is refused.
     * @default the first endpoint, kept when the endpoint changes
     */
    clusterIdentifier?: pulumi.Input<string>;
}

/** Who we are to the API: exactly one of clientCertificate (with clientKey), bearerToken and oidc is set. */
export interface VimAuthArgs {
    /** Client certificate, PEM. */
    clientCertificate?: pulumi.Input<string>;
    /**
     * Its private key, PEM.
     * @secret
     */
    clientKey?: pulumi.Input<string>;
    /**
     * Token of a user or service account.
     * @secret
     */
    bearerToken?: pulumi.Input<string>;
    /** Login by OpenID Connect. */
    oidc?: OidcArgs;
}

/** A token from an OpenID Connect provider, by the password grant. It expires: combine it with `serviceAccount`. */
export interface OidcArgs {
    /** The provider's URL. Exactly one of `issuerUrl` and `tokenUrl` is set. */
    issuerUrl?: pulumi.Input<string>;
    /** The address that hands out tokens, where the provider has no discovery. */
    tokenUrl?: pulumi.Input<string>;
    /** The client that the provider knows us by. */
    clientId: pulumi.Input<string>;
    /**
     * Its secret, for clients that have one.
     * @secret
     */
    clientSecret?: pulumi.Input<string>;
    /** User who logs in. */
    username: pulumi.Input<string>;
    /**
     * The user's password.
     * @secret
     */
    password: pulumi.Input<string>;
    /**
     * Scopes that are asked for, split by spaces.
     * @default "openid"
     */
    scope?: pulumi.Input<string>;
    /**
     * Certificate of the authority that vouches for the provider: PEM text, or the path of a file with it.
     * @default the system's authorities
     */
    caCertificate?: pulumi.Input<string>;
}

/** A service account and what it may do: at most one of `namespaces`, `rules`, `clusterRole` and `clusterAdmin` is set. */
export interface ServiceAccountArgs {
    /**
     * Name of the account.
     * @default "nfv-vim"
     */
    name?: string;
    /**
     * Made if it is not there.
     * @default "kube-system"
     */
    namespace?: string;
    /**
     * Where the account may deploy network functions; it sees nodes, and nothing of other namespaces. Made if they are not there. With `rules`, `clusterRole` or `clusterAdmin` it has those rights in all namespaces instead.
     * @default ["nfv"]
     */
    namespaces?: string[];
    /**
     * What pods may be in namespaces that are made for the account: `baseline`, `restricted`, or `privileged`, with which whoever has the token can become root on the nodes.
     * @default "baseline"
     * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
     */
    podSecurity?: string;
    /** What the account may do, in all namespaces. Whoever may make pods or read secrets in `kube-system` is an administrator in effect. */
    rules?: PolicyRuleArgs[];
    /** An existing ClusterRole to bind, in all namespaces. */
    clusterRole?: string;
    /**
     * Bind cluster-admin: everything.
     * @default false
     */
    clusterAdmin?: boolean;
    /**
     * How long a token holds, in seconds: 600 or more. `up` renews it when half of its life is over; the former one holds until its own end. 0: it never ends, for VIM managers that cannot take a new one; `tokenGeneration` still ends it.
     * @default 7776000 (90 days)
     */
    tokenLifeSeconds?: number;
}

/** A rule of Kubernetes' role-based access control. */
export interface PolicyRuleArgs {
    /** API groups of the resources; `""` is the core group. */
    apiGroups?: string[];
    /** Kinds in the plural: `"deployments"`, `"pods/log"`; `"*"`: all. */
    resources?: string[];
    /** Only objects of these names. */
    resourceNames?: string[];
    /** Paths that are no objects: `"/metrics"`. */
    nonResourceURLs?: string[];
    /** `"get"`, `"list"`, `"create"` …; `"*"`: all. */
    verbs: string[];
}
