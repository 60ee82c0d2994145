import type * as pulumi from "@pulumi/pulumi";
import { type DeepInput, type Node, OperationEnd } from "../../provider/adapters/dynamic";
import { orPlaceholder } from "../../provider/adapters/or-placeholder";
import { operationEndSteps } from "../../provider/cluster/operation-end";
import type { OperationEndSpec } from "../../provider/cluster/operation-end-inputs";
import type { Served } from "../../provider/storage/storage-leaves";
import { administratorAccess } from "./access";
import { type Cluster, sampleOf, specAndSteps } from "./cluster-parts";
import { changeNumberOf } from "./wishes";

/** What is there when an operation ends. */
interface Ended {
    /** The Nodes, in the order of the machines. */
    made: readonly Node[];
    /** What else must be there before. */
    after: pulumi.Resource[];
    endpoint: pulumi.Input<string>;
    /** What the cluster's storage server serves. */
    served: DeepInput<Served> | undefined;
    /** Undefined: the cluster has no hooks. */
    hooks: object | undefined;
}

/** What concerns the whole cluster once all nodes and `after` are there. */
export function endOperation(cluster: Cluster, { made, after, endpoint, served, hooks }: Ended): OperationEnd {
    const { renewBeforeDays } = cluster.plan;
    const { name, nodes, identity, controlPlane, parent, unchecked } = cluster;
    const { clusterId } = identity;
    const nodeIds = nodes.map((node, i): Ids => [node.name, made[i]!.id]);
    const servers = nodes.flatMap(({ name: node, server }): Ids[] => (server ? [[node, server.id]] : []));
    const sample = { clusterId: sampleOf(cluster).clusterId };
    const spec = specAndSteps<OperationEndSpec>(cluster, operationEndSteps, sample, ({ end }, _, placeholder) => ({
        ...end,
        clusterId,
        nodeIds: idsOf(nodeIds, placeholder),
        ...(servers.length > 0 && { servers: idsOf(servers, placeholder) }),
    }));
    // Sorted by name, so that moving a machine to another pool changes nothing here.
    const workers = nodes
        .filter(({ role }) => role === "worker")
        .map(node => ({ name: node.name, connection: node.connection }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    // Also where the server has left the program: who uses its exports is asked then.
    const storage = { access: administratorAccess(cluster, endpoint), ...(served && { served }) };
    return new OperationEnd(
        name,
        {
            ...spec,
            controlPlane,
            endpointNumber: changeNumberOf(cluster, "endpoint"),
            changeNumber: changeNumberOf(cluster, "end"),
            workers,
            ...(renewBeforeDays !== undefined && { renewBeforeDays }),
            ...unchecked,
            ...storage,
            ...hooks,
        },
        { parent, dependsOn: [...made, ...after] },
    );
}

type Ids = [node: string, id: pulumi.Output<string | undefined>];

/** Ids by node; `placeholder` replaces an id that is not known yet. */
function idsOf(ids: readonly Ids[], placeholder?: string): Record<string, pulumi.Input<string | undefined>> {
    return Object.fromEntries(
        ids.map(([node, id]) => [node, placeholder === undefined ? id : orPlaceholder(id, placeholder)]),
    );
}
