import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../provider/dynamic";
import {
    clearTheAddress,
    clearThePort,
    type WantedFloatingIp,
    type WantedPort,
} from "../../provider/resources/orphan-addresses";
import { clearTheName, refuseSecondCluster, type ServersOwner } from "../../provider/resources/orphan-servers";
import { contextOf, knownValue } from "./hook-context";

/** Run by the engine only where it is about to make the resource: where no state has it. */
export interface NovaHooks {
    server: pulumi.ResourceHook;
    network: pulumi.ResourceHook;
    /** Of ports with a wanted address. */
    port: pulumi.ResourceHook;
    floatingIp: pulumi.ResourceHook;
}

/** What is looked at in the cloud right before servers, their addresses, and the network they are in, are made. */
export function novaHooks(
    name: string,
    owner: DeepInput<ServersOwner>,
    servers: readonly string[],
    parent: pulumi.Resource,
): NovaHooks {
    return {
        server: new pulumi.ResourceHook(`pulumi-nfv-server-${name}`, async ({ newInputs }) =>
            clearTheName((newInputs as { name: string }).name, await knownValue(owner), contextOf(parent)),
        ),
        network: new pulumi.ResourceHook(`pulumi-nfv-network-${name}`, async () =>
            refuseSecondCluster(await knownValue(owner), servers),
        ),
        port: new pulumi.ResourceHook(`pulumi-nfv-port-${name}`, async ({ newInputs }) =>
            clearTheAddress(newInputs as WantedPort, await knownValue(owner), contextOf(parent)),
        ),
        floatingIp: new pulumi.ResourceHook(`pulumi-nfv-floating-ip-${name}`, async ({ newInputs }) =>
            clearThePort(newInputs as WantedFloatingIp, await knownValue(owner), contextOf(parent)),
        ),
    };
}
