import type * as pulumi from "@pulumi/pulumi";
import type { NumberOrText } from "./json";

/** Access to a Kubernetes cluster: a `kubeconfig`, or `endpoint`, `caCertificate` and `auth`. */
export interface VimArgs {
    /**
     * Text of a kubeconfig, as it is: server, authority, and the token or client certificate of its context are read from it. Refused where kubectl would
     * run a program (`exec`), read another file (`kubectl config view --raw --flatten` writes it in), or not verify the server.
     * @change step: the access is verified again
     * @secret
     * @format text
     */
    kubeconfig?: pulumi.Input<string>;
    /**
     * Name of the context in the kubeconfig.
     * @default its current-context
     * @change step: the access is verified again
     */
    context?: string;
    /**
     * URL of the API: `"https://10.0.0.100:16443"`. Required without `kubeconfig`.
     * @change step: the access is verified again
     * @format url
     */
    endpoint?: pulumi.Input<string>;
    /**
     * Certificate of the authority that signed the API's certificate: PEM text, or the path of a file with it. Exactly one of `caCertificate`
     * and `sslCaCert` is set.
     * @change step: the access is verified again
     * @format text
     */
    caCertificate?: pulumi.Input<string>;
    /**
     * The word `"none"`: the API's certificate is not verified, so an attacker in between can read the credentials. Warns.
     * @change step: the access is verified again
     * @format choice
     */
    sslCaCert?: string;
    /** How we log in to the API. Required without `kubeconfig`. @change step: the access is verified again */
    auth?: VimAuthArgs;
    /**
     * An account to create; its token is the output.
     * @default the given credentials themselves are the output
     */
    serviceAccount?: ServiceAccountArgs;
    /**
     * Raise the number to get another token; the old one stops working.
     * @default 1
     * @change again: the token; the old one stops working
     */
    tokenGeneration?: number;
    /**
     * Pulumi's name of the cluster: another one means another cluster, on which everything is created. If it is not given, another endpoint must
     * lead to the same cluster: it is refused if kube-system has another uid there.
     * @default the first endpoint, kept when the endpoint changes
     * @change again: the Vim and everything on it; nothing if the uid of kube-system shows the same cluster
     */
    clusterIdentifier?: pulumi.Input<string>;
}

/** How we log in to the API: exactly one of clientCertificate (with clientKey), bearerToken and oidc is set. */
export interface VimAuthArgs {
    /**
     * Client certificate, PEM.
     * @format text
     */
    clientCertificate?: pulumi.Input<string>;
    /**
     * Its private key, PEM.
     * @secret
     * @format text
     */
    clientKey?: pulumi.Input<string>;
    /**
     * Token of a user or service account.
     * @secret
     * @format key
     */
    bearerToken?: pulumi.Input<string>;
    /** Login by OpenID Connect. */
    oidc?: OidcArgs;
}

/** A token from an OpenID Connect provider, by the password grant. It expires: combine it with `serviceAccount`. */
export interface OidcArgs {
    /**
     * The provider's URL. Exactly one of `issuerUrl` and `tokenUrl` is set.
     * @format url
     */
    issuerUrl?: pulumi.Input<string>;
    /**
     * The token endpoint, if the provider has no discovery.
     * @format url
     */
    tokenUrl?: pulumi.Input<string>;
    /** Our client id at the provider. */
    clientId: pulumi.Input<string>;
    /**
     * The client's secret, if it has one.
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
     * Requested scopes, separated by spaces.
     * @default "openid"
     */
    scope?: pulumi.Input<string>;
    /**
     * Certificate of the authority that signed the provider's certificate: PEM text, or the path of a file with it.
     * @default the system's authorities
     * @format text
     */
    caCertificate?: pulumi.Input<string>;
}

/**
 * A service account and its rights: at most one of `namespaces`, `rules`, `clusterRole` and `clusterAdmin` is set.
 * @change step: another name or namespace is another account; the old one is deleted
 */
export interface ServiceAccountArgs {
    /**
     * Name of the account.
     * @default "nfv-vim"
     * @format dnsSubdomain
     */
    name?: string;
    /**
     * Namespace of the account; created if missing.
     * @default "kube-system"
     * @format dnsLabel
     */
    namespace?: string;
    /**
     * Namespaces in which the account may deploy network functions; created if missing. It can also see nodes, and nothing in other namespaces. With
     * `rules`, `clusterRole` or `clusterAdmin` it has those rights in all namespaces instead.
     * @default ["nfv"]
     * @format dnsLabel
     */
    namespaces?: string[];
    /**
     * Pod security level of the namespaces that are created for the account: `baseline`, `restricted`, or `privileged`. With `privileged`, a user of
     * the token can become root on the nodes.
     * @default "baseline"
     * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
     * @format choice
     */
    podSecurity?: string;
    /**
     * What all objects of each of the `namespaces` may have together, as `hard` of a ResourceQuota: `{ pods: 50, "requests.memory": "64Gi",
     * "services.nodeports": 0 }`. With `requests.*` or `limits.*` each container must say how much it asks for.
     * @default no quota
     * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
     * @keys labelKey
     */
    quota?: Record<string, NumberOrText>;
    /**
     * The account may write NetworkAttachmentDefinitions. Where Multus runs, that lets a user of the token run network plugins as root on the nodes, with
     * any interface and address of a node.
     * @default false: it may only read them
     */
    networkAttachments?: boolean;
    /** The account's rights, in all namespaces. The right to create pods or to read secrets in `kube-system` amounts to administrator access. */
    rules?: PolicyRuleArgs[];
    /**
     * An existing ClusterRole to bind, in all namespaces.
     * @format roleName
     */
    clusterRole?: string;
    /**
     * Bind cluster-admin: all rights.
     * @default false
     */
    clusterAdmin?: boolean;
    /**
     * How long a token is valid, in seconds: 600 or more. `up` renews it after half of this time; the old one stays valid until its own end. 0: it
     * never expires, for VIM managers that cannot take a new one; `tokenGeneration` still ends it.
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
    /** Paths that are not objects: `"/metrics"`. */
    nonResourceURLs?: string[];
    /** `"get"`, `"list"`, `"create"` …; `"*"`: all. */
    verbs: string[];
}
