import type * as pulumi from "@pulumi/pulumi";

/** A provider of Cluster API. @change step: in place, one provider after the other; machines of workload clusters notice nothing */
export interface ClusterApiProviderArgs {
    /**
     * Version: `"1.13.6"`. A newer one is installed in place.
     * @default that of the bundle
     * @format version
     */
    version?: string;
    /**
     * Path of its components, as its release has them: `"core-components.yaml"`.
     * @default that of the bundle
     */
    components?: string;
    /**
     * Values of the variables in the components, as clusterctl has them.
     * @secret
     * @keys variable
     * @format text
     */
    variables?: Record<string, pulumi.Input<string>>;
    /**
     * Feature gates: `{ ClusterTopology: true }`.
     * @keys field
     */
    featureGates?: Record<string, boolean>;
    /**
     * Further flags of the controller, without dashes: `{ "sync-period": "2m" }`.
     * @keys flag
     */
    flags?: Record<string, string>;
    /**
     * Pods of the controller; one of them works, the others take over.
     * @default 1
     * @change step: other pods of that controller
     */
    replicas?: number;
    /**
     * What its pods ask for: `{ cpu: "100m", memory: "128Mi" }`.
     * @change step: other pods of that controller
     * @keys labelKey
     * @format quantity
     */
    requests?: Record<string, string>;
    /**
     * What its pods may use.
     * @change step: other pods of that controller
     * @keys labelKey
     * @format quantity
     */
    limits?: Record<string, string>;
    /**
     * The controller's image.
     * @default that of the components
     * @format image
     */
    image?: string;
}
