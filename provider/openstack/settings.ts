/**
 * Which cloud is meant, without any secret: credentials come from clouds.yaml or the environment each time they are needed, and are
 * never stored. Whatever is not given is taken from OS_* variables, then from clouds.yaml.
 */
export interface CloudSettings {
    /** Name in clouds.yaml. @default OS_CLOUD; without it credentials are read from OS_AUTH_URL, OS_USERNAME, … */
    cloud?: string;
    /** @default OS_REGION_NAME, `region_name` of clouds.yaml, or the only region there is */
    region?: string;
    /** Address of Keystone, with or without "/v3". @default that of clouds.yaml, or OS_AUTH_URL */
    authUrl?: string;
    /** File of the authority that signed the APIs' certificates (PEM). @default OS_CACERT, or `cacert` of clouds.yaml */
    caFile?: string;
    /** Which endpoints are used: `public`, `internal` or `admin`. @default OS_INTERFACE, `interface` of clouds.yaml, or "public" */
    interface?: string;
}
