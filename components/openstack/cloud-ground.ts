import * as pulumi from "@pulumi/pulumi";
import {
    CloudCheck,
    CloudLeftovers,
    type DeepInput,
    OperationStart,
    ProjectGuard,
    ServerKeys,
} from "../../provider/dynamic";
import { hostKeyOf } from "../../provider/openstack/host-key";
import { type BackEnd, ownerTag } from "../../provider/openstack/needs";
import type { CloudStartSpec, CommonTarget } from "../../provider/resources/cloud-start-inputs";
import type { ServerSettings } from "../../provider/resources/machine";
import type { ServersOwner } from "../../provider/resources/orphan-servers";
import type { KubernetesClusterArgs } from "../args";
import type { ComparedInputs } from "../operation";
import type { SshArgs } from "../ssh-args";
import { defaults } from "../topology";
import { ClusterOnServers } from "./back-end";
import { type CloudMachines, machinesOf } from "./cloud-machines";
import { heatServers, stackHash } from "./heat-servers";
import { novaHooks } from "./nova-hooks";
import { novaServers } from "./nova-servers";
import { requireOpenstack } from "./openstack-plugin";
import type { CloudPlan } from "./plan-cloud";
import { commonAccess, ownerOf, ownsAccess, serverUserData } from "./server-access";
import type { Servers, ServersRequest } from "./servers";
import { startNodes } from "./start-nodes";

export { planCloud } from "./plan-cloud";

export interface CloudSite {
    /** Everything waits for this check. */
    check: CloudCheck;
    /** Parent of the resources that another back end creates separately. */
    cluster: ClusterOnServers;
}

/** What must exist before any part of the cluster is made. */
export function cloudSite(name: string, plan: CloudPlan, parent: pulumi.Resource): CloudSite {
    const { backEnd, needs, settings, warnings } = plan;
    for (const warning of warnings) void pulumi.log.warn(warning, parent);
    return {
        check: new CloudCheck(name, { needs, cloud: settings }, { parent }),
        cluster: new ClusterOnServers(backEnd, name, parent),
    };
}

export interface GroundRequest {
    /** Name of the cluster resource. */
    name: string;
    args: KubernetesClusterArgs;
    cloudPlan: CloudPlan;
    site: CloudSite;
    clusterId: pulumi.Output<string>;
    /** The inputs, besides the nodes, by which an operation is recognised. */
    compared: ComparedInputs;
    /** What the cluster's checks compare later programs with. */
    kept: pulumi.Output<string>;
    parent: pulumi.Resource;
}

export interface CloudGround extends CloudMachines {
    /** Runs before anything is made in the cloud. */
    start: OperationStart;
    /** How the machines' resources ask the cloud about their servers. */
    server: ServerSettings;
    /** Provider for the cloud that the inputs name; undefined: the environment's. */
    provider?: pulumi.ProviderResource;
}

/** The servers of a cluster on an OpenStack cloud, as existing machines. */
export function cloudGround(request: GroundRequest): CloudGround {
    const { name, args, cloudPlan, clusterId, compared, kept, parent } = request;
    const { check, cluster } = request.site;
    const { backEnd, cloud, settings, plan, own } = cloudPlan;
    const keys = new ServerKeys(name, { clusterName: plan.clusterName }, { parent, dependsOn: [check] });
    const access = commonAccess(cloud, keys.privateKey);
    /** A user's template may have its own user data; then the server makes its own host key. */
    const ownsHostKey = (server: string) =>
        ownsAccess(cloud) && (!own || own.stack.nodes.some(node => node.name === server && node.userDataParameter));
    const hostKey = (server: string) => keys.seed.apply(seed => hostKeyOf(seed, server));
    const drain = args.drain ?? {};
    const policy = cloud.leftovers ?? "delete";
    const spec = {
        clusterId,
        clusterName: plan.clusterName,
        backEnd,
        ...compared,
        cloud: settings,
        ...(backEnd === "heat" && { owner: keys.publicKey.apply(ownerOf) }),
        ...startNodes(cloudPlan),
        drain: {
            timeoutSeconds: drain.timeoutSeconds ?? defaults.drainTimeoutSeconds,
            policy: drain.policy ?? defaults.drainPolicy,
        },
        leftovers: policy,
        protect: plan.deleteProtection,
    };
    const start = new OperationStart(
        name,
        {
            spec: spec as DeepInput<CloudStartSpec>,
            ssh: access as DeepInput<CommonTarget>,
            keptInputs: kept,
            ...(backEnd === "heat" && { stackHash: stackHash(plan, own?.stack) }),
            ...(plan.servers.every(server => ownsHostKey(server.name)) && { seed: keys.seed }),
            project: check.project as pulumi.Output<string>,
            region: check.region as pulumi.Output<string>,
        },
        { parent: cluster, dependsOn: [check] },
    );
    const jump = plan.jumpServer?.name;
    const provider =
        Object.keys(settings).length === 0 ? undefined : new (requireOpenstack().Provider)(name, settings, { parent });
    const ownsKeys = plan.servers.every(server => ownsHostKey(server.name));
    const owner = {
        clusterId,
        cloud: settings,
        project: check.project,
        region: check.region,
        mark: { ...plan.metadata, [ownerTag]: keys.publicKey.apply(ownerOf) },
        ssh: access,
        ...(ownsKeys && { seed: keys.seed }),
        ...(jump !== undefined && { jump }),
        ...(cloud.bootTimeoutSeconds !== undefined && { bootTimeoutSeconds: cloud.bootTimeoutSeconds }),
    } as DeepInput<ServersOwner>;
    const names = plan.servers.map(server => server.name);
    const booted = [...plan.servers, ...(jump === undefined ? [] : [{ name: jump, userData: undefined }])];
    const servers: Omit<ServersRequest, "leftovers"> = {
        name,
        plan,
        publicKey: keys.publicKey,
        userData: Object.fromEntries(
            booted.map(server => [
                server.name,
                serverUserData(server, cloud, { hostKey: hostKey(server.name), publicKey: keys.publicKey }),
            ]),
        ),
        names: check.names,
        owner,
        ...(backEnd === "nova" && { hooks: novaHooks(name, owner, names, cluster, provider) }),
        dependsOn: [check, start],
        parent: cluster,
        ...(provider && { provider }),
    };
    const place = {
        clusterName: plan.clusterName,
        cloud: settings,
        project: check.project as pulumi.Output<string>,
        region: check.region as pulumi.Output<string>,
    };
    const leftovers = (dependsOn: pulumi.Resource[]) =>
        new CloudLeftovers(name, { ...place, clusterId, policy }, { parent: cluster, dependsOn });
    const made = makers[backEnd]({ ...servers, leftovers }, cloudPlan, start);
    if (backEnd === "nova") {
        const dependsOn = Object.values(made.servers).map(({ deletedWith }) => deletedWith);
        new ProjectGuard(name, place, { parent: cluster, dependsOn });
    }
    const jumpTarget =
        jump === undefined || made.jumpAddress === undefined
            ? undefined
            : { ...access, host: made.jumpAddress, hostKey: hostKey(jump).publicKey };
    const ssh = Object.entries(made.servers).map(([server, { address, floatingIp }]): [string, SshArgs] => [
        server,
        {
            ...access,
            host: floatingIp ?? address,
            ...(ownsHostKey(server) && { hostKey: hostKey(server).publicKey }),
            ...(jumpTarget && { jump: jumpTarget }),
        },
    ]);
    return {
        ...machinesOf(args, plan, made, Object.fromEntries(ssh)),
        start,
        ...(provider && { provider }),
        server: {
            cloud: settings,
            project: check.project as unknown as string,
            region: check.region as unknown as string,
            ...(cloud.bootTimeoutSeconds !== undefined && { bootTimeoutSeconds: cloud.bootTimeoutSeconds }),
        },
    };
}

const makers: Record<BackEnd, (request: ServersRequest, cloudPlan: CloudPlan, start: OperationStart) => Servers> = {
    nova: novaServers,
    heat: (request, { cloud, settings, stackName, own }, start) =>
        heatServers({
            ...request,
            cloud: settings,
            stackName,
            timeoutMinutes: cloud.timeoutMinutes ?? 60,
            generations: start.generations,
            images: start.images,
            flavors: start.flavors,
            prepared: start.stackHash,
            ...(own && { own: own.stack, ownParameters: own.parameters }),
        }),
};
