import type * as pulumi from "@pulumi/pulumi";
import { Host, Node } from "../../provider/adapters/dynamic";
import type { HostSpec, NodeSpec } from "../../provider/common/model";
import { hostSteps } from "../../provider/host/host-steps";
import { nodeSteps } from "../../provider/member/node-steps";
import { resourceName } from "../common/resource-name";
import type { NodeMachine } from "../infrastructure/infrastructure";
import { sampleKeys } from "../preview/sample-identity";
import { type Cluster, sampleOf, specAndSteps } from "./cluster-parts";
import type { ClusterStorage } from "./cluster-storage";
import { changeNumberOf } from "./wishes";

/** A prepared machine. It needs no other machine, so all hosts are prepared in parallel. */
export function makeHost(cluster: Cluster, node: NodeMachine, storage?: ClusterStorage): Host {
    const { clusterId, caCertHash } = sampleOf(cluster);
    const spec = specAndSteps<HostSpec>(cluster, hostSteps, { clusterId, caCertHash }, ({ hosts }, { identity }) => ({
        ...hosts[node.name],
        clusterId: cluster.identity.clusterId,
        caCertHash: identity.caCertHash,
    }));
    return new Host(
        resourceName(cluster, node.name),
        {
            ...spec,
            ...machineInputs(cluster, node),
            changeNumber: changeNumberOf(cluster, `host ${node.name}`),
            ...cluster.accepted("host.", node.name),
        },
        {
            parent: cluster.parent,
            dependsOn: [
                cluster.start,
                cluster.masters,
                ...(node.server?.usedByNode ?? []),
                ...(cluster.endOf ? [cluster.endOf(node.name)] : []),
                // It must serve until all machines are reset: a mount of a server that is gone cannot be removed.
                ...(storage ? [storage.server] : []),
            ],
            ...(node.server?.hostGoesWith && { deletedWith: node.server.hostGoesWith }),
        },
    );
}

/** The membership of a prepared machine. */
export function makeNode(
    cluster: Cluster,
    node: NodeMachine,
    host: Host,
    after: pulumi.Input<pulumi.Resource>[],
    storage?: ClusterStorage,
): Node {
    const isMaster = node.role === "controlPlane";
    const sample = sampleOf(cluster);
    const keysOf = <Keys>(keys: Keys) => isMaster && { keys };
    const spec = specAndSteps<NodeSpec>(
        cluster,
        nodeSteps("join"),
        { clusterId: sample.clusterId, identity: sample, ...keysOf(sampleKeys) },
        ({ nodes }, { identity, keys }) => ({
            ...nodes[node.name],
            clusterId: cluster.identity.clusterId,
            identity,
            ...keysOf(keys),
        }),
    );
    return new Node(
        resourceName(cluster, node.name),
        {
            ...spec,
            ...machineInputs(cluster, node),
            controlPlane: cluster.controlPlane,
            hostId: host.id,
            changeNumber: changeNumberOf(cluster, `node ${node.name}`),
            ...cluster.healing.inputsOf(node.name),
            ...cluster.upgradeOrder.inputsOf(node),
            ...cluster.accepted("node.", node.name),
            ...(node.server?.replacement && { replacement: node.server.replacement }),
        },
        { ...cluster.goesWithCluster, dependsOn: [host, ...after, ...(storage ? [storage.accessOf(node.name)] : [])] },
    );
}

/** Another server with the same name is another machine, and the cloud reports whether a server is gone. */
function machineInputs(
    { unchecked, plan, ontoNew }: Cluster,
    { role, pool, connection, programPath, server }: NodeMachine,
) {
    return {
        connection,
        programPath,
        ...(pool !== undefined && { pool: { name: pool, maxUnavailable: plan.maxUnavailable[pool]! } }),
        ...(server && { server: server.settings, serverId: server.id }),
        ...(role === "controlPlane" && ontoNew !== undefined && { ontoNew }),
        ...unchecked,
    };
}
