import type { KubernetesClusterArgs } from "../../../components/args/args";
import { placedMembers } from "../../../components/infrastructure/hosts/members";
import { planServers } from "../../../components/infrastructure/openstack/plan/plan-servers";
import { clusterPlan } from "../../../components/kubernetes-cluster/cluster-plan";
import { sampleIdentity, sampleKeys } from "../../../components/preview/sample-identity";
import { networkSteps } from "../../../provider/cluster/cluster-network";
import { operationEndSteps } from "../../../provider/cluster/operation-end";
import type { NodeSpec } from "../../../provider/common/model";
import { hostSteps } from "../../../provider/host/host-steps";
import { nodeSteps } from "../../../provider/member/node-steps";
import { plan, type Step } from "../../../provider/steps";
import { bundleFiles, runtimeFiles } from "../provider/sample-specs";

const identity = sampleIdentity("core");
export const { clusterId } = identity;

/** What a cluster's own resources hold. */
const sample = { clusterId, caCertHash: identity.caCertHash, identity, keys: sampleKeys, fingerprintKey: "key" };

/** A step and its machine; "cluster": a step that runs once. */
export interface PlacedStep {
    place: string;
    step: Step;
}

/** The steps of all resources of a cluster, as preview plans them (or as they are with `known`), and their inputs. */
export function plannedCluster(
    args: KubernetesClusterArgs,
    {
        fingerprintKey: key,
        ...known
    }: Pick<NodeSpec, "clusterId" | "identity" | "keys"> & {
        caCertHash: string;
        fingerprintKey: string;
    } = sample,
) {
    const { heat, nova } = args.infrastructure;
    const servers = heat || nova ? planServers(args, "core", { project: "p", stack: "s" }) : undefined;
    const placed = servers
        ? { nodes: servers.servers, addresses: addressesOnCloud(servers.servers) }
        : placedMembers(args);
    const source = args.kubernetes.source?.bundle;
    const shape = clusterPlan(args, "core", placed, {
        bundleFiles: source
            ? [...bundleFiles, ...runtimeFiles, ...(source.path === "/bundles/two" ? [furtherFile] : [])]
            : [],
        cniManifests: args.network?.cniManifests ?? [],
    });
    const own = (place: string, steps: readonly Step[]): PlacedStep[] => steps.map(step => ({ place, step }));
    const steps = [
        ...Object.values(shape.hosts).flatMap(spec => own(spec.name, plan(hostSteps, { ...spec, ...known }, key))),
        ...Object.values(shape.nodes).flatMap(spec =>
            own(spec.name, plan(nodeSteps("join"), { ...spec, ...known }, key)),
        ),
        ...own("cluster", plan(networkSteps, { ...shape.cni, clusterId: known.clusterId }, key)),
        ...own("cluster", plan(operationEndSteps, { ...shape.end, nodeIds: {}, clusterId: known.clusterId }, key)),
    ];
    return { shape, servers, steps };
}

const furtherFile = { ...bundleFiles.at(-1)!, path: "images/more.tar", image: "registry.k8s.io/more:1" };

function addressesOnCloud(servers: readonly { name: string }[]) {
    const nodes = Object.fromEntries(servers.map(({ name }, i) => [name, `10.0.0.${i + 10}`]));
    return { nodes, vip: { address: "10.0.0.100", prefixLength: 24 } };
}
