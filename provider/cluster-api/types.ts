import type { KeyPair } from "../identity/certificates";

/** What a provider is for. The inventory of clusterctl has other words for the same: `providerTypes`. */
export type ProviderType =
    | "core"
    | "bootstrap"
    | "controlPlane"
    | "infrastructure"
    | "ipam"
    | "addon"
    | "runtimeExtension";

/** Which provider, as clusterctl names it: `{ type: "infrastructure", name: "openstack", version: "v0.14.7" }`. */
export interface ProviderName {
    type: ProviderType;
    /** "cluster-api" for the core, "kubeadm", "openstack" … */
    name: string;
    /** With "v": "v1.13.6". */
    version: string;
}

/** What the pods of a manager ask for and may use, as Kubernetes writes it. */
export interface ManagerResources {
    requests?: Record<string, string>;
    limits?: Record<string, string>;
}

/** How a provider is installed. */
export interface ProviderSpec extends ProviderName {
    /**
     * The release's components, as text: YAML documents with variables, as upstream publishes them
     * ("core-components.yaml", "infrastructure-components.yaml"), or a file of a bundle (`bundleComponents`).
     */
    components: string;
    /** Values of the variables in the components, as clusterctl takes them from its configuration. @default the defaults in the text */
    variables?: Record<string, string>;
    /** Feature gates of the manager, over those of the components: `{ ClusterTopology: true }`. */
    featureGates?: Record<string, boolean>;
    /** Further flags of the manager, without dashes; a flag of the components is replaced: `{ "sync-period": "2m" }`. */
    flags?: Record<string, string>;
    /** Pods of the manager; one of them leads. @default that of the components: 1 */
    replicas?: number;
    /** @default those of the components: none */
    resources?: ManagerResources;
    /** The manager's image. @default that of the components */
    image?: string;
}

/** The keys of all webhooks of a management cluster. Secret. */
export interface WebhookKeys {
    /** Signs the serving certificates. */
    authority: KeyPair;
    /** Certificates of former authorities, PEM: API servers trust them until the pods have received certificates of the current one. */
    formerAuthorities: string;
    /** Serving certificates by "NAMESPACE/NAME" of their Secret. */
    serving: Record<string, KeyPair>;
}

/** A management cluster. */
export interface ManagementOptions {
    /** One of type core; none twice. */
    providers: readonly ProviderSpec[];
    /** From `newWebhookKeys` or `renewedWebhookKeys` for the same providers. */
    keys: WebhookKeys;
    /** Registry of all images that are below registry.k8s.io: "mirror.example.org/k8s". @default registry.k8s.io */
    imageRepository?: string;
}
