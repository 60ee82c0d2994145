import * as pulumi from "@pulumi/pulumi";
import {
    CloudCheck,
    CloudLeftovers,
    type DeepInput,
    OperationStart,
    ProjectGuard,
    ServerKeys,
} from "../../../provider/adapters/dynamic";
import { textOfKnown } from "../../../provider/adapters/pack";
import type { CloudStartSpec, CommonTarget } from "../../../provider/cloud/cloud-start-inputs";
import type { ServersOwner } from "../../../provider/cloud/orphans/orphan-servers";
import { hostKeyOf } from "../../../provider/openstack/host-key";
import { type CloudRequirements, ownerTag } from "../../../provider/openstack/requirements";
import type { SshTarget } from "../../../provider/ssh/types";
import { storageNode } from "../../../provider/storage/storage-leaves";
import type { KubernetesClusterArgs } from "../../args/args";
import type { SshArgs } from "../../args/ssh-args";
import { drainOf, poolDrains } from "../../common/drain";
import { invalidInput } from "../../common/invalid-input";
import { asksToHeal, healWish, replaceWish } from "../heal-wish";
import type {
    HelperMachine,
    Infrastructure,
    InfrastructureFactory,
    InfrastructureRequest,
    NodeMachine,
    Pending,
    Provisioned,
    ProvisionRequest,
    Replacing,
} from "../infrastructure";
import { inOrder } from "../node-order";
import { removal } from "../removal";
import { heldReplacements, joiningNodes, nodesBehind, pendingReplacements, replacing } from "../replacing";
import { upgradeOrder } from "../upgrade-order";
import { ClusterOnServers } from "./back-end";
import { cloudAddresses } from "./cloud-addresses";
import { cloudProvider } from "./cloud-provider";
import { claimKeyPair } from "./key-pair-names";
import { knownHosts } from "./known-hosts";
import { requireOpenstack } from "./openstack-plugin";
import { givenCloudProvider } from "./plan/cloud-provider-plan";
import { type CloudPlan, planCloud } from "./plan-cloud";
import { cloudHooks } from "./resources/cloud-hooks";
import { type ResourceContext, resourceContext } from "./resources/resource-context";
import { storageServer } from "./resources/storage-server";
import { commonAccess, ownerOf, ownLogin, ownsAccess, serverUserData } from "./server-access";
import { type LoginMachine, loginForKeys, loginWord, makeLoginRotation, serverLogin } from "./server-login";
import type { ServerMaker } from "./server-maker";
import type { Server, ServersRequest } from "./servers";
import { startNodes } from "./start-nodes";
import { volumeSnapshots } from "./volume-snapshots";

/** A cloud whose servers `maker` makes. */
export function onCloud(maker: ServerMaker): InfrastructureFactory {
    return request => {
        const plan = planCloud(request.name, request.args);
        claimKeyPair(plan, "KubernetesCluster", request.name);
        return inCloud(request, plan, maker);
    };
}

/** What `plan` says, by servers that `maker` makes. */
export function inCloud(request: InfrastructureRequest, plan: CloudPlan, maker: ServerMaker): Infrastructure {
    const { name, args, parent, problems } = request;
    for (const warning of plan.warnings) void pulumi.log.warn(warning, parent);
    const turns = serverTurns(name, args, plan);
    const needs = turns ? turns.pending.then(names => withReplaced(plan.needs, names)) : plan.needs;
    const check = new CloudCheck(
        name,
        { needs: textOfKnown(needs), cloud: plan.settings, ...(problems !== undefined && { problems }) },
        { parent },
    );
    const cluster = new ClusterOnServers(plan.backEnd, name, parent);
    const site: Site = { plan, check, cluster, maker, ...(turns && { turns }) };
    return {
        nodes: plan.plan.servers,
        parent: site.cluster,
        preflight: [check],
        givenNames: check.names,
        fileContents: { "infrastructure.heat.template": plan.own?.files },
        ...(args.cloudProvider && { cloudProvider: givenCloudProvider(args, args.cloudProvider) }),
        provision: asked => provision(request, site, asked),
    };
}

/** What exists before the first part of the cluster is made. */
interface Site {
    plan: CloudPlan;
    /** Everything waits for this check. */
    check: CloudCheck;
    /** Parent of the resources that another back end creates separately. */
    cluster: ClusterOnServers;
    maker: ServerMaker;
    /** If the program asks for new servers. */
    turns?: Replacing;
}

function serverTurns(name: string, args: KubernetesClusterArgs, { plan: { clusterName, servers: nodes } }: CloudPlan) {
    const { replaceServers: wish } = replaceWish(args, nodes);
    const { version, upgrade } = args.kubernetes;
    const order = upgradeOrder(upgrade, nodes);
    const holds = (name: string) => nodes.some(each => each.name === name && order.inputsOf(each).upgradeTurn?.holds);
    const master = nodes.find(node => node.role === "controlPlane" && wish?.nodes.includes(node.name));
    // A restore acts on all control-plane nodes before any of them joins.
    if (master && args.etcdRestore)
        throw invalidInput("KubernetesCluster", name, [
            `replaceServers: names ${master.name}, a control-plane node, while etcdRestore is in the program: a server would go in the middle of a restore. Take one of the two out of the program; a word that is done is not needed`,
        ]);
    return (
        wish &&
        replacing(wish, {
            pending: pendingReplacements({ clusterName, wish, nodes }),
            joining: joiningNodes({ clusterName, nodes, asksToHeal: name => asksToHeal(args, name) }),
            behind: nodesBehind({ clusterName, holds }),
            held: heldReplacements({ clusterName, wish, nodes, holds, version }),
        })
    );
}

/** A new server needs the present image and flavor; one that stays keeps its own. */
function withReplaced(needs: CloudRequirements, names: Pending): CloudRequirements {
    const servers = needs.servers.map(server =>
        names.has(server.name) ? { ...server, replaced: true as const } : server,
    );
    return { ...needs, servers };
}

/** Makes the servers, after what must be decided or removed before, as machines. */
function provision(
    { name, args, parent }: InfrastructureRequest,
    { plan: cloudPlan, check, cluster, maker, turns }: Site,
    { clusterId, fingerprintKey, compared, kept, record, hooks }: ProvisionRequest,
): Provisioned {
    const { backEnd, cloud, settings, plan, own, nameInput } = cloudPlan;
    const named = { clusterName: plan.clusterName, ...(nameInput && { nameInput }) };
    const word = args.rotate?.loginKey;
    const rotated = loginWord(name, word, {
        clusterName: plan.clusterName,
        parents: { rotation: cluster, keys: parent },
    });
    const keys = new ServerKeys(name, { ...named, ...loginForKeys(rotated) }, { parent, dependsOn: [check] });
    const publicHostKey = (server: string) =>
        pulumi.unsecret(keys.seed).apply(seed => hostKeyOf(seed, server).publicKey);
    const login = serverLogin(keys, rotated);
    const access = commonAccess(cloud, login.privateKey);
    /** A user's template may have its own user data; then the server makes its own host key. */
    const ownsHostKey = (server: string) => {
        const usersOwn = own?.stack.nodes.find(node => node.name === server && !node.userDataParameter);
        return ownsAccess(cloud) && usersOwn === undefined;
    };
    // Without nodes there may still be a storage server, whose host key is not ours either.
    const ownsKeys = ownsAccess(cloud) && plan.servers.every(server => ownsHostKey(server.name));
    const ofMaker = maker.start(cloudPlan, { publicKey: keys.publicKey, fingerprintKey });
    const ofPools = poolDrains(args);
    const policy = cloud.leftovers ?? "delete";
    const spec = {
        clusterId,
        clusterName: plan.clusterName,
        backEnd,
        ...compared,
        cloud: settings,
        ...ofMaker.spec,
        ...startNodes(cloudPlan),
        drain: drainOf(args),
        ...(backEnd === "heat" && Object.keys(ofPools).length > 0 && { poolDrains: ofPools }),
        ...removal(args),
        leftovers: policy,
        protect: plan.deleteProtection,
        ...(plan.storage && { storage: true }),
    };
    const start = new OperationStart(
        name,
        {
            spec: spec as DeepInput<CloudStartSpec>,
            ssh: access as DeepInput<CommonTarget>,
            keptInputs: kept,
            ...healWish(args),
            ...(turns && { replaceServers: turns.asked }),
            ...ofMaker.inputs,
            ...(ownsKeys && { seed: keys.seed }),
            project: check.project as pulumi.Output<string>,
            region: check.region as pulumi.Output<string>,
            ...(hooks && { hooks: hooks.input, before: hooks.before }),
        },
        { parent: cluster, dependsOn: [check, ...(record ? [record] : [])] },
    );
    const jump = plan.jumpServer?.name;
    const provider =
        Object.keys(settings).length === 0 ? undefined : new (requireOpenstack().Provider)(name, settings, { parent });
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
    const helpers = [plan.jumpServer, plan.storage].filter(server => server !== undefined);
    const booted = [...plan.servers, ...helpers.map(server => ({ name: server.name, userData: undefined }))];
    const place = {
        clusterName: plan.clusterName,
        cloud: settings,
        project: check.project as pulumi.Output<string>,
        region: check.region as pulumi.Output<string>,
    };
    const servers: ServersRequest = {
        name,
        plan,
        publicKey: keys.publicKey,
        userData: Object.fromEntries(
            booted.map(server => [
                server.name,
                serverUserData(server, cloud, {
                    hostKey: keys.seed.apply(seed => hostKeyOf(seed, server.name)),
                    publicKey: login.publicKey,
                }),
            ]),
        ),
        names: check.names,
        kept,
        owner,
        place,
        fingerprintKey,
        dependsOn: [check, start],
        endOf: hooks?.endOf,
        leftovers: dependsOn =>
            new CloudLeftovers(name, { ...place, clusterId, policy }, { parent: cluster, dependsOn }),
        parent: cluster,
        ...(provider && { provider }),
    };
    let shared: ResourceContext | undefined;
    const context = () => {
        shared ??= resourceContext({ ...servers, hooks: cloudHooks(servers), checked: start });
        return shared;
    };
    const made = maker.make(servers, { cloudPlan, start, context, args, clusterId, turnOf: turns?.before });
    const storage =
        plan.storage && storageServer(context(), made.place!, plan.storage, servers.userData[plan.storage.name]!);
    const singleServers = [...made.singleServers, ...(storage ? [storage.server] : [])];
    if (singleServers.length > 0) new ProjectGuard(name, place, { parent: cluster, dependsOn: singleServers });
    const jumpTarget =
        jump === undefined || made.jumpAddress === undefined
            ? undefined
            : { ...access, host: made.jumpAddress, hostKey: publicHostKey(jump) };
    const machineSettings = {
        cloud: settings,
        project: check.project as unknown as string,
        region: check.region as unknown as string,
        ...(cloud.bootTimeoutSeconds !== undefined && { bootTimeoutSeconds: cloud.bootTimeoutSeconds }),
    };
    const connectionTo = (
        server: string,
        { address, floatingIp }: Pick<Server, "address" | "floatingIp">,
        login: SshArgs = access,
    ) =>
        ({
            ...login,
            host: floatingIp ?? address,
            ...(ownsHostKey(server) && { hostKey: publicHostKey(server) }),
            ...(jumpTarget && { jump: jumpTarget }),
        }) as DeepInput<SshTarget>;
    const machines = inOrder(plan.servers).map(({ name: server, role, pool, image, flavor }): NodeMachine => {
        const replacement = turns?.pending.then(names => {
            const former = names.get(server);
            return names.has(server) ? { image, flavor, ...(former && { former }) } : undefined;
        });
        const { id, hostGoesWith, usedByNode = [] } = made.servers[server]!;
        return {
            name: server,
            role,
            ...(pool !== undefined && { pool }),
            purpose: "node",
            connection: connectionTo(server, made.servers[server]!),
            server: {
                ...{ id, settings: machineSettings, usedByNode },
                ...(hostGoesWith && { hostGoesWith }),
                ...(replacement && { replacement: pulumi.output(replacement) }),
            },
        };
    });
    const jumpMachine: HelperMachine[] =
        jump === undefined || jumpTarget === undefined
            ? []
            : [{ name: jump, purpose: "jump", connection: jumpTarget as DeepInput<SshTarget> }];
    const storageConnection = storage && connectionTo(plan.storage!.name, storage, ownLogin(cloud, login.privateKey));
    // The cloud tells no id of a jump server of Heat.
    const loginMachines: LoginMachine[] = [
        ...machines.map(({ name: node, server, connection }) => ({ name: node, id: server!.id, connection })),
        ...(storage
            ? [{ name: plan.storage!.name, node: storageNode, id: storage.id, connection: storageConnection! }]
            : []),
        ...jumpMachine.map(each => ({ name: each.name, id: made.jumpAddress, connection: each.connection })),
    ];
    const given = args.cloudProvider;
    return {
        start,
        machines: [...machines, ...jumpMachine],
        knownHosts: knownHosts(loginMachines.map(({ connection }) => connection)),
        ...(word !== undefined && {
            rotateLogin: (after, unchecked) =>
                void makeLoginRotation({
                    ...{ word, plan: rotated.plan, name, keys, clusterId, unchecked, after },
                    user: access.user!,
                    machines: loginMachines,
                    parent: cluster,
                }),
        }),
        ...(turns && { turns }),
        // Heat deletes servers in the stack's update: nodes leave before, and nothing comes after the operation's end.
        ...(backEnd === "nova" && { endOf: hooks?.endOf }),
        ...(storage && {
            storage: {
                address: storage.address,
                connection: storageConnection!,
                id: storage.id,
                settings: machineSettings,
                disks: Object.fromEntries(
                    Object.entries(storage.volumes).map(([key, id]) => [key, pulumi.interpolate`cinder:${id}`]),
                ),
                needs: [...storage.attachments, ...(made.way ?? [])],
                guardNetwork: after => {
                    if (!plan.network.made) return;
                    const ports = [plan.storage, plan.jumpServer].flatMap(each => (each ? [each.name] : []));
                    const network = { id: made.place!.network.networkId as string, ports };
                    new ProjectGuard(
                        `${name}-network`,
                        { ...place, network },
                        { parent: cluster, dependsOn: [...after] },
                    );
                },
                takeSnapshots: after =>
                    volumeSnapshots({
                        ...{ name, place, clusterId, after, parent: cluster },
                        snapshots: args.storage?.snapshots ?? {},
                        volumeIds: storage.volumes,
                        dependsOn: [start],
                    }),
            },
        }),
        ...cloudAddresses(args, plan, made, storage?.address),
        ...(given && {
            cloudProvider: wanted =>
                cloudProvider({ ...wanted, name, args, given, check, ...(provider && { provider }) }),
        }),
    };
}
