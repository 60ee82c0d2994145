import type * as pulumi from "@pulumi/pulumi";
import { type Args, SnapshotClassSet } from "../../provider/adapters/dynamic";
import type { SnapshotClassSetInputs } from "../../provider/snapshots/snapshot-class-set";
import type { KubernetesClusterArgs } from "../args/args";
import { hasClasses, type SnapshotClasses, snapshotClassObjects } from "../storage/snapshot-class-objects";
import { storageClassDefaults } from "../storage/storage-class-objects";
import { objectsOf } from "./access";
import type { Cluster } from "./cluster-parts";

/** The snapshot classes of a cluster, by driver. A driver that is switched off has none. */
export function snapshotClassesOf({ storage, cloudProvider }: KubernetesClusterArgs): SnapshotClasses {
    const cinder = cloudProvider?.cinderCsi;
    return {
        nfs: storage?.snapshotClasses,
        ...(cinder?.enabled !== false && { cinder: cinder?.snapshotClasses }),
    };
}

/** The snapshot classes of all drivers, and what they need. `after`: what pods need before they run. */
export function makeSnapshotClasses(
    cluster: Cluster,
    args: KubernetesClusterArgs,
    { endpoint, after }: { endpoint: pulumi.Input<string>; after: pulumi.Resource[] },
): SnapshotClassSet | undefined {
    const classes = snapshotClassesOf(args);
    if (!hasClasses(classes.nfs) && !hasClasses(classes.cinder)) return undefined;
    const inputs = {
        ...objectsOf(cluster, endpoint),
        ...snapshotClassObjects(classes, args.snapshotController),
        timeoutSeconds: storageClassDefaults.timeoutSeconds,
    };
    return new SnapshotClassSet(cluster.name, inputs as unknown as Args<SnapshotClassSetInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: after,
    });
}
