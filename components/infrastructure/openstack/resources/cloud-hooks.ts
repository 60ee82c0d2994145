import type * as pulumi from "@pulumi/pulumi";
import { resourceHook } from "../../../../provider/adapters/hooks";
import {
    clearTheAddress,
    clearTheApiAddress,
    clearThePort,
    keepTheStorageAddress,
} from "../../../../provider/cloud/orphans/orphan-addresses";
import { refuseSecondAttachment } from "../../../../provider/cloud/orphans/orphan-attachments";
import { clearTheKeyPair } from "../../../../provider/cloud/orphans/orphan-keys";
import {
    clearTheRange,
    clearTheRoute,
    clearTheRouter,
    refuseSecondGroup,
} from "../../../../provider/cloud/orphans/orphan-network";
import { clearTheRule } from "../../../../provider/cloud/orphans/orphan-rules";
import {
    clearTheName,
    refuseSecondCluster,
    type ServersOwner,
} from "../../../../provider/cloud/orphans/orphan-servers";
import {
    refuseSecondVolume,
    refuseShrinking,
    refuseVolumeInUse,
} from "../../../../provider/cloud/orphans/orphan-volumes";
import type { Place } from "../../../../provider/contract/place-in-program";
import type { Context } from "../../../../provider/contract/types";
import { contextOf, knownValue } from "../hook-context";
import type { ServersRequest } from "../servers";

/** What the engine is about to create, and its owner. */
interface Subject {
    /** The resource's inputs, as its hook gets them. */
    wanted: never;
    owner: ServersOwner;
    context: Context;
    place: Place;
    /** Names of the nodes; of a storage server of its own, its name. */
    servers: readonly string[];
}

/** What is checked in the cloud right before a resource is created, by hook. */
const looks = {
    server: ({ wanted, owner, context }) => clearTheName((wanted as { name: string }).name, owner, context),
    network: ({ owner, servers, context }) => refuseSecondCluster(owner, servers, context),
    subnet: ({ wanted, owner, context }) => clearTheRange(wanted, owner, context),
    router: ({ wanted, owner, place, context }) => clearTheRouter(wanted, owner, context, place),
    "security-group": ({ wanted, owner, servers, place, context }) =>
        refuseSecondGroup(wanted, owner, context, { servers, place }),
    "router-interface": ({ wanted, owner, context }) => clearTheRoute(wanted, owner, context),
    rule: ({ wanted, owner, context }) => clearTheRule(wanted, owner, context),
    port: ({ wanted, owner, place, context }) => clearTheAddress(wanted, owner, context, undefined, place),
    "api-port": ({ wanted, owner, context, servers, place }) =>
        clearTheApiAddress(wanted, owner, context, { servers, place }),
    "storage-port": ({ wanted, owner, place, context }) => keepTheStorageAddress(wanted, owner, context, place),
    "floating-ip": ({ wanted, owner, context, servers, place }) =>
        clearThePort(wanted, owner, context, { servers, place }),
    "key-pair": ({ wanted, owner, context }) => clearTheKeyPair(wanted, owner, context),
    "node-volume": ({ wanted, owner, place, context }) => refuseVolumeInUse(wanted, owner, place, context),
    volume: ({ wanted, owner, place, context }) => refuseSecondVolume(wanted, owner, place, context),
    attachment: ({ wanted, owner, place, context }) => refuseSecondAttachment(wanted, owner, place, context),
} satisfies Record<string, (subject: Subject) => Promise<void>>;

type Kind = keyof typeof looks;

/**
 * The engine runs them only when it is about to create the resource: it is in no state, or the user replaces it by name. `shrink`: before it changes a
 * volume.
 */
export type CloudHooks = Record<Kind | "shrink", pulumi.ResourceHook>;

export function cloudHooks({
    name,
    owner,
    plan,
    parent,
    provider,
}: Pick<ServersRequest, "name" | "owner" | "plan" | "parent" | "provider">): CloudHooks {
    const alone = plan.servers.length === 0 && plan.storage !== undefined ? [plan.storage] : [];
    const servers = [...plan.servers, ...alone].map(server => server.name);
    const storage = plan.storage && { storageInputs: plan.storage.inputs };
    const context = contextOf(parent);
    const placeOf = (resource: string) =>
        knownValue<Place>({
            name: resource,
            parent: parent.urn,
            ...storage,
            ...(provider && { provider: provider.urn }),
        });
    const hook = (kind: Kind) =>
        resourceHook(`pulumi-nfv-${kind}-${name}`, async ({ name: resource, newInputs }) =>
            looks[kind]({
                wanted: newInputs as never,
                owner: await knownValue(owner),
                context,
                place: await placeOf(resource),
                servers,
            }),
        );
    const shrink = resourceHook(`pulumi-nfv-shrink-${name}`, async ({ oldInputs, newInputs }) =>
        refuseShrinking(oldInputs as never, newInputs as never),
    );
    return {
        ...Object.fromEntries((Object.keys(looks) as Kind[]).map(kind => [kind, hook(kind)])),
        shrink,
    } as CloudHooks;
}
