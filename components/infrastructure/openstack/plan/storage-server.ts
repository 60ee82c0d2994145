import type { KubernetesClusterArgs } from "../../../args";
import { cloudOf } from "./cloud-args";
import { plainPort, type StorageServerPlan, type StorageVolumePlan } from "./server-plan";

/** The server that serves the cluster's volumes, if the cloud makes it. Pure. */
export function storageServer(
    args: KubernetesClusterArgs,
    {
        clusterName,
        metadata,
        floatingIp,
    }: { clusterName: string; metadata: Record<string, string>; floatingIp: boolean },
): StorageServerPlan | undefined {
    const wish = args.storage?.server;
    if (wish?.flavor === undefined) return undefined;
    const { flavor, bootVolume, availabilityZone } = wish;
    const cloud = cloudOf(args) ?? {};
    const name = `${clusterName}-storage`;
    const volumes = Object.entries(args.storage?.volumes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
        name,
        flavor,
        image: wish.image ?? cloud.server?.image ?? cloud.image ?? "",
        metadata: { ...cloud.metadata, ...metadata, "pulumi-nfv.role": "storage" },
        ...(availabilityZone !== undefined && { availabilityZone }),
        ...(bootVolume && { bootVolume: { name: `${name}-boot`, key: "boot", ...bootVolume } }),
        port: {
            ...plainPort(name),
            ...(wish.fixedAddress !== undefined && { address: wish.fixedAddress }),
            securityGroups: wish.securityGroups ?? [],
        },
        floatingIp,
        volumes: volumes.map(
            ([key, { sizeGiB = 0, type, volumeId }]): StorageVolumePlan => ({
                name: `${name}-${key}`,
                key,
                sizeGiB,
                ...(type !== undefined && { type }),
                ...(volumeId !== undefined && { existing: volumeId }),
            }),
        ),
    };
}
