import type { ValueMap } from "../hot/types";
import { type JumpPlan, plainPort, type ServerPlan, type ServerPlanEntry, type VolumePlan } from "../plan/server-plan";
import { floatingAddress, portResource, routeOf, securityGroup } from "./heat-network";
import { addressOf, getParam, getResource, type HeatPart, joined, resource } from "./heat-parts";

/** The names of one server of the plan in the stack. They contain its key, so they stay when other servers come or go. */
export interface HeatServer {
    /** Resource of the server. */
    resource: string;
    /** Resources that are replaced together when the server is healed; port, floating address and further volumes stay. */
    healed: string[];
    /** Parameter for the user data; its value is secret. */
    userDataParameter: string;
    /** Parameter for the image: an existing server keeps its image when the program names another one. */
    imageParameter: string;
    /** Parameter for the flavor, kept in the same way. */
    flavorParameter: string;
    /** Parameter that is raised so that Heat updates the stack and replaces a server that is marked unhealthy. */
    generationParameter: string;
    /** Names of outputs, each a string. */
    outputs: { address: string; floatingAddress?: string; serverId: string; volumes: Record<string, string> };
}

export const jumpNames = {
    resource: "jump_server",
    userDataParameter: "jump_user_data",
    imageParameter: "jump_image",
    flavorParameter: "jump_flavor",
    generationParameter: "jump_generation",
    address: "jump_address",
    serverId: "jump_server_id",
};

/** Keys contain no underscore, so the names of two servers cannot be equal. */
export function heatServer({ key, floatingIp, bootVolume, volumes }: ServerPlanEntry): HeatServer {
    return {
        resource: `${key}_server`,
        healed: [`${key}_server`, ...(bootVolume ? [`${key}_boot_volume`] : [])],
        userDataParameter: `${key}_user_data`,
        imageParameter: `${key}_image`,
        flavorParameter: `${key}_flavor`,
        generationParameter: `${key}_generation`,
        outputs: {
            address: `${key}_address`,
            ...(floatingIp && { floatingAddress: `${key}_floating_address` }),
            serverId: `${key}_server_id`,
            volumes: Object.fromEntries(volumes.map(volume => [volume.key, `${key}_volume_${volume.key}`])),
        },
    };
}

/** Everything that belongs to one server. */
export function serverPart(plan: ServerPlan, entry: ServerPlanEntry): HeatPart {
    const { key, bootVolume, serverGroup } = entry;
    const names = heatServer(entry);
    const ports = entry.ports.map((_, i) => portName(key, i + 1));
    const server = serverResource(plan, entry, {
        ...(bootVolume ? bootFrom(`${key}_boot_volume`) : { image: getParam(names.imageParameter) }),
        flavor: getParam(names.flavorParameter),
        availability_zone: entry.availabilityZone,
        scheduler_hints: serverGroup && { group: getResource(serverGroupName(serverGroup)) },
        networks: ports.map(port => ({ port: getResource(port) })),
        metadata: counted(entry.metadata, names),
        config_drive: entry.configDrive,
        user_data: getParam(names.userDataParameter),
    });
    return joined([
        {
            parameters: parametersOf(entry.name, names),
            resources: {
                ...Object.fromEntries(
                    entry.ports.map((port, i) => [ports[i], portResource(plan, port, ["security_group"])]),
                ),
                ...(bootVolume && {
                    [`${key}_boot_volume`]: volumeResource(bootVolume, entry, {
                        image: getParam(names.imageParameter),
                    }),
                }),
                [names.resource]: server,
                ...volumesOf(entry),
            },
            outputs: {
                [names.outputs.address]: { value: addressOf(ports[0]!) },
                [names.outputs.serverId]: { value: getResource(names.resource) },
                ...Object.fromEntries(
                    Object.entries(names.outputs.volumes).map(([volume, output]) => [
                        output,
                        { value: getResource(volumeName(key, volume)) },
                    ]),
                ),
            },
        },
        ...(entry.floatingIp ? [floatingAddress(plan, key, ports[0]!, names.outputs.floatingAddress!)] : []),
    ]);
}

/** The only server with SSH from outside. It has no data: when it is lost or its inputs change, it is replaced. */
export function jumpPart(plan: ServerPlan, { securityGroup: group, ...jump }: JumpPlan): HeatPart {
    const server = serverResource(plan, jump, {
        image: getParam(jumpNames.imageParameter),
        flavor: getParam(jumpNames.flavorParameter),
        networks: [{ port: getResource("jump_port") }],
        metadata: counted(jump.metadata, jumpNames),
        user_data: getParam(jumpNames.userDataParameter),
    });
    return joined([
        securityGroup("jump_security_group", plan, group),
        {
            parameters: parametersOf(jump.name, jumpNames),
            resources: {
                jump_port: portResource(plan, plainPort(jump.name), ["security_group", "jump_security_group"]),
                [jumpNames.resource]: server,
            },
            outputs: { [jumpNames.serverId]: { value: getResource(jumpNames.resource) } },
        },
        floatingAddress(plan, "jump", "jump_port", jumpNames.address),
    ]);
}

/** `number`: from 1. */
export function portName(key: string, number: number): string {
    return `${key}_port_${number}`;
}

export function serverGroupName(key: string): string {
    return `server_group_${key}`;
}

function volumeName(key: string, volume: string): string {
    return `${key}_volume_${volume}`;
}

function serverResource(
    { keyPair, ...plan }: ServerPlan,
    { name }: { name: string },
    properties: Record<string, unknown>,
): ValueMap {
    const common = {
        name,
        key_name: keyPair.made ? getResource("key_pair") : keyPair.name,
        // A server rebuilt in place would keep its id, and its loss of data would stay unnoticed.
        image_update_policy: "REPLACE",
        // A resize would stop the machine; a replacement is seen beforehand, and refused.
        flavor_update_policy: "REPLACE",
        user_data_format: "RAW",
        // cloud-init reads user data once, so a new text is for new servers only.
        user_data_update_policy: "IGNORE",
    };
    return resource("OS::Nova::Server", { ...common, ...properties }, routeOf({ keyPair, ...plan }));
}

/** A boot volume as a resource, because Nova gives the volumes that it makes itself no name, type or owner. */
function bootFrom(volume: string) {
    const device = { volume_id: getResource(volume), boot_index: 0, delete_on_termination: false };
    return { block_device_mapping_v2: [device] };
}

function volumesOf(entry: ServerPlanEntry): ValueMap {
    const resources = entry.volumes.flatMap(volume => {
        const name = volumeName(entry.key, volume.key);
        const attachment = resource("OS::Cinder::VolumeAttachment", {
            instance_uuid: getResource(heatServer(entry).resource),
            volume_id: getResource(name),
        });
        return [
            [name, volumeResource(volume, entry)],
            [`${entry.key}_attachment_${volume.key}`, attachment],
        ];
    });
    return Object.fromEntries(resources);
}

function volumeResource({ name, sizeGiB, type }: VolumePlan, { metadata }: ServerPlanEntry, more = {}): ValueMap {
    return resource("OS::Cinder::Volume", { name, size: sizeGiB, volume_type: type, metadata, ...more });
}

type Parameters = Pick<HeatServer, "userDataParameter" | "imageParameter" | "flavorParameter" | "generationParameter">;

function parametersOf(server: string, names: Parameters): ValueMap {
    const text = (description: string) => ({ type: "string", description });
    return {
        [names.userDataParameter]: text(`User data of ${server}`),
        [names.imageParameter]: text(`Image that ${server} is made from`),
        [names.flavorParameter]: text(`Flavor that ${server} is made of`),
        [names.generationParameter]: {
            type: "number",
            description: `Counts how often ${server} was healed`,
            constraints: [{ range: { min: 0 } }],
        },
    };
}

function counted(metadata: Record<string, string>, { generationParameter }: Parameters) {
    return { ...metadata, "pulumi-nfv.generation": getParam(generationParameter) };
}
