import type * as pulumi from "@pulumi/pulumi";
import { type Args, StorageClassSet } from "../../provider/adapters/dynamic";
import type { StorageClassSetInputs } from "../../provider/nfs-csi/storage-class-set";
import type { StorageArgs } from "../args/storage-args";
import { hasClasses } from "../storage/snapshot-class-objects";
import { storageClassDefaults, storageClassObjects } from "../storage/storage-class-objects";
import { objectsOf } from "./access";
import type { Cluster } from "./cluster-parts";
import type { ClusterStorage } from "./cluster-storage";

/** The storage classes of a cluster's `storage`, and their driver. `after`: what pods need before they run. */
export function makeStorageClasses(
    cluster: Cluster,
    args: StorageArgs | undefined,
    {
        endpoint,
        storage,
        after,
    }: { endpoint: pulumi.Input<string>; storage?: ClusterStorage; after: pulumi.Resource[] },
): StorageClassSet | undefined {
    const wanted = args?.storageClasses ?? {};
    // The rules require a server.
    if (Object.keys(wanted).length === 0 || storage === undefined) return undefined;
    const inputs = {
        ...objectsOf(cluster, endpoint),
        ...storageClassObjects(wanted, storage.address, args?.nfsCsi, hasClasses(args?.snapshotClasses)),
        force: args?.force ?? [],
        timeoutSeconds: storageClassDefaults.timeoutSeconds,
    };
    return new StorageClassSet(cluster.name, inputs as unknown as Args<StorageClassSetInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...after, storage.server],
    });
}
