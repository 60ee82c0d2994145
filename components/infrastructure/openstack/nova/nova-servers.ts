import type * as pulumi from "@pulumi/pulumi";
import type { Replacing } from "../../infrastructure";
import { policies } from "../openstack-plugin";
import { type JumpPlan, plainPort, type ServerPlanEntry } from "../plan/server-plan";
import { instance, volume } from "../resources/instance";
import { addressOf, apiPort, floatingIp, port } from "../resources/ports";
import type { ResourceContext } from "../resources/resource-context";
import type { Server, Servers, ServersRequest } from "../servers";
import { type NodesNetwork, nodesNetwork, securityGroup } from "./nova-network";
import type { ServerHealOf } from "./server-heals";

/** What servers share. */
interface Shared {
    context: ResourceContext;
    request: ServersRequest;
    network: NodesNetwork;
    /** Id of the cluster's own security group. */
    securityGroup: pulumi.Output<string>;
    /** Ids by key in the plan. */
    serverGroups: Map<string, pulumi.Output<string>>;
    vip?: pulumi.Input<string>;
    /** Ports that are created before all others. */
    reserved: pulumi.Resource[];
    /** What servers wait for. */
    before: pulumi.Resource[];
    healOf?: ServerHealOf | undefined;
    turnOf?: Replacing["before"] | undefined;
}

/** Creates the plan as single resources of the cloud. */
export function novaServers(
    request: ServersRequest,
    context: ResourceContext,
    healOf?: ServerHealOf,
    turnOf?: Replacing["before"],
): Servers {
    const { plan } = context;
    const network = nodesNetwork(context);
    const { id: group, rules } = securityGroup(context, undefined, plan.securityGroup);
    const { vip, reserved } = virtualAddress(context, network, group);
    const shared: Shared = {
        context,
        request,
        network,
        securityGroup: group,
        serverGroups: serverGroups(context),
        vip: plan.vip?.address ?? vip?.address,
        reserved,
        before: [...network.route, request.leftovers(network.route), ...keyPair(context, request.publicKey)],
        healOf,
        turnOf,
    };
    const servers = Object.fromEntries(plan.servers.map(entry => [entry.name, server(shared, entry)]));
    const jump = plan.jumpServer && jumpServer(shared, plan.jumpServer);
    return {
        servers,
        ...(vip && { vip }),
        ...(jump && { jumpAddress: jump.address }),
        singleServers: [...Object.values(servers).map(each => each.deletedWith), ...(jump ? [jump.server] : [])],
        place: { network, securityGroups: [group], reserved, before: shared.before },
        way: [...rules, ...(jump?.way ?? [])],
    };
}

function server({ context: all, request, ...shared }: Shared, entry: ServerPlanEntry): Server {
    const context = all.of([entry.name]);
    const { network, vip, reserved } = shared;
    const parts = { network, securityGroups: [shared.securityGroup], vip, after: reserved };
    const ports = entry.ports.map((plan, i) =>
        port(context, i === 0 ? entry.key : `${entry.key}-net${i + 1}`, plan, parts),
    );
    const first = ports[0]!;
    const made = instance(context, entry.key, entry, {
        ports: ports.map(({ id }) => id),
        userData: request.userData[entry.name]!,
        serverGroup: shared.serverGroups.get(entry.serverGroup ?? ""),
        dependsOn: [...shared.before, ...(request.endOf ? [request.endOf(entry.name)] : [])],
        heal: shared.healOf?.(entry.name),
        turn: shared.turnOf?.(entry.name),
    });
    const volumes = entry.volumes.map(wish => ({ ...volume(context, entry, wish, made), key: wish.key }));
    return {
        address: addressOf(first),
        ...(entry.floatingIp && { floatingIp: floatingIp(context, entry.key, first, network) }),
        id: made.id,
        deletedWith: made,
        usedByNode: volumes.map(({ attachment }) => attachment),
        volumes: Object.fromEntries(volumes.map(({ key, made: { id } }) => [key, id])),
    };
}

/** The API's virtual address: a port without a server. */
function virtualAddress(
    context: ResourceContext,
    network: NodesNetwork,
    group: pulumi.Output<string>,
): Pick<Servers, "vip"> & { reserved: pulumi.Resource[] } {
    const wish = context.plan.vip;
    if (!wish) return { reserved: [] };
    const parts = { network, securityGroups: [group], address: wish.address };
    const made = port(context, apiPort, plainPort(wish.portName), parts);
    return {
        vip: {
            address: addressOf(made),
            prefixLength: network.prefixLength,
            ...(wish.floatingIp && { floatingIp: floatingIp(context, apiPort, made, network) }),
        },
        reserved: wish.address === undefined ? [] : [made],
    };
}

/** The only server that is reached by SSH from outside. */
function jumpServer(
    { context, request, network, before, ...shared }: Shared,
    { securityGroup: own, ...plan }: JumpPlan,
): { address: pulumi.Output<string>; server: pulumi.Resource; way: pulumi.Resource[] } {
    const { id: group, rules } = securityGroup(context, "jump", own);
    const parts = { network, securityGroups: [shared.securityGroup, group], after: shared.reserved };
    const made = port(context, "jump", plainPort(plan.name), parts);
    const userData = request.userData[plan.name]!;
    const server = instance(context, "jump", plan, { ports: [made.id], userData, dependsOn: before });
    return { address: floatingIp(context, "jump", made, network), server, way: [...rules, server] };
}

function serverGroups({ openstack, plan, name, of }: ResourceContext): Shared["serverGroups"] {
    return new Map(
        plan.serverGroups.map(wish => {
            const given = { name: wish.name, policies: policies(wish.policy) };
            const members = plan.servers.filter(({ serverGroup }) => serverGroup === wish.key);
            const { options } = of(members.map(member => member.name));
            return [wish.key, new openstack.compute.ServerGroup(name(wish.key), given, options()).id];
        }),
    );
}

function keyPair(context: ResourceContext, publicKey: pulumi.Input<string>): pulumi.Resource[] {
    const { openstack, plan, name, options, before } = context;
    const { name: keyName, made } = plan.keyPair;
    if (!made) return [];
    // A key pair has no id besides its name.
    const given = { name: keyName, publicKey };
    return [
        new openstack.compute.Keypair(name(), given, options({ deleteBeforeReplace: true, ...before("key-pair") })),
    ];
}
