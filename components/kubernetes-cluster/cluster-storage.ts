import type * as pulumi from "@pulumi/pulumi";
import { type DeepInput, StorageClient, type StorageMachine } from "../../provider/adapters/dynamic";
import { type Served, storageNode } from "../../provider/storage/storage-leaves";
import type { ProxyArgs } from "../args/args";
import type { SshArgs } from "../args/ssh-args";
import type { StorageArgs } from "../args/storage-args";
import { resourceName } from "../common/resource-name";
import { sshTarget } from "../common/ssh-target";
import type { MadeStorage } from "../infrastructure/infrastructure";
import { type StoragePlace, storagePlan } from "../storage/storage-plan";
import { backupsResource, ofMade, storageResource } from "../storage/storage-resource";
import { administratorAccess } from "./access";
import type { Cluster } from "./cluster-parts";
import { changeNumberOf } from "./wishes";

/** Storage of a cluster, as its nodes see it. */
export interface ClusterStorage {
    server: StorageMachine;
    address: pulumi.Input<string>;
    served: DeepInput<Served>;
    /** A node waits for its access, and loses it only after its pods have left. */
    accessOf(node: string): StorageClient;
    /** After all that must not wait for a repository. */
    makeBackups(after: readonly pulumi.Resource[]): pulumi.Resource | undefined;
}

/** What a cluster has for its storage server. */
export interface StorageSurroundings {
    /** URL of the API, which says who uses what. */
    endpoint: pulumi.Input<string>;
    /** How machines are reached that say nothing else. */
    ssh: SshArgs | undefined;
    /** Of all machines. */
    proxy: ProxyArgs | undefined;
    /** The server that the infrastructure has made. */
    made: MadeStorage | undefined;
}

/** The cluster's storage server, and the access of its nodes. */
export function makeStorage(
    cluster: Cluster,
    storage: StorageArgs | undefined,
    { endpoint, ssh, proxy, made }: StorageSurroundings,
): ClusterStorage | undefined {
    if (storage?.server === undefined) return undefined;
    const { identity, parent, nodes, plan, unchecked } = cluster;
    const { clusterId, fingerprintKey } = identity;
    // The rules require an address where the infrastructure makes no server.
    const given = { ...storage.server, address: made?.address ?? storage.server.address! };
    const { address } = given;
    const connection = made?.connection ?? sshTarget(ssh, given);
    const serverName = storageNode;
    const addressOf = (node: string) => plan.hosts[node]!.address;
    const draft = (place: Pick<StoragePlace, "address" | "disks">) =>
        storagePlan(storage, { name: serverName, ...place, proxy });
    const machine = {
        name: resourceName(cluster, serverName),
        draft: draft({ address, disks: made?.disks ?? {} }),
        owner: clusterId,
        fingerprintKey,
        connection,
        programPath: "storage.server",
        ...unchecked,
    };
    const server = storageResource({
        ...machine,
        ...ofMade(made, draft),
        clients: Object.fromEntries(nodes.map(({ name }) => [name, [addressOf(name)]])),
        force: storage.force ?? [],
        access: administratorAccess(cluster, endpoint),
        changeNumber: changeNumberOf(cluster, "storage"),
        options: { parent, dependsOn: [cluster.start, cluster.masters, ...(made?.needs ?? [])] },
    });
    const clients = new Map(
        nodes.map(node => [
            node.name,
            new StorageClient(
                resourceName(cluster, node.name),
                {
                    owner: clusterId,
                    server: serverName,
                    serverId: server.id,
                    connection,
                    hostKey: server.hostKey,
                    client: node.name,
                    addresses: [addressOf(node.name)],
                    ...unchecked,
                },
                // With the server its clients are gone.
                { parent, dependsOn: [server], deletedWith: server },
            ),
        ]),
    );
    const makeBackups = (after: readonly pulumi.Resource[]) =>
        backupsResource({ ...machine, server, parent, after, changeNumber: changeNumberOf(cluster, "backups") });
    const paths = Object.entries(storage.exports ?? {}).map(([path, { volume }]) => [path, volume]);
    const served = { address, exports: Object.fromEntries(paths), force: storage.force ?? [] };
    return { server, address, served, accessOf: node => clients.get(node)!, makeBackups };
}
