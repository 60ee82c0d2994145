import * as pulumi from "@pulumi/pulumi";
import { CloudCheck, CloudLeftovers, type DeepInput, OperationStart, ServerKeys } from "../../provider/dynamic";
import type { SshKeyPair } from "../../provider/openstack/host-key";
import { hostKeyOf } from "../../provider/openstack/host-key";
import type { CloudSettings } from "../../provider/openstack/settings";
import { userData } from "../../provider/openstack/user-data";
import type { ServerSettings } from "../../provider/resources/machine";
import type { CommonTarget, OperationStartSpec } from "../../provider/resources/operation-start";
import type { KubernetesClusterArgs, SshArgs } from "../args";
import type { CloudServersArgs, HeatArgs } from "../infrastructure-args";
import { defaults, type PlainArgs } from "../topology";
import { type CloudMachines, machinesOf } from "./cloud-machines";
import { cloudNeeds } from "./cloud-needs";
import { heatServers, stackOwner } from "./heat-servers";
import { heatTemplate } from "./heat-template";
import { novaServers } from "./nova-servers";
import { requireOpenstack } from "./openstack-plugin";
import { type OwnTemplate, ownTemplate, templateNeeds, templateNodes } from "./own-template";
import { planServers } from "./plan-servers";
import type { ServerPlan } from "./server-plan";
import type { Servers } from "./servers";

/** User that we make on our servers. */
const ourUser = "nfv";

/** What must be there before anything of the cluster is made. */
export function checkedCloud(name: string, args: KubernetesClusterArgs, parent: pulumi.Resource): CloudCheck {
    const { backEnd, settings } = cloudOf(args);
    const plan = planOf(name, args);
    const own = ownTemplate(args, plan);
    const needs = own ? templateNeeds(own, args) : cloudNeeds(plan, backEnd, args as PlainArgs);
    return new CloudCheck(name, { needs, cloud: settings }, { parent });
}

export interface Ground {
    name: string;
    args: KubernetesClusterArgs;
    check: CloudCheck;
    clusterId: pulumi.Output<string>;
    parent: pulumi.Resource;
}

/** The servers of a cluster on an OpenStack cloud, as machines that exist. */
export function cloudGround({
    name,
    args,
    check,
    clusterId,
    parent,
}: Ground): CloudMachines & { server: ServerSettings; provider?: pulumi.ProviderResource } {
    const { backEnd, cloud, settings } = cloudOf(args);
    const ours = planOf(name, args);
    const own = ownTemplate(args, ours);
    const plan = own?.plan ?? ours;
    const keys = new ServerKeys(name, { clusterName: plan.clusterName }, { parent, dependsOn: [check] });
    const common = commonAccess(cloud, keys);
    /** A template of the user's may have user data of its own: then the host key is the server's own, too. */
    const ownsHostKey = (server: string) =>
        ownsAccess(cloud) && (!own || own.stack.nodes.some(node => node.name === server && node.userDataParameter));
    const hostKey = (server: string) => keys.seed.apply(seed => hostKeyOf(seed, server));
    const drain = args.drain ?? {};
    const spec = {
        clusterId,
        clusterName: plan.clusterName,
        backEnd,
        cloud: settings,
        ...(backEnd === "heat" && { owner: keys.publicKey.apply(stackOwner) }),
        ...startedBy[backEnd](plan, cloud as HeatArgs, own),
        drain: {
            timeoutSeconds: drain.timeoutSeconds ?? defaults.drainTimeoutSeconds,
            policy: drain.policy ?? defaults.drainPolicy,
        },
        leftovers: cloud.leftovers ?? "delete",
    };
    const start = new OperationStart(
        name,
        {
            spec: spec as DeepInput<OperationStartSpec>,
            ssh: common as DeepInput<CommonTarget>,
            ...(plan.servers.every(server => ownsHostKey(server.name)) && { seed: keys.seed }),
        },
        { parent, dependsOn: [check] },
    );
    const jump = plan.jumpServer?.name;
    const provider =
        Object.keys(settings).length === 0 ? undefined : new (requireOpenstack().Provider)(name, settings, { parent });
    const made = makers[backEnd]({
        request: {
            name,
            plan,
            publicKey: keys.publicKey,
            userData: Object.fromEntries(
                [...plan.servers, ...(jump === undefined ? [] : [{ name: jump, userData: undefined }])].map(server => [
                    server.name,
                    userDataOf(server, cloud, hostKey(server.name), keys.publicKey),
                ]),
            ),
            dependsOn: [check, start],
            parent,
            ...(provider && { provider }),
        },
        cloud: cloud as HeatArgs,
        settings,
        start,
        own,
    });
    new CloudLeftovers(
        name,
        { clusterName: plan.clusterName, clusterId, cloud: settings, policy: cloud.leftovers ?? "delete" },
        { parent, dependsOn: Object.values(made.servers).map(({ deletedWith }) => deletedWith) },
    );
    const ssh = Object.fromEntries(
        Object.entries(made.servers).map(([server, { address, floatingIp }]) => [
            server,
            {
                ...common,
                host: floatingIp ?? address,
                ...(ownsHostKey(server) && { hostKey: hostKey(server).publicKey }),
                ...(jump !== undefined &&
                    made.jumpAddress && {
                        jump: { ...common, host: made.jumpAddress, hostKey: hostKey(jump).publicKey },
                    }),
            } satisfies SshArgs,
        ]),
    );
    return {
        ...machinesOf(args, plan, made, ssh),
        ...(provider && { provider }),
        server: {
            cloud: settings,
            ...(cloud.bootTimeoutSeconds !== undefined && { bootTimeoutSeconds: cloud.bootTimeoutSeconds }),
        },
    };
}

type BackEnd = "heat" | "nova";

function cloudOf({ infrastructure: { heat, nova } }: KubernetesClusterArgs) {
    const cloud = (heat ?? nova) as CloudServersArgs;
    const settings = {
        ...(cloud.cloud !== undefined && { cloud: cloud.cloud }),
        ...(cloud.region !== undefined && { region: cloud.region }),
    };
    return { backEnd: (heat ? "heat" : "nova") as BackEnd, cloud, settings };
}

function planOf(name: string, args: KubernetesClusterArgs): ServerPlan {
    return planServers(args as PlainArgs, name, pulumi.getStack());
}

/** The user did not bring a key pair: host keys and login come with our user data. */
function ownsAccess({ keyPair }: CloudServersArgs): boolean {
    return keyPair === undefined;
}

function commonAccess(cloud: CloudServersArgs, keys: ServerKeys): SshArgs {
    const ours = ownsAccess(cloud) ? { user: ourUser, privateKey: keys.privateKey } : {};
    return { ...ours, ...cloud.ssh };
}

function userDataOf(
    server: { name: string; userData?: string },
    cloud: CloudServersArgs,
    hostKey: pulumi.Output<SshKeyPair>,
    publicKey: pulumi.Output<string>,
): pulumi.Output<string> {
    const user = ownsAccess(cloud) ? ((cloud.ssh?.user as string | undefined) ?? ourUser) : undefined;
    return pulumi.secret(
        pulumi
            .all([hostKey, publicKey])
            .apply(([key, login]) =>
                userData({ name: server.name, hostKey: key, user, publicKey: login, own: server.userData }),
            ),
    );
}

/** What each back end tells the operation's start of its nodes. */
const startedBy: Record<
    BackEnd,
    (plan: ServerPlan, cloud: HeatArgs, own?: OwnTemplate) => Partial<OperationStartSpec>
> = {
    nova: plan => ({ nodes: nodesOf(plan) }),
    heat: (plan, cloud, own) => {
        const stackName = cloud.stackName ?? plan.clusterName;
        if (own) return { stackName, nodes: templateNodes(own) };
        const template = heatTemplate(plan);
        const stacked = nodesOf(plan);
        for (const { name, floatingIp } of plan.servers) {
            const names = template.servers[name]!;
            stacked[name]!.stack = {
                server: names.resource,
                healed: names.healed,
                address: names.outputs.address,
                ...(floatingIp && { sshAddress: names.outputs.floatingAddress! }),
            };
        }
        return {
            stackName,
            nodes: stacked,
            ...(plan.jumpServer &&
                template.jump && { jump: { name: plan.jumpServer.name, output: template.jump.address } }),
        };
    },
};

function nodesOf({ servers }: ServerPlan): OperationStartSpec["nodes"] {
    return Object.fromEntries(
        servers.map(({ name, role, pool, image, flavor, availabilityZone, bootVolume }) => [
            name,
            {
                role,
                ...(pool !== undefined && { pool }),
                shape: {
                    image,
                    flavor,
                    ...(availabilityZone !== undefined && { availabilityZone }),
                    ...(bootVolume && { bootVolume: `${bootVolume.sizeGiB} GiB ${bootVolume.type ?? ""}`.trim() }),
                },
            },
        ]),
    );
}

interface Making {
    request: Parameters<typeof novaServers>[0];
    cloud: HeatArgs;
    settings: CloudSettings;
    start: OperationStart;
    own?: OwnTemplate;
}

const makers: Record<BackEnd, (making: Making) => Servers> = {
    nova: ({ request }) => novaServers(request),
    heat: ({ request, cloud, settings, start, own }) =>
        heatServers({
            ...request,
            cloud: settings,
            stackName: cloud.stackName ?? request.plan.clusterName,
            timeoutMinutes: cloud.timeoutMinutes ?? 60,
            generations: start.generations,
            ...(own && { own: own.stack, ownParameters: own.parameters }),
        }),
};
