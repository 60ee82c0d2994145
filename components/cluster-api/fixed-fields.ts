import type { FixedFields } from "../../provider/resources/workload-fixed";
import { canonicalJson } from "../../provider/steps/fingerprint";
import { contentHash } from "./content-name";
import type { Named } from "./machine-template";

type Spec = Record<string, unknown>;

/** Fields of an OpenStackCluster that stay, and what of a value counts. Source: the webhook of CAPO 0.12 to 0.14. */
const ofCluster: Record<string, (spec: Spec) => unknown> = {
    managedSubnets: ({ managedSubnets }) => (managedSubnets as Spec[] | undefined)?.map(without("dnsNameservers")),
    network: ({ network }) => network,
    subnets: ({ subnets }) => subnets,
    router: ({ router }) => router,
    externalNetwork: ({ externalNetwork }) => externalNetwork,
    disableExternalNetwork: ({ disableExternalNetwork }) => disableExternalNetwork,
    disableAPIServerFloatingIP: ({ disableAPIServerFloatingIP }) => disableAPIServerFloatingIP,
    apiServerLoadBalancer: ({ apiServerLoadBalancer }) =>
        without("allowedCIDRs", "monitor")((apiServerLoadBalancer ?? {}) as Spec),
    controlPlaneEndpoint: ({ controlPlaneEndpoint }) => controlPlaneEndpoint,
    managedSecurityGroups: ({ managedSecurityGroups }) => (managedSecurityGroups === undefined ? undefined : "made"),
    networkMTU: ({ networkMTU }) => networkMTU,
    disablePortSecurity: ({ disablePortSecurity }) => disablePortSecurity,
    tags: ({ tags }) => tags,
    "identityRef.region": ({ identityRef }) => (identityRef as Spec | undefined)?.["region"],
};

const without =
    (...names: string[]) =>
    (value: Spec): Spec =>
        Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

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
