import * as pulumi from "@pulumi/pulumi";
import type { DeepInput } from "../../provider/dynamic";
import { clearTheName, refuseSecondCluster, type ServersOwner } from "../../provider/resources/orphan-servers";
import { contextOf, knownValue } from "./hook-context";

/** Run by the engine only where it is about to make the resource: where no state has it. */
export interface NovaHooks {
    server: pulumi.ResourceHook;
    network: pulumi.ResourceHook;
}

/** What is looked at in the cloud right before servers, and the network they are in, are made. */
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
    };
}
