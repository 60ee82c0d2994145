import type * as openstack from "@pulumi/openstack";
import type * as pulumi from "@pulumi/pulumi";
import { requireOpenstack } from "./openstack-plugin";

export type Endpoint = openstack.types.output.identity.GetAuthScopeServiceCatalogEndpoint;

/** Keystone's public endpoints from the catalogue. Outputs, because the cloud is asked when `after` is there. */
export function keystoneEndpoints(
    name: string,
    after: pulumi.CustomResource,
    options: pulumi.InvokeOptions,
): pulumi.Output<Endpoint[]> {
    return after.id.apply(async () => {
        const scope = await requireOpenstack().identity.getAuthScope({ name }, options);
        return scope.serviceCatalogs
            .filter(({ type }) => type === "identity")
            .flatMap(({ endpoints }) => endpoints)
            .filter(endpoint => endpoint.interface === "public");
    });
}

/**
 * The endpoint of a region. `at`: the input that has authUrl and region.
 * @throws Error that says which regions there are
 */
export function endpointOf(endpoints: readonly Endpoint[], region: string | undefined, at: string): Endpoint {
    const fitting = endpoints.filter(each => region === undefined || [each.region, each.regionId].includes(region));
    const [first] = fitting;
    if (first !== undefined && (region !== undefined || new Set(fitting.map(each => each.region)).size === 1))
        return first;
    const seen = [...new Set(endpoints.map(each => each.region))].sort().join(", ");
    const what = region === undefined ? "has several regions, or none" : `has no Keystone in the region "${region}"`;
    throw new Error(`the cloud's catalogue ${what} (${seen}): set ${at}.authUrl and ${at}.region`);
}
