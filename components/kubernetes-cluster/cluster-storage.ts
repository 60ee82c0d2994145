import type * as pulumi from "@pulumi/pulumi";
import { type DeepInput, StorageClient, type StorageMachine } from "../../provider/dynamic";
import type { ClusterAccess } from "../../provider/resources/check-cluster";
import type { ProxyArgs } from "../args";
import { resourceName } from "../resource-name";
import type { SshArgs } from "../ssh-args";
import { storagePlan } from "../storage/storage-plan";
import { storageResource, storageTarget } from "../storage/storage-resource";
import type { StorageArgs } from "../storage-args";
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

/** Administrator access, known before the first node exists. */
export function accessOf({ identity }: Cluster, endpoint: pulumi.Input<string>): DeepInput<ClusterAccess> {
    const { caCertificate, adminCertificate, adminKey } = identity;
    return { endpoint, caCertificate, auth: { clientCertificate: adminCertificate, clientKey: adminKey } };
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
    const connection = storageTarget(ssh, storage.server);
    const serverName = "storage";
    const server = storageResource({
        name: resourceName(cluster, serverName),
        draft: storagePlan(storage, { name: serverName, address: storage.server.address, proxy }),
        owner: clusterId,
        fingerprintKey,
        connection,
        force: storage.force ?? [],
        access: accessOf(cluster, endpoint),
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
