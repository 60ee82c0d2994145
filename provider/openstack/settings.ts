/**
 * Selects a cloud, without any secret: credentials are read from clouds.yaml or the environment each time and never
 * stored. The default of each setting says where a missing one is read from.
 */
export interface CloudSettings {
    /**
     * Name in clouds.yaml. @default OS_CLOUD; if that is not set, credentials are read from OS_AUTH_URL, OS_USERNAME, …
     */
    cloud?: string;
    /** @default OS_REGION_NAME, `region_name` of clouds.yaml, or the only region */
    region?: string;
    /** URL of Keystone, with or without "/v3". @default that of clouds.yaml, or OS_AUTH_URL */
    authUrl?: string;
    /** File of the authority that signed the APIs' certificates (PEM). @default OS_CACERT, or `cacert` of clouds.yaml */
    caFile?: string;
    /** Which endpoints are used: `public`, `internal` or `admin`. @default OS_INTERFACE, `interface` of clouds.yaml, or "public" */
    interface?: string;
}
