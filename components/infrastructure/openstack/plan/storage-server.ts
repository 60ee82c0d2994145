import type { KubernetesClusterArgs } from "../../../args/args";
import { cloudOf } from "./cloud-args";
import { plainPort, type StorageServerPlan, type StorageVolumePlan } from "./server-plan";

interface StorageSurroundings {
    clusterName: string;
    metadata: Record<string, string>;
    floatingIp: boolean;
    /** Of the nodes' ports: one without it is in no group, so the rules of the cluster's group would keep its node out. */
    portSecurity: boolean;
    /** See StorageServerPlan. */
    inputs: string;
}

/** What a server for volumes is planned from. */
type StorageWish = Pick<KubernetesClusterArgs, "infrastructure" | "storage">;

/** The server that serves volumes, if the cloud makes it. Pure. */
export function storageServer(
    args: StorageWish,
    { clusterName, metadata, floatingIp, portSecurity, inputs }: StorageSurroundings,
): StorageServerPlan | undefined {
    const wish = args.storage?.server;
    if (wish?.flavor === undefined) return undefined;
    const { flavor, bootVolume, availabilityZone } = wish;
    const cloud = cloudOf(args) ?? {};
    const name = `${clusterName}-storage`;
    const volumes = Object.entries(args.storage?.volumes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
        name,
        inputs,
        flavor,
        image: wish.image ?? cloud.server?.image ?? cloud.image ?? "",
        metadata: { ...cloud.metadata, ...metadata, "pulumi-nfv.role": "storage" },
        ...(availabilityZone !== undefined && { availabilityZone }),
        ...(bootVolume && { bootVolume: { name: `${name}-boot`, key: "boot", ...bootVolume } }),
        port: {
            ...plainPort(name),
            ...(wish.fixedAddress !== undefined && { address: wish.fixedAddress }),
            securityGroups: wish.securityGroups ?? [],
            portSecurity: portSecurity || wish.securityGroups !== undefined,
        },
        floatingIp,
        volumes: volumes.map(
            ([key, { sizeGiB = 0, type, volumeId, snapshotId }]): StorageVolumePlan => ({
                name: `${name}-${key}`,
                key,
                sizeGiB,
                ...(type !== undefined && { type }),
                ...(volumeId !== undefined && { existing: volumeId }),
                ...(snapshotId !== undefined && { snapshot: snapshotId }),
            }),
        ),
    };
}
