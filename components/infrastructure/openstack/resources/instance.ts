import type { blockstorage, compute } from "@pulumi/openstack";
import * as pulumi from "@pulumi/pulumi";
import { isId } from "../../../../provider/openstack/is-id";
import { volumeKey } from "../../../../provider/openstack/requirements";
import type { ServerPlanEntry, StorageServerPlan, StorageVolumePlan, VolumePlan } from "../plan/server-plan";
import type { ResourceContext } from "./resource-context";

/** What a server is made of, for a node or the jump server. */
export type InstancePlan = Pick<ServerPlanEntry, "name" | "image" | "flavor" | "metadata"> &
    Partial<Pick<ServerPlanEntry, "availabilityZone" | "bootVolume" | "configDrive">>;

export interface InstanceParts {
    /** Ids, in the order of the interfaces. */
    ports: pulumi.Input<string>[];
    userData: pulumi.Input<string>;
    /** Id of the server group. */
    serverGroup?: pulumi.Input<string>;
    /** Another number replaces the server. Undefined: it was never healed. */
    heal?: pulumi.Output<number | undefined> | undefined;
    /** What must be there before the server is replaced. */
    turn?: Promise<pulumi.Resource[]> | undefined;
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
    context: ResourceContext,
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
            ...(parts.turn && { turn: parts.turn }),
            protect,
            // A port can belong to one server at a time.
            deleteBeforeReplace: true,
            ignoreChanges: bornWith,
            replacementTrigger: trigger(parts),
            ...before("server"),
        }),
    );
}

/** The number is part of a port's text: without one, the trigger must stay as it was. */
function trigger({ ports: [first, ...others], heal }: InstanceParts): pulumi.Input<string>[] {
    if (first === undefined || heal === undefined) return first === undefined ? [] : [first, ...others];
    const withHeal = pulumi.all([first, heal]).apply(([id, number]) => (number === undefined ? id : `${id} ${number}`));
    return [withHeal, ...others];
}

/** Nova creates and deletes a boot volume with its server: a replaced server starts with an empty disk. */
function disk(context: ResourceContext, { image, bootVolume }: InstancePlan) {
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
function imageId({ ask, openstack }: ResourceContext, image: string): pulumi.Input<string> {
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
    context: ResourceContext,
    server: ServerPlanEntry,
    plan: VolumePlan,
    attachedTo: compute.Instance,
): { made: blockstorage.Volume; attachment: compute.VolumeAttach } {
    const { openstack, name, options, protect, before } = context;
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
        options({ protect, ignoreChanges: ["volumeType"], ...before("node-volume") }),
    );
    return { made, attachment: attached(context, key, attachedTo, made.id) };
}

/** A volume whose data stays, whatever happens to the program: Pulumi never deletes it. A second one in its place would hide the first. */
export function keptVolume(
    context: ResourceContext,
    server: string,
    { metadata }: Pick<StorageServerPlan, "metadata">,
    plan: StorageVolumePlan,
    attachedTo: compute.Instance,
): { id: pulumi.Output<string>; attachment: compute.VolumeAttach } {
    const { openstack, name, options, ownKey, before } = context;
    const key = name(`${server}-${plan.key}`);
    const given = {
        name: plan.name,
        size: plan.sizeGiB,
        volumeType: plan.type,
        ...(plan.snapshot !== undefined && { snapshotId: plan.snapshot }),
        metadata: { ...metadata, ...ownKey, [volumeKey]: plan.key },
        enableOnlineResize: true,
    };
    // A volume keeps what it was made with and from: for the plug-in, another type or snapshot is another volume.
    const kept = { retainOnDelete: true, ignoreChanges: ["volumeType", "snapshotId"], ...before("volume") };
    const id =
        plan.existing === undefined
            ? new openstack.blockstorage.Volume(key, given, options(kept)).id
            : pulumi.output(plan.existing);
    // Another volume is another attachment: it is made, then its checks run, and only then the former one goes.
    const attachment = plan.existing === undefined ? key : `${key}-${plan.existing.slice(0, 8)}`;
    return { id, attachment: attached(context, attachment, attachedTo, id) };
}

function attached(
    { openstack, options, before }: ResourceContext,
    key: string,
    { id: instanceId }: compute.Instance,
    volumeId: pulumi.Input<string>,
): compute.VolumeAttach {
    const how = { deleteBeforeReplace: true, ...before("attachment") };
    return new openstack.compute.VolumeAttach(key, { instanceId, volumeId }, options(how));
}
