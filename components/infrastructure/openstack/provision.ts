import * as pulumi from "@pulumi/pulumi";
import { type OperationStart, ProjectGuard } from "../../../provider/adapters/dynamic";
import type { InfrastructureRequest, MadeStorage, Provisioned, ProvisionRequest } from "../infrastructure";
import { cloudAddresses } from "./cloud-addresses";
import { cloudLogin, type Site } from "./cloud-login";
import { type CloudMachines, cloudMachines, machineSettings } from "./cloud-machines";
import { cloudProvider } from "./cloud-provider";
import { placeOf, serversRequest } from "./cloud-servers";
import { cloudStart } from "./cloud-start";
import { knownHosts } from "./known-hosts";
import { cloudHooks } from "./resources/cloud-hooks";
import { type ResourceContext, resourceContext } from "./resources/resource-context";
import { storageServer } from "./resources/storage-server";
import { makeLoginRotation } from "./server-login";
import type { Servers, ServersRequest, StorageServerMade } from "./servers";
import { volumeSnapshots } from "./volume-snapshots";

/** Makes the servers, after what must be decided or removed before, as machines. */
export function provision(request: InfrastructureRequest, site: Site, asked: ProvisionRequest): Provisioned {
    const { name, args } = request;
    const { plan: cloudPlan, check, cluster, turns } = site;
    const { clusterId, hooks } = asked;
    const login = cloudLogin(request, site);
    const start = cloudStart(request, site, asked, login);
    const servers = serversRequest(request, site, asked, { login, start });
    const { provider } = servers;
    const { made, storage } = makeServers(request, site, { servers, start, clusterId });
    const machines = cloudMachines(site, login, { made, storage });
    const { word } = login.rotated;
    const given = args.cloudProvider;
    return {
        start,
        machines: [...machines.nodes, ...machines.jump],
        knownHosts: knownHosts(machines.logins.map(({ connection }) => connection)),
        ...(word !== undefined && {
            rotateLogin: (after, unchecked) =>
                void makeLoginRotation({
                    ...{ word, plan: login.rotated.plan, name, keys: login.keys, clusterId, unchecked, after },
                    user: login.access.user!,
                    machines: machines.logins,
                    parent: cluster,
                }),
        }),
        ...(turns && { turns }),
        // Heat deletes servers in the stack's update: nodes leave before, and nothing comes after the operation's end.
        ...(cloudPlan.backEnd === "nova" && { endOf: hooks?.endOf }),
        ...(storage && { storage: madeStorage(request, site, { made, storage, machines, start, clusterId }) }),
        ...cloudAddresses(args, cloudPlan.plan, made, storage?.address),
        ...(given && {
            cloudProvider: wanted =>
                cloudProvider({ ...wanted, name, args, given, check, ...(provider && { provider }) }),
        }),
    };
}

/** The servers of the nodes, and the one that serves volumes. */
function makeServers(
    { name, args }: InfrastructureRequest,
    site: Site,
    { servers, start, clusterId }: Made & { servers: ServersRequest },
): { made: Servers; storage: StorageServerMade | undefined } {
    const { plan: cloudPlan, maker, cluster, turns } = site;
    const { plan } = cloudPlan;
    let shared: ResourceContext | undefined;
    const context = () => {
        shared ??= resourceContext({ ...servers, hooks: cloudHooks(servers), checked: start });
        return shared;
    };
    const made = maker.make(servers, { cloudPlan, start, context, args, clusterId, turnOf: turns?.before });
    const storage =
        plan.storage && storageServer(context(), made.place!, plan.storage, servers.userData[plan.storage.name]!);
    const singleServers = [...made.singleServers, ...(storage ? [storage.server] : [])];
    if (singleServers.length > 0) new ProjectGuard(name, placeOf(site), { parent: cluster, dependsOn: singleServers });
    return { made, storage };
}

interface Made {
    start: OperationStart;
    clusterId: pulumi.Output<string>;
}

interface StorageParts extends Made {
    made: Servers;
    storage: StorageServerMade;
    machines: CloudMachines;
}

function madeStorage(
    { name, args }: InfrastructureRequest,
    site: Site,
    { made, storage, machines, start, clusterId }: StorageParts,
): MadeStorage {
    const { plan } = site.plan;
    const { cluster: parent } = site;
    const place = placeOf(site);
    return {
        ...{ address: storage.address, id: storage.id, connection: machines.storage!.connection },
        settings: machineSettings(site),
        disks: Object.fromEntries(
            Object.entries(storage.volumes).map(([key, id]) => [key, pulumi.interpolate`cinder:${id}`]),
        ),
        needs: [...storage.attachments, ...(made.way ?? [])],
        guardNetwork: after => {
            if (!plan.network.made) return;
            const ports = [plan.storage, plan.jumpServer].flatMap(each => (each ? [each.name] : []));
            const network = { id: made.place!.network.networkId as string, ports };
            new ProjectGuard(`${name}-network`, { ...place, network }, { parent, dependsOn: [...after] });
        },
        takeSnapshots: after =>
            volumeSnapshots({
                ...{ name, place, clusterId, after, parent },
                snapshots: args.storage?.snapshots ?? {},
                volumeIds: storage.volumes,
                dependsOn: [start],
            }),
    };
}
