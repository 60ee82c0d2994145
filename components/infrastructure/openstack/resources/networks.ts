import * as pulumi from "@pulumi/pulumi";
import { givenKey, onlySubnetKey } from "../../../../provider/openstack/given-names";
import { isId } from "../../../../provider/openstack/is-id";
import type { ResourceContext } from "./resource-context";

/** Subnet of a network; its name is optional if the network has only one. */
export function subnetOf({ ask, openstack, given, found }: ResourceContext, network: string, subnet?: string) {
    const key = subnet === undefined ? onlySubnetKey(network) : givenKey("subnet", subnet);
    return pulumi.all([given("network", network), found(key)]).apply(([networkId, id]) => {
        const subnetId = id ?? (isId(subnet ?? "") ? subnet : undefined);
        const which = subnetId !== undefined ? { subnetId } : { name: subnet };
        return ask(options => openstack.networking.getSubnet({ networkId, ...which }, options));
    });
}

/**
 * The external network's present name, for new floating IPs: the plug-in accepts no id there. `id`: of another network than the
 * plan's.
 */
export function floatingPool(
    { plan, ask, openstack, given }: ResourceContext,
    id?: pulumi.Input<string>,
): pulumi.Input<string> {
    return pulumi
        .output(id ?? given("network", plan.externalNetwork ?? ""))
        .apply(networkId => ask(options => openstack.networking.getNetwork({ networkId }, options)))
        .apply(({ name }) => name!);
}
