import * as pulumi from "@pulumi/pulumi";
import { type Args, ClusterMove } from "../../provider/adapters/dynamic";
import type { ClusterMoveInputs } from "../../provider/cluster-api/cluster-move";
import type { MovedClustersArgs } from "../args/moved-clusters-args";
import { invalidInput } from "../common/invalid-input";
import { problemsWhenKnown, validate } from "../validation/validate";
import { vimAccess, vimProblems } from "../vim/vim";
import { noteMoved, whatMoves } from "./kept-clusters";
import { managementProblems, vimOf } from "./management-cluster";

/**
 * Clusters that another management cluster takes over: they are paused, copied, removed where they were, and go on. Destroying this brings them back, before
 * either management cluster may go. Clusters of a WorkloadCluster are refused unless it is `movable`: their program keeps them where it made them.
 */
export class MovedClusters extends pulumi.ComponentResource {
    /** "namespace/name" of the clusters that have moved. */
    readonly clusters: pulumi.Output<string[]>;

    constructor(name: string, args: MovedClustersArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:MovedClusters", name, {}, options);
        validate("MovedClusters", name, args, [
            ...managementProblems(args?.from, "from"),
            ...managementProblems(args?.to, "to"),
            ...vimProblems(args?.fromVim, "fromVim"),
            ...vimProblems(args?.toVim, "toVim"),
        ]);
        const { namespaces, timeoutSeconds = 600 } = args;
        const from = args.from ? vimOf(args.from) : args.fromVim!;
        const to = args.to ? vimOf(args.to) : args.toVim!;
        const leave = { name, namespaces, arrive: false };
        const conflicts = [...noteMoved(from, leave), ...noteMoved(to, { ...leave, arrive: true })];
        if (conflicts.length > 0) throw invalidInput("MovedClusters", name, conflicts);
        const inputs = {
            name,
            from: vimAccess(from),
            to: vimAccess(to),
            fromId: from.clusterIdentifier,
            toId: to.clusterIdentifier,
            ...(namespaces !== undefined && { namespaces }),
            timeoutSeconds,
            problems: problemsWhenKnown("MovedClusters", name, args),
        };
        const moved = new ClusterMove(name, inputs as unknown as Args<ClusterMoveInputs>, {
            parent: this,
            ...(options?.retainOnDelete !== undefined && { retainOnDelete: options.retainOnDelete }),
            dependsOn: [args.from ?? from, args.to ?? to, ...whatMoves(from, leave)],
        });
        this.clusters = moved.clusters;
        this.registerOutputs({ clusters: this.clusters });
    }
}
