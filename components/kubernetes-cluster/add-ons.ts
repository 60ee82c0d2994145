import type * as pulumi from "@pulumi/pulumi";
import { ClusterNetwork, type Node } from "../../provider/adapters/dynamic";
import { type ClusterNetworkSpec, networkSteps } from "../../provider/cluster/cluster-network";
import type { Provisioned } from "../infrastructure/infrastructure";
import { type Cluster, sampleOf, specAndSteps } from "./cluster-parts";
import { changeNumberOf } from "./wishes";

export interface AddOns {
    network: ClusterNetwork;
    /** Undefined: no cloud, or not wanted. */
    cloudProvider?: pulumi.Resource | undefined;
}

/** What runs in the cluster for the whole of it. Nodes stay without network, or uninitialised, until it is there. */
export function makeAddOns(cluster: Cluster, controlPlane: readonly Node[], provisioned: Provisioned): AddOns {
    const { name, clusterName, identity, controlPlane: peers, unchecked } = cluster;
    const { clusterId, fingerprintKey } = identity;
    const options = { ...cluster.goesWithCluster, dependsOn: controlPlane.slice(0, 1) };
    const sample = { clusterId: sampleOf(cluster).clusterId };
    const spec = specAndSteps<ClusterNetworkSpec>(cluster, networkSteps, sample, ({ cni }) => ({ ...cni, clusterId }));
    return {
        network: new ClusterNetwork(
            name,
            {
                ...spec,
                controlPlane: peers,
                changeNumber: changeNumberOf(cluster, "network"),
                ...cluster.accepted("cluster."),
                ...unchecked,
            },
            options,
        ),
        cloudProvider: provisioned.cloudProvider?.({
            clusterName,
            clusterId,
            fingerprintKey,
            controlPlane: peers,
            changeNumber: changeNumberOf(cluster, "cloudProvider"),
            ...unchecked,
            options,
        }),
    };
}
