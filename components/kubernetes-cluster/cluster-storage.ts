import type * as pulumi from "@pulumi/pulumi";
import { StorageClient, type StorageMachine } from "../../provider/dynamic";
import type { ProxyArgs } from "../args";
import { resourceName } from "../resource-name";
import type { SshArgs } from "../ssh-args";
import { sshTarget } from "../ssh-target";
import { storagePlan } from "../storage/storage-plan";
import { storageResource } from "../storage/storage-resource";
import type { StorageArgs } from "../storage-args";
import { administratorAccess } from "./access";
import type { Cluster } from "./cluster-parts";

/** Storage of a cluster, as its nodes see it. */
export interface ClusterStorage {
    server: StorageMachine;
    address: pulumi.Input<string>;
    /** A node waits for its access, and loses it only after its pods have left. */
    accessOf(node: string): StorageClient;
}

/** What a cluster has for its storage server. */
export interface StorageSurroundings {
    /** URL of the API, which says who uses what. */
    endpoint: pulumi.Input<string>;
    /** How machines are reached that say nothing else. */
    ssh: SshArgs | undefined;
    /** Of all machines. */
    proxy: ProxyArgs | undefined;
}

/** The cluster's storage server, and the access of its nodes. */
export function makeStorage(
    cluster: Cluster,
    storage: StorageArgs | undefined,
    { endpoint, ssh, proxy }: StorageSurroundings,
): ClusterStorage | undefined {
    if (storage?.server === undefined) return undefined;
    const { identity, parent, nodes, plan, unchecked } = cluster;
    const { clusterId, fingerprintKey } = identity;
    const connection = sshTarget(ssh, storage.server);
    const serverName = "storage";
    const server = storageResource({
        name: resourceName(cluster, serverName),
        draft: storagePlan(storage, { name: serverName, address: storage.server.address, proxy }),
        owner: clusterId,
        fingerprintKey,
        connection,
        force: storage.force ?? [],
        access: administratorAccess(cluster, endpoint),
        programPath: "storage.server",
        ...unchecked,
        options: { parent, dependsOn: [cluster.start, cluster.masters] },
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
                    addresses: [plan.hosts[node.name]!.address],
                    ...unchecked,
                },
                // With the server its clients are gone.
                { parent, dependsOn: [server], deletedWith: server },
            ),
        ]),
    );
    return { server, address: storage.server.address, accessOf: node => clients.get(node)! };
}
