import * as pulumi from "@pulumi/pulumi";
import { type Args, type ClusterRecord, type DeepInput, Masters } from "../../provider/adapters/dynamic";
import { leftOutOfRun } from "../../provider/cluster/kept-inputs";
import { acceptedSteps } from "../../provider/cluster/known-steps";
import { newMachines } from "../../provider/etcd/new-machines";
import type { DriftInput } from "../../provider/machine/drift";
import type { NodeInputs } from "../../provider/member/node-state";
import type { StepFactory } from "../../provider/steps/types";
import type { KubernetesClusterArgs } from "../args/args";
import { type NodeMachine, nodesOf, type Provisioned, type Replacing } from "../infrastructure/infrastructure";
import { type UpgradeOrder, upgradeOrder } from "../infrastructure/upgrade-order";
import { plannedSteps, type StandIns } from "../preview/planned-steps";
import { sampleIdentity } from "../preview/sample-identity";
import type { ClusterIdentity, NodeIdentity } from "./cluster-identity";
import { type ClusterPlan, clusterPlan, type Files } from "./cluster-plan";
import { type Healing, healing } from "./healing";
import { recordedMachines } from "./recorded-machines";
import { toLookAt } from "./to-look-at";

/** What the parts of a cluster share. */
export interface Cluster {
    /** Name of the cluster resource. */
    name: string;
    clusterName: string;
    identity: ClusterIdentity;
    nodes: readonly NodeMachine[];
    plan: ClusterPlan;
    /** The same with two different placeholders for each address that is not known at preview. */
    placeholders: readonly [ClusterPlan, ClusterPlan];
    /** How the control-plane nodes are reached. */
    controlPlane: Args<NodeInputs>["controlPlane"];
    start: Provisioned["start"];
    record: ClusterRecord;
    /** All machines wait for it. */
    masters: Masters;
    /** Input of each resource that acts on machines: a run may leave out the resource that checks the cluster. */
    unchecked: { problems: pulumi.Output<string | undefined> };
    /** Word of a restore of etcd onto new machines. */
    ontoNew?: string;
    /** With hooks: what is deleted after a node. */
    endOf?: ((node: string) => pulumi.Resource) | undefined;
    healing: Healing;
    turns?: Replacing | undefined;
    upgradeOrder: UpgradeOrder;
    /** Input of the resources whose steps a refresh looks at: what others may change of a node's Host (`host.`) or Node (`node.`), or of the cluster. */
    accepted(kind: string, node?: string): DriftInput;
    parent: pulumi.Resource;
    /** Options of what goes with the cluster: its hosts are reset anyway when the cluster is destroyed. */
    goesWithCluster: { parent: pulumi.Resource; deletedWith: pulumi.Resource };
}

export interface ClusterRequest {
    name: string;
    clusterName: string;
    args: KubernetesClusterArgs;
    identity: ClusterIdentity;
    provisioned: Provisioned;
    record: ClusterRecord;
    /** What the cluster's checks compare later programs with. */
    kept: pulumi.Output<string>;
    parent: pulumi.Resource;
    files: Files;
}

/** Plans the cluster and registers its control-plane nodes, which all machines wait for. */
export function clusterParts(request: ClusterRequest): Cluster {
    const { name, args, identity, provisioned, record, kept, parent, files } = request;
    const nodes = nodesOf(provisioned.machines);
    const planned = (addresses: Provisioned["addresses"]) => clusterPlan(args, name, { nodes, addresses }, files);
    const plan = planned(provisioned.addresses);
    const [one = plan, other = plan] = provisioned.placeholders?.map(planned) ?? [];
    const { addresses, start } = provisioned;
    const controlPlane = nodes
        .filter(({ role }) => role === "controlPlane")
        .map(node => ({ name: node.name, address: addresses.nodes[node.name]!, connection: node.connection }));
    const { etcdRestore } = args;
    const ontoNew = etcdRestore?.onto === newMachines && { ontoNew: etcdRestore.run };
    const masters = new Masters(
        name,
        {
            clusterId: identity.clusterId,
            peers: pulumi.jsonStringify(controlPlane),
            recorded: recordedMachines(),
            ...toLookAt(nodes, plan),
            ...ontoNew,
        },
        { parent, dependsOn: [identity.resource, start] },
    );
    return {
        name,
        clusterName: request.clusterName,
        identity,
        nodes,
        plan,
        placeholders: [one, other],
        controlPlane,
        start,
        record,
        masters,
        ...ontoNew,
        unchecked: {
            problems: pulumi.all([start.keptInputs, kept]).apply(([seen, wanted]) => leftOutOfRun(seen, wanted)),
        },
        endOf: provisioned.endOf,
        upgradeOrder: upgradeOrder(args.kubernetes.upgrade, nodes),
        accepted: (kind, node) => {
            const acceptDrift = acceptedSteps(args.acceptDrift, node).filter(id => id.startsWith(kind));
            return acceptDrift.length > 0 ? { acceptDrift } : {};
        },
        healing: healing(args, { start, nodes, maxUnavailable: plan.maxUnavailable }),
        turns: provisioned.turns,
        parent,
        goesWithCluster: { parent, deletedWith: identity.resource },
    };
}

/** Parts of a spec that come from the cluster's identity. */
export const sampleOf = ({ clusterName }: Cluster) => sampleIdentity(clusterName);

/** A spec, and the steps that preview shows of it. `make` completes the plan's part of the spec. */
export function specAndSteps<Spec extends object>(
    { plan, placeholders: [one, other], identity }: Cluster,
    factories: readonly StepFactory<Spec>[],
    sample: Partial<Spec>,
    make: (plan: ClusterPlan, identity: NodeIdentity, placeholder?: string) => object,
) {
    const spec = make(plan, identity) as DeepInput<Spec>;
    const standIns = [make(one, identity.placeholders[0], "1"), make(other, identity.placeholders[1], "2")];
    const steps = plannedSteps(factories, spec, identity.fingerprintKey, sample, standIns as unknown as StandIns<Spec>);
    return { spec, steps, fingerprintKey: identity.fingerprintKey };
}
