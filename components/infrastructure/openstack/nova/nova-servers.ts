import type * as pulumi from "@pulumi/pulumi";
import { policies } from "../openstack-plugin";
import { type JumpPlan, plainPort, type ServerPlanEntry, type StorageServerPlan } from "../plan/server-plan";
import type { Server, Servers } from "../servers";
import { type NovaContext, type NovaRequest, novaContext } from "./nova-context";
import { instance, keptVolume, volume } from "./nova-instance";
import { type NodesNetwork, nodesNetwork, securityGroup } from "./nova-network";
import { addressOf, apiPort, floatingIp, port, storageKey } from "./nova-ports";

/** What servers share. */
interface Shared {
    context: NovaContext;
    request: NovaRequest;
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
}

/** The servers, and the resources of those that are no nodes. */
export interface NovaServers extends Servers {
    jumpServer?: pulumi.Resource;
    storageServer?: pulumi.Resource;
}

/** Creates the plan as single resources of the cloud. */
export function novaServers(request: NovaRequest): NovaServers {
    const context = novaContext(request);
    const { plan } = context;
    const network = nodesNetwork(context);
    const group = securityGroup(context, undefined, plan.securityGroup);
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
    };
    return {
        servers: Object.fromEntries(plan.servers.map(entry => [entry.name, server(shared, entry)])),
        ...(vip && { vip }),
        ...(plan.jumpServer && jumpServer(shared, plan.jumpServer)),
        ...(plan.storage && storageServer(shared, plan.storage)),
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
        dependsOn: shared.before,
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
    context: NovaContext,
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
): Required<Pick<NovaServers, "jumpAddress" | "jumpServer">> {
    const groups = [shared.securityGroup, securityGroup(context, "jump", own)];
    const parts = { network, securityGroups: groups, after: shared.reserved };
    const made = port(context, "jump", plainPort(plan.name), parts);
    const userData = request.userData[plan.name]!;
    const server = instance(context, "jump", plan, { ports: [made.id], userData, dependsOn: before });
    return { jumpAddress: floatingIp(context, "jump", made, network), jumpServer: server };
}

/** Its volumes are made before it, and stay when it goes. */
function storageServer(
    { context, request, network, before, ...shared }: Shared,
    plan: StorageServerPlan,
): Required<Pick<NovaServers, "storage" | "storageServer">> {
    const key = storageKey;
    const parts = { network, securityGroups: [shared.securityGroup], after: shared.reserved };
    const made = port(context, key, plan.port, parts);
    const userData = request.userData[plan.name]!;
    const server = instance(context, key, plan, { ports: [made.id], userData, dependsOn: before });
    const volumes = plan.volumes.map(wish => ({ key: wish.key, ...keptVolume(context, key, plan, wish, server) }));
    return {
        storage: {
            address: addressOf(made),
            ...(plan.floatingIp && { floatingIp: floatingIp(context, key, made, network) }),
            id: server.id,
            attachments: volumes.map(({ attachment }) => attachment),
            volumes: Object.fromEntries(volumes.map(({ key: volumeKey, id }) => [volumeKey, id])),
        },
        storageServer: server,
    };
}

function serverGroups({ openstack, plan, name, of }: NovaContext): Shared["serverGroups"] {
    return new Map(
        plan.serverGroups.map(wish => {
            const given = { name: wish.name, policies: policies(wish.policy) };
            const members = plan.servers.filter(({ serverGroup }) => serverGroup === wish.key);
            const { options } = of(members.map(member => member.name));
            return [wish.key, new openstack.compute.ServerGroup(name(wish.key), given, options()).id];
        }),
    );
}

function keyPair(context: NovaContext, publicKey: pulumi.Input<string>): pulumi.Resource[] {
    const { openstack, plan, name, options, before } = context;
    const { name: keyName, made } = plan.keyPair;
    if (!made) return [];
    // A key pair has no id besides its name.
    const given = { name: keyName, publicKey };
    return [
        new openstack.compute.Keypair(name(), given, options({ deleteBeforeReplace: true, ...before("key-pair") })),
    ];
}
