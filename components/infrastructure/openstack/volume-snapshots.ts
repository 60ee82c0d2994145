import * as pulumi from "@pulumi/pulumi";
import { VolumeSnapshots } from "../../../provider/adapters/dynamic";
import type { SnapshotWish } from "../../../provider/cloud/snapshot-plan";
import type { CloudSettings } from "../../../provider/openstack/settings";
import type { VolumeSnapshotArgs } from "../../args/storage-args";
import { endOf } from "../../common/end-of";

/** How many snapshots of an entry stay. */
const defaultKeep = 3;

export interface SnapshotsRequest {
    /** Name of the resource. */
    name: string;
    place: {
        clusterName: string;
        cloud: CloudSettings;
        project: pulumi.Output<string>;
        region: pulumi.Output<string>;
    };
    clusterId: pulumi.Output<string>;
    snapshots: Record<string, VolumeSnapshotArgs>;
    /** Ids in the cloud, by the name of the volume. */
    volumeIds: Record<string, pulumi.Output<string>>;
    /** What must not wait for a cloud that makes no snapshot. It is made before, and this depends on none of it: see endOf. */
    after: readonly pulumi.Resource[];
    dependsOn: pulumi.Resource[];
    parent: pulumi.Resource;
}

/** The snapshots of the storage server's volumes: entry → id of the newest one. */
export function volumeSnapshots(request: SnapshotsRequest): pulumi.Output<Record<string, string>> {
    const { name, place, clusterId, snapshots, volumeIds, after, dependsOn, parent } = request;
    const entries = Object.entries(snapshots);
    if (entries.length === 0) return pulumi.output<Record<string, string>>({});
    const wishes = entries.map(([entry, { volume, run, keep = defaultKeep }]): [string, SnapshotWish] => [
        entry,
        { volume, run, keep },
    ]);
    const used = new Set(entries.map(([, { volume }]) => volume));
    const { newest } = new VolumeSnapshots(
        name,
        {
            ...place,
            clusterName: endOf(after).then(() => place.clusterName),
            clusterId,
            snapshots: Object.fromEntries(wishes),
            volumeIds: Object.fromEntries(Object.entries(volumeIds).filter(([volume]) => used.has(volume))),
        },
        { parent, dependsOn },
    );
    return newest.apply(ids => ids ?? {});
}
