import type { blockstorage, compute } from "@pulumi/openstack";
import * as pulumi from "@pulumi/pulumi";
import { isId } from "../../../../provider/openstack/is-id";
import type { ServerPlanEntry, VolumePlan } from "../plan/server-plan";
import type { NovaContext } from "./nova-context";

/** What a server is made of, for a node or the jump server. */
export type InstancePlan = Pick<ServerPlanEntry, "name" | "image" | "flavor" | "metadata"> &
    Partial<Pick<ServerPlanEntry, "availabilityZone" | "bootVolume" | "configDrive">>;

export interface InstanceParts {
    /** Ids, in the order of the interfaces. */
    ports: pulumi.Input<string>[];
    userData: pulumi.Input<string>;
    /** Id of the server group. */
    serverGroup?: pulumi.Input<string>;
    /** The external route and the key pair. */
    dependsOn: pulumi.Resource[];
}

/**
 * These inputs take effect only when a server is created, also when it is replaced by name (`pulumi up --replace`). A refresh writes the
 * present names of image and flavor, or "Image not found", into the state, and clouds reuse such names: without this, all servers
 * would be replaced or resized at once. OperationStart refuses what a user wants to change in an existing server.
 */
const bornWith = [
    ...["imageId", "imageName", "blockDevices"],
    ...["flavorId", "flavorName"],
    ...["keyPair", "schedulerHints", "availabilityZoneHints", "configDrive"],
    // cloud-init reads user data once.
    "userData",
    // The ports below decide, by the trigger. A refresh takes the interfaces of a renamed network for other ones.
    "networks",
];

export function instance(
    context: NovaContext,
    key: string,
    plan: InstancePlan,
    parts: InstanceParts,
): compute.Instance {
    const { openstack, name, options, protect, ownKey, before } = context;
    return new openstack.compute.Instance(
        name(key),
        {
            name: plan.name,
            ...(isId(plan.flavor) ? { flavorId: plan.flavor } : { flavorName: plan.flavor }),
            ...disk(context, plan),
            keyPair: context.plan.keyPair.name,
            networks: parts.ports.map(port => ({ port })),
            ...(parts.serverGroup !== undefined && { schedulerHints: [{ group: parts.serverGroup }] }),
            // Only a hint at creation: a server that the cloud moves to another zone is still the same server.
            availabilityZoneHints: plan.availabilityZone,
            configDrive: plan.configDrive,
            metadata: { ...plan.metadata, ...ownKey },
            userData: pulumi.secret(parts.userData),
        },
        options({
            dependsOn: parts.dependsOn,
            protect,
            // A port can belong to one server at a time.
            deleteBeforeReplace: true,
            ignoreChanges: bornWith,
            replacementTrigger: parts.ports,
            ...before("server"),
        }),
    );
}

/** Nova creates and deletes a boot volume with its server: a replaced server starts with an empty disk. */
function disk(context: NovaContext, { image, bootVolume }: InstancePlan) {
    if (!bootVolume) return isId(image) ? { imageId: image } : { imageName: image };
    return {
        blockDevices: [
            {
                sourceType: "image",
                destinationType: "volume",
                uuid: imageId(context, image),
                bootIndex: 0,
                volumeSize: bootVolume.sizeGiB,
                ...(bootVolume.type !== undefined && { volumeType: bootVolume.type }),
                deleteOnTermination: true,
            },
        ],
    };
}

/** If the image no longer exists, the checks have refused new servers, and existing servers ignore this value. */
function imageId({ ask, openstack }: NovaContext, image: string): pulumi.Input<string> {
    if (isId(image)) return image;
    const found = (options: pulumi.InvokeOptions) =>
        openstack.images.getImage({ name: image, mostRecent: true }, options);
    return ask(options =>
        found(options)
            .then(({ id }) => id)
            .catch(() => image),
    );
}

/** A separate volume, which outlives its server, and its attachment. */
export function volume(
    { openstack, name, options, protect, before }: NovaContext,
    server: ServerPlanEntry,
    plan: VolumePlan,
    attachedTo: compute.Instance,
): { made: blockstorage.Volume; attachment: compute.VolumeAttach } {
    const key = name(`${server.key}-${plan.key}`);
    const made = new openstack.blockstorage.Volume(
        key,
        {
            name: plan.name,
            size: plan.sizeGiB,
            volumeType: plan.type,
            metadata: server.metadata,
            enableOnlineResize: true,
        },
        // For the plug-in, a renamed volume type is a different one, and it would replace the volume with its data.
        options({ protect, ignoreChanges: ["volumeType"] }),
    );
    const attachment = new openstack.compute.VolumeAttach(
        key,
        { instanceId: attachedTo.id, volumeId: made.id },
        options({ deleteBeforeReplace: true, ...before("attachment") }),
    );
    return { made, attachment };
}
