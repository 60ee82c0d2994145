import type {
    BackEnd,
    CloudRequirements,
    FloatingIpNeed,
    NetworkNeed,
    Reference,
    ServerNeed,
} from "../../../../provider/openstack/requirements";
import type { KubernetesClusterArgs } from "../../../args/args";
import type { CloudServersArgs, ServerArgs } from "../../../args/infrastructure-args";
import { defaults } from "../../../common/plain-args";
import { cloudOf, stackNameOf } from "./cloud-args";
import { type ServerGroupRequest, serverGroups } from "./server-groups";
import type { PortPlan, ServerPlan, ServerPlanEntry } from "./server-plan";
import { pathOf, storageGroups, storageNeed, volumeNeed } from "./storage-needs";

/** What the plan requires of a cloud, each with its place in the user's inputs. Pure. */
export function cloudRequirements(plan: ServerPlan, backEnd: BackEnd, args: KubernetesClusterArgs): CloudRequirements {
    const cloud = cloudOf(args) ?? {};
    const place = `infrastructure.${backEnd}`;
    const groups = serverGroups(args);
    const places = (server: ServerPlanEntry) =>
        placesOf(place, cloud, groups.find(({ pool }) => pool === server.pool)!);
    const { network, vip, keyPair, externalNetwork } = plan;
    const external = reference(externalNetwork, `${place}.externalNetwork`);
    const nodes = { network: plan.network, place };
    return {
        backEnd,
        clusterName: plan.clusterName,
        owner: plan.metadata,
        servers: [
            ...plan.servers.map(server => serverNeed(server, places(server), nodes)),
            ...jump(plan, cloud, nodes),
            ...storage(plan, args, nodes),
        ],
        ...(backEnd === "heat" && {
            stack: { name: stackNameOf(args, plan.clusterName), path: `${place}.stackName` },
        }),
        ...(external && { externalNetwork: external }),
        ...(vip?.floatingIp && { floatingIps: [{ name: vip.portName, path: `${place}.access.apiFloatingIp` }] }),
        ...(vip && {
            vip: {
                name: vip.portName,
                ...(vip.address !== undefined && { address: vip.address }),
                network: clusterNetwork(nodes),
                path: `controlPlane.endpoint.vip${vip.address === undefined ? "" : ".address"}`,
            },
        }),
        ...(keyPair.made
            ? { keyPairsMade: [keyPair.name] }
            : { keyPair: { name: keyPair.name, path: `${place}.keyPair` } }),
        securityGroups: givenGroups(plan, places),
        securityGroupsMade: [plan.securityGroup, ...(plan.jumpServer ? [plan.jumpServer.securityGroup] : [])].map(
            ({ name, rules }) => ({ name, rules: rules.length }),
        ),
        serverGroupsMade: plan.serverGroups.map(({ key, name, policy }) => ({
            name,
            policy,
            members: plan.servers.filter(({ serverGroup }) => serverGroup === key).length,
            path: places({ pool: groups.find(group => group.key === key)?.pool } as ServerPlanEntry).of("serverGroup"),
        })),
        ...(network.made && {
            networksMade: [
                {
                    name: network.name,
                    subnets: [{ name: network.subnetName, cidr: network.cidr, path: `${place}.network.cidr` }],
                    routed: true,
                    path: `${place}.network`,
                },
            ],
            ...("existing" in network.router
                ? { routers: [{ name: network.router.existing, path: `${place}.network.router` }] }
                : {
                      routersMade: [
                          {
                              name: network.router.name,
                              ...(external && { externalNetwork: external }),
                              interfaces: 1,
                              path: `${place}.network`,
                          },
                      ],
                  }),
        }),
        podCidr: { name: args.network?.podCidr ?? defaults.podCidr, path: "network.podCidr" },
        serviceCidr: { name: args.network?.serviceCidr ?? defaults.serviceCidr, path: "network.serviceCidr" },
    };
}

/** Where the settings of a group's servers are: with the group, or with the settings of all servers. */
interface Places {
    of(key: keyof ServerArgs): string;
    image: string;
    flavor: string;
}

function placesOf(place: string, cloud: CloudServersArgs, group: ServerGroupRequest): Places {
    const of = (key: keyof ServerArgs) =>
        `${group.own[key] !== undefined || cloud.server?.[key] === undefined ? `${group.path}` : place}.server.${key}`;
    return {
        of,
        image: group.settings.image === undefined && cloud.image !== undefined ? `${place}.image` : of("image"),
        flavor: group.flavor === undefined && cloud.flavor !== undefined ? `${place}.flavor` : `${group.path}.flavor`,
    };
}

interface Nodes {
    network: ServerPlan["network"];
    /** Place of the back end in the inputs. */
    place: string;
}

function clusterNetwork({ network, place }: Nodes): NetworkNeed {
    const path = `${place}.network`;
    if (network.made) return { made: network.name, path };
    const subnet = reference(network.subnet, `${path}.subnet`);
    return { network: { name: network.network, path: `${path}.network` }, ...(subnet && { subnet }), path };
}

function serverNeed(server: ServerPlanEntry, places: Places, nodes: Nodes): ServerNeed {
    const zone = reference(server.availabilityZone, places.of("availabilityZones"));
    return {
        name: server.name,
        role: server.role,
        flavor: { name: server.flavor, path: places.flavor },
        image: { name: server.image, path: places.image },
        ...(zone && { zone }),
        ...(server.bootVolume && { bootVolume: volumeNeed(server.bootVolume, places.of("bootVolume")) }),
        volumes: server.volumes.map(volume => volumeNeed(volume, `${places.of("volumes")}.${volume.key}`)),
        networks: server.ports.map((port, i) => networkNeed(port, `${places.of("networks")}.${i - 1}`, nodes)),
        ...(server.floatingIp && { floatingIp: floatingIp(server.name, nodes) }),
    };
}

function networkNeed({ name, network }: PortPlan, path: string, nodes: Nodes): NetworkNeed {
    if (!network) return { portName: name, ...clusterNetwork(nodes) };
    const subnet = reference(network.subnet, `${path}.subnet`);
    return {
        portName: name,
        network: { name: network.network, path: `${path}.network` },
        ...(subnet && { subnet }),
        path,
    };
}

function floatingIp(name: string, { place }: Nodes): FloatingIpNeed {
    return { name, path: `${place}.access.floatingIps` };
}

/** Where the image of servers stands that have none of their own. */
function imageOfAll({ server }: CloudServersArgs, { place }: Nodes): string {
    return server?.image === undefined ? `${place}.image` : `${place}.server.image`;
}

function jump({ jumpServer }: ServerPlan, cloud: CloudServersArgs, nodes: Nodes): ServerNeed[] {
    if (!jumpServer) return [];
    const path = `${nodes.place}.access.jumpServer`;
    return [
        {
            name: jumpServer.name,
            role: "other",
            flavor: { name: jumpServer.flavor, path: `${path}.flavor` },
            image: {
                name: jumpServer.image,
                path: cloud.access?.jumpServer?.image ? `${path}.image` : imageOfAll(cloud, nodes),
            },
            networks: [{ portName: jumpServer.name, ...clusterNetwork(nodes) }],
            floatingIp: { name: jumpServer.name, path },
        },
    ];
}

function storage({ storage: server }: ServerPlan, args: KubernetesClusterArgs, nodes: Nodes): ServerNeed[] {
    if (!server) return [];
    const path = pathOf(server);
    const { address } = server.port;
    const network = {
        ...networkNeed(server.port, path, nodes),
        ...(address !== undefined && { address, path: `${path}.fixedAddress` }),
    };
    const floating = server.floatingIp && { floatingIp: floatingIp(server.name, nodes) };
    const need = storageNeed(server, { networks: [network], ...floating });
    if (args.storage?.server?.image !== undefined) return [need];
    return [{ ...need, image: { name: server.image, path: imageOfAll(cloudOf(args) ?? {}, nodes) } }];
}

/** Each existing security group once, at the first place that names it. */
function givenGroups(plan: ServerPlan, places: (server: ServerPlanEntry) => Places): Reference[] {
    const named = plan.servers.flatMap(server =>
        (server.ports.find(({ portSecurity }) => portSecurity)?.securityGroups ?? []).map((name, i) => ({
            name,
            path: `${places(server).of("securityGroups")}.${i}`,
        })),
    );
    if (plan.storage) named.push(...storageGroups(plan.storage));
    return named.filter(({ name }, i) => named.findIndex(other => other.name === name) === i);
}

function reference(name: string | undefined, path: string): Reference | undefined {
    return name === undefined ? undefined : { name, path };
}
