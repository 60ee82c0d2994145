import { NfvError } from "../common/errors";

/** How the cloud controller manager and the CSI driver reach the cloud's APIs. */
export interface CloudAccess {
    /** URL of Keystone. */
    authUrl: string;
    region?: string;
    applicationCredentialId: string;
    applicationCredentialSecret: string;
    /**
     * PEM certificate of the authority that signed the APIs' certificates. @default the public authorities in the
     * container images
     */
    caCertificate?: string;
}

/** Load balancers for Services, made by Octavia. */
export interface LoadBalancerConf {
    enabled?: boolean;
    floatingNetworkId?: string;
    floatingSubnetId?: string;
    subnetId?: string;
    networkId?: string;
    provider?: string;
    method?: string;
    flavorId?: string;
    availabilityZone?: string;
    internal?: boolean;
    createMonitor?: boolean;
    manageSecurityGroups?: boolean;
}

export interface CloudConfSpec {
    access: CloudAccess;
    loadBalancer?: LoadBalancerConf;
    blockStorage?: { ignoreVolumeZone?: boolean };
}

/** Where pods mount the Secret. */
export const configFolder = "/etc/config";

const loadBalancerNames: Record<keyof LoadBalancerConf, string> = {
    enabled: "enabled",
    floatingNetworkId: "floating-network-id",
    floatingSubnetId: "floating-subnet-id",
    subnetId: "subnet-id",
    networkId: "network-id",
    provider: "lb-provider",
    method: "lb-method",
    flavorId: "flavor-id",
    availabilityZone: "availability-zone",
    internal: "internal-lb",
    createMonitor: "create-monitor",
    manageSecurityGroups: "manage-security-groups",
};

type Value = string | boolean | undefined;

/**
 * The text of cloud.conf, which has git's configuration format. Secret. @throws INVALID_INPUT for values that a line
 * cannot hold
 */
export function cloudConf({ access, loadBalancer = {}, blockStorage = {} }: CloudConfSpec): string {
    return [
        ...section("Global", {
            "auth-url": access.authUrl,
            region: access.region,
            "application-credential-id": access.applicationCredentialId,
            "application-credential-secret": access.applicationCredentialSecret,
            "ca-file": access.caCertificate === undefined ? undefined : `${configFolder}/ca.crt`,
        }),
        ...section(
            "LoadBalancer",
            Object.fromEntries(
                (Object.keys(loadBalancerNames) as (keyof LoadBalancerConf)[]).map(key => [
                    loadBalancerNames[key],
                    loadBalancer[key],
                ]),
            ),
        ),
        ...section("BlockStorage", { "ignore-volume-az": blockStorage.ignoreVolumeZone }),
        "",
    ].join("\n");
}

function section(name: string, values: Record<string, Value>): string[] {
    const lines = Object.entries(values).flatMap(([key, value]) =>
        value === undefined ? [] : [`${key} = ${typeof value === "boolean" ? value : quoted(key, value)}`],
    );
    return lines.length === 0 ? [] : [`[${name}]`, ...lines];
}

/** Within quotes only quotes and backslashes need escaping. Line breaks and control characters cannot be written. */
function quoted(key: string, value: string): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
    if (/[\u0000-\u001f\u007f\ufeff]/.test(value)) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `cloud.conf: ${key} holds a line break or another control character`,
        });
    }
    return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}
