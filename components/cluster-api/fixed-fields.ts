import type { FixedFields } from "../../provider/cluster-api/workload/workload-fixed";
import { canonicalJson } from "../../provider/steps/fingerprint";
import { contentHash } from "./content-name";
import type { Named } from "./machine-template";

type Spec = Record<string, unknown>;

type Kept = Record<string, (spec: Spec) => unknown>;

const whole = (...names: string[]): Kept => Object.fromEntries(names.map(name => [name, spec => spec[name]]));

const without =
    (...names: string[]) =>
    (value: Spec): Spec =>
        Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** Fields of an OpenStackCluster that stay, and what of a value counts. Source: the webhook of CAPO 0.12 to 0.14. */
const ofCluster: Kept = {
    managedSubnets: ({ managedSubnets }) => (managedSubnets as Spec[] | undefined)?.map(without("dnsNameservers")),
    ...whole("network", "subnets", "router", "externalNetwork", "disableExternalNetwork", "disableAPIServerFloatingIP"),
    apiServerLoadBalancer: ({ apiServerLoadBalancer }) =>
        without("allowedCIDRs", "monitor")((apiServerLoadBalancer ?? {}) as Spec),
    ...whole("controlPlaneEndpoint"),
    managedSecurityGroups: ({ managedSecurityGroups }) => (managedSecurityGroups === undefined ? undefined : "made"),
    ...whole("networkMTU", "disablePortSecurity", "tags"),
    "identityRef.region": ({ identityRef }) => (identityRef as Spec | undefined)?.["region"],
};

/** What CAPO's webhooks keep of these objects. Of a template its whole content, as a hash. */
export function fixedFields(objects: readonly Named[]): FixedFields {
    return Object.fromEntries(
        objects.flatMap(({ kind, metadata: { name }, ...rest }): [string, string][] => {
            const spec = (rest["spec"] ?? {}) as Spec;
            if (kind === "OpenStackMachineTemplate")
                return [[`${kind} ${name}: content`, contentHash(spec["template"])]];
            if (kind !== "OpenStackCluster") return [];
            return Object.entries(ofCluster).map(([field, of]) => [`${kind} ${name}: ${field}`, textOf(of(spec))]);
        }),
    );
}

const textOf = (value: unknown) =>
    value === undefined ? "" : typeof value === "string" ? value : canonicalJson(value);
