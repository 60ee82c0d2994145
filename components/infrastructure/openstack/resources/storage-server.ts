import type * as pulumi from "@pulumi/pulumi";
import type { StorageServerPlan } from "../plan/server-plan";
import type { ServerPlace, StorageServerMade } from "../servers";
import { instance, keptVolume } from "./instance";
import { addressOf, floatingIp, port, storageKey } from "./ports";
import type { ResourceContext } from "./resource-context";

/**
 * The storage server, with every back end a single server with single volumes: Heat would replace it without stopping the exports, and
 * the volumes stay when the server, or the whole cluster, goes. It joins the nodes in their network.
 */
export function storageServer(
    context: ResourceContext,
    { network, securityGroups, reserved, before }: ServerPlace,
    plan: StorageServerPlan,
    userData: pulumi.Input<string>,
): StorageServerMade {
    const made = port(context, storageKey, plan.port, { network, securityGroups, after: reserved });
    const server = instance(context, storageKey, plan, { ports: [made.id], userData, dependsOn: before });
    const volumes = plan.volumes.map(wish => ({
        key: wish.key,
        ...keptVolume(context, storageKey, plan, wish, server),
    }));
    return {
        address: addressOf(made),
        ...(plan.floatingIp && { floatingIp: floatingIp(context, storageKey, made, network) }),
        id: server.id,
        server,
        attachments: volumes.map(({ attachment }) => attachment),
        volumes: Object.fromEntries(volumes.map(({ key, id }) => [key, id])),
    };
}
