import type * as pulumi from "@pulumi/pulumi";
import { type Args, type Node, PersistentVolumeSet } from "../../provider/adapters/dynamic";
import { isServed } from "../../provider/storage/export-paths";
import type { PersistentVolumeSetInputs } from "../../provider/storage/persistent-volume-set";
import type { KubeObject } from "../../provider/vim";
import type { StorageArgs } from "../args/storage-args";
import { persistentVolumeObjects } from "../storage/persistent-volume-objects";
import { objectsOf } from "./access";
import type { Cluster } from "./cluster-parts";
import type { ClusterStorage } from "./cluster-storage";

const timeoutSeconds = 60;

/** The PersistentVolumes of a cluster's `storage`. */
export function makeVolumes(
    cluster: Cluster,
    args: StorageArgs | undefined,
    manifests: Record<string, KubeObject>,
    {
        endpoint,
        storage,
        controlPlane,
    }: { endpoint: pulumi.Input<string>; storage?: ClusterStorage; controlPlane: readonly Node[] },
): PersistentVolumeSet | undefined {
    const exports = Object.keys(args?.exports ?? {});
    const volumes = persistentVolumeObjects(args?.persistentVolumes ?? {}, manifests, {
        ...(storage && { address: storage.address }),
        serves: path => isServed(path, exports),
        nfs3: args?.nfs3 ?? false,
    });
    if (Object.keys(volumes).length === 0) return undefined;
    const inputs = {
        ...objectsOf(cluster, endpoint),
        volumes,
        force: args?.force ?? [],
        timeoutSeconds,
    };
    return new PersistentVolumeSet(cluster.name, inputs as Args<PersistentVolumeSetInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...controlPlane, ...(storage ? [storage.server] : [])],
    });
}
