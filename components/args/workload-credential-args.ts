import type * as pulumi from "@pulumi/pulumi";

/** What users write about the credentials of a workload cluster: its login to the cloud, and who gets its own ones. */

/**
 * The login to the cloud. Exactly one of `cloudsYaml`, `secretName` and `applicationCredential` is set, or `clusterIdentity` alone.
 * @change nothing: the next request to the cloud uses it. A login that the program makes and machines refer to cannot go
 */
export interface WorkloadIdentityArgs {
    /**
     * The text of a clouds.yaml file.
     * @secret
     * @format text
     */
    cloudsYaml?: pulumi.Input<string>;
    /** An application credential that is made for the cluster, by the user who runs Pulumi. */
    applicationCredential?: WorkloadApplicationCredentialArgs;
    /**
     * The authority that signed the certificates of the cloud's APIs: PEM text, or the path of a file with it.
     * @format text
     */
    caCertificate?: pulumi.Input<string>;
    /**
     * An existing Secret in the cluster's namespace with the keys clouds.yaml and, if needed, cacert.
     * @format dnsSubdomain
     */
    secretName?: string;
    /**
     * Name of an OpenStackClusterIdentity, which several clusters may use. Alone it is an existing one. With `cloudsYaml` or
     * `applicationCredential` it is made, and goes with this cluster: the others must be gone before.
     * @format dnsSubdomain
     */
    clusterIdentity?: string;
    /**
     * Labels of the namespaces whose clusters may use the `clusterIdentity` that is made.
     * @default the cluster's own namespace: { "kubernetes.io/metadata.name": namespace }
     * @keys labelKey
     * @format labelValue
     */
    namespaceSelector?: Record<string, string>;
    /**
     * The cloud's name in clouds.yaml.
     * @default "openstack"
     */
    cloudName?: string;
    /**
     * Region of the cloud. It cannot change.
     * @default that of clouds.yaml
     * @change refused: by Cluster API: the region of a cluster stays
     */
    region?: string;
}

/**
 * An application credential of Keystone. It cannot make others, and is deleted after the cluster. Any change makes another one; the previous one is deleted
 * when Cluster API has the new one.
 * @change nothing: another credential is made and used by the next request; the previous one is deleted after that
 */
export interface WorkloadApplicationCredentialArgs {
    /**
     * Its roles in the project, of those that the user has. Some clouds want `load-balancer_member`, too, for `apiAccess: "octavia"`.
     * @default ["member"]
     */
    roles?: string[];
    /**
     * The only requests that it may make. Each service of the cloud must be set up for such rules (`service_type` in keystone_authtoken); one that is not
     * refuses all requests.
     * @default all that its roles allow
     */
    accessRules?: WorkloadAccessRuleArgs[];
    /** Any text, such as a date. Another text makes another credential. */
    rotate?: string;
    /**
     * Address of Keystone as the management cluster reaches it: `"https://cloud.site:5000/v3"`.
     * @default the public endpoint of the cloud's catalogue
     * @change nothing: the next request to the cloud uses it
     * @format url
     */
    authUrl?: pulumi.Input<string>;
}

/** Requests that an application credential may make. */
export interface WorkloadAccessRuleArgs {
    /** Type of the service in the catalogue: compute, network, image, volumev3, load-balancer … */
    service: string;
    /**
     * GET, POST, PUT, PATCH or DELETE.
     * @format choice
     */
    method: string;
    /** Path of the request, in which `*` stands for one part and `**` for any: `"/v2.1/servers/**"`. */
    path: string;
}

/** Where the credentials of a workload cluster are sent. @change nothing: nothing is sent */
export interface SendCredentialsArgs {
    /**
     * https URL, which gets a POST with JSON.
     * @change nothing: the credentials are sent there; with `removal` the previous receiver gets the end
     * @format url
     */
    url: pulumi.Input<string>;
    /**
     * Sent as bearer token.
     * @secret
     * @format key
     */
    token?: pulumi.Input<string>;
    /**
     * Certificate of the authority that signed the receiver's certificate: PEM text, or the path of a file with it.
     * @default the system's authorities
     * @format text
     */
    caCertificate?: pulumi.Input<string>;
    /**
     * Whose credentials: `account` (those of the output `vim`) or `administrator` (the output `kubeconfig`).
     * @default "account"
     * @change nothing: the other credentials are sent
     * @format choice
     */
    access?: string;
    /**
     * Before the cluster is removed, the receiver gets that, too. If it does not accept it, the cluster stays.
     * @default false
     */
    removal?: boolean;
    /**
     * How long a receiver that fails is tried, in seconds.
     * @default 60
     */
    timeoutSeconds?: number;
}
