import type { Reference, ServerNeed, VolumeNeed } from "../../../../provider/openstack/requirements";
import type { StorageServerPlan, StorageVolumePlan, VolumePlan } from "./server-plan";

/** What the storage server requires of a cloud, with the places in the inputs. Pure. */
export function storageNeed(server: StorageServerPlan, place: Pick<ServerNeed, "networks" | "floatingIp">): ServerNeed {
    const { availabilityZone: zone, bootVolume } = server;
    const path = pathOf(server);
    return {
        name: server.name,
        role: "other",
        isStorage: true,
        flavor: { name: server.flavor, path: `${path}.flavor` },
        image: { name: server.image, path: `${path}.image` },
        ...(zone !== undefined && { zone: { name: zone, path: `${path}.availabilityZone` } }),
        ...(bootVolume && { bootVolume: volumeNeed(bootVolume, `${path}.bootVolume`) }),
        volumes: server.volumes
            .filter(({ existing }) => existing === undefined)
            .map(volume => storageVolumeNeed(volume, `${server.inputs}volumes.${volume.key}`)),
        givenVolumes: server.volumes.flatMap(({ existing, sizeGiB, key }) => {
            const at = `${server.inputs}volumes.${key}`;
            if (existing === undefined) return [];
            return [{ id: { name: existing, path: `${at}.volumeId` }, path: at, ...(sizeGiB > 0 && { sizeGiB }) }];
        }),
        ...place,
    };
}

/** The existing security groups that it gets in addition. */
export function storageGroups(server: StorageServerPlan): Reference[] {
    return server.port.securityGroups.map((name, i) => ({ name, path: `${pathOf(server)}.securityGroups.${i}` }));
}

/** Place of the server in the inputs. */
export function pathOf({ inputs }: StorageServerPlan): string {
    return `${inputs}server`;
}

function storageVolumeNeed(volume: StorageVolumePlan, at: string): VolumeNeed {
    const { snapshot } = volume;
    const need = volumeNeed(volume, at);
    return snapshot === undefined ? need : { ...need, snapshot: { name: snapshot, path: `${at}.snapshotId` } };
}

export function volumeNeed({ name, sizeGiB, type }: VolumePlan, at: string): VolumeNeed {
    return { name, sizeGiB, ...(type !== undefined && { type: { name: type, path: `${at}.type` } }), path: at };
}
