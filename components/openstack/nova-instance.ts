import type { blockstorage, compute } from "@pulumi/openstack";
import * as pulumi from "@pulumi/pulumi";
import { isId } from "../../provider/openstack/is-id";
import type { NovaContext } from "./nova-context";
import type { ServerPlanEntry, VolumePlan } from "./server-plan";

/** What a server is made of: of a node or the jump server. */
export type InstancePlan = Pick<ServerPlanEntry, "name" | "image" | "flavor" | "metadata"> &
    Partial<Pick<ServerPlanEntry, "availabilityZone" | "bootVolume" | "configDrive">>;

export interface InstanceParts {
    /** Ids, in the order of the interfaces. */
    ports: pulumi.Input<string>[];
    userData: pulumi.Input<string>;
    /** Id of the server group. */
    serverGroup?: pulumi.Input<string>;
    /** The way out and the key pair. */
    dependsOn: pulumi.Resource[];
}

/**
 * What a server is made of enters new ones only: also one that is asked for by name (`pulumi up --replace`), for which the engine takes
 * what the program says. A refresh writes today's names of image and flavor into the state, or "Image not found", and clouds give
 * these names to others: without this all servers would be replaced, or resized, at once. OperationStart refuses what a user wants to
 * change of a server that exists.
 */
const bornWith = [
    ...["imageId", "imageName", "blockDevices"],
    ...["flavorId", "flavorName"],
    ...["keyPair", "schedulerHints", "availabilityZoneHints", "configDrive"],
    // cloud-init reads it once.
    "userData",
    // Their ports decide, by the trigger below: a refresh takes interfaces of a network that was renamed for others.
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
            // Only a wish when it is made: a server that the cloud moves to another zone is no other server.
            availabilityZoneHints: plan.availabilityZone,
            configDrive: plan.configDrive,
            metadata: { ...plan.metadata, ...ownKey },
            userData: pulumi.secret(parts.userData),
        },
        options({
            dependsOn: parts.dependsOn,
            protect,
            // Its ports can have one server at a time.
            deleteBeforeReplace: true,
            ignoreChanges: bornWith,
            replacementTrigger: parts.ports,
            ...before("server"),
        }),
    );
}

/** A boot volume is made and deleted by Nova with its server: one that is replaced begins with an empty disk. */
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

/** Where there is none any more, the checks have refused new servers, and of those that exist this is not looked at. */
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

/** A volume of its own, which outlives its server. */
export function volume(
    { openstack, name, options, protect, before }: NovaContext,
    server: ServerPlanEntry,
    plan: VolumePlan,
    attachedTo: compute.Instance,
): blockstorage.Volume {
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
        // A volume type that was renamed is another one to the plug-in, which would replace the volume, with the data in it.
        options({ protect, ignoreChanges: ["volumeType"] }),
    );
    new openstack.compute.VolumeAttach(
        key,
        { instanceId: attachedTo.id, volumeId: made.id },
        options({ deleteBeforeReplace: true, ...before("attachment") }),
    );
    return made;
}
