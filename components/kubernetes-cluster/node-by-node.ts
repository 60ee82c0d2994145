import * as pulumi from "@pulumi/pulumi";
import { OsUpgrade, RuntimeRestart } from "../../provider/adapters/dynamic";
import type { KubernetesClusterArgs } from "../args/args";
import type { UpgradeOrderArgs } from "../args/upgrade-args";
import { upgradeOrder } from "../infrastructure/upgrade-order";
import type { Cluster } from "./cluster-parts";

/** A request that is carried out on one node after another, as the program has it. */
interface NodeByNode {
    make: new (name: string, inputs: never, options: pulumi.CustomResourceOptions) => pulumi.Resource;
    /** The input that orders the nodes: "os". */
    place: string;
    order: UpgradeOrderArgs;
    requestId: string | undefined;
    /** What happens on a node, for preview. */
    what: string;
    /** Inputs of its own. */
    inputs: object;
}

function requestsOf({ os = {}, restart = {} }: Pick<KubernetesClusterArgs, "os" | "restart">): NodeByNode[] {
    const { packages = ["all"], reboot = "ifNeeded", rebootTimeoutSeconds = 600 } = os;
    const chosen = packages.join(" ");
    const rebooting = { ifNeeded: "rebooted if needed", always: "rebooted" }[reboot] ?? "not rebooted";
    return [
        {
            ...{ make: OsUpgrade, place: "os", order: os, requestId: os.upgrade },
            what: `drained, packages upgraded (${chosen}), ${rebooting}`,
            inputs: { packages: chosen, reboot, rebootTimeoutSeconds },
        },
        {
            ...{ make: RuntimeRestart, place: "restart", order: restart, requestId: restart.containerRuntime },
            ...{ what: "containerd restarts, containers go on", inputs: {} },
        },
    ];
}

/** They begin when all nodes are there, and nothing else acts on the cluster: after `after`, and after each other. */
export function makeNodeByNode(
    cluster: Cluster,
    args: Pick<KubernetesClusterArgs, "os" | "restart">,
    after: readonly pulumi.Resource[],
): pulumi.Resource[] {
    const made: pulumi.Resource[] = [];
    for (const request of requestsOf(args).filter(({ requestId }) => requestId !== undefined)) {
        const inputs = {
            ...request.inputs,
            requestId: request.requestId,
            ...inputsOf(cluster, request),
            ...cluster.unchecked,
        };
        const options = { ...cluster.goesWithCluster, dependsOn: [...after, ...made] };
        made.push(new request.make(cluster.name, inputs as never, options));
    }
    return made;
}

/** The nodes in their order, and what preview says of each. */
function inputsOf(cluster: Cluster, { place, order: args, what }: NodeByNode) {
    const { nodes, plan } = cluster;
    const order = upgradeOrder(args, nodes);
    const masters = nodes.filter(({ role }) => role === "controlPlane");
    const inOrder = [...masters, ...order.inOrder(nodes.filter(({ role }) => role === "worker"))];
    const waits = (node: (typeof nodes)[number]) => order.inputsOf(node).upgradeTurn?.holds === true;
    const addresses = cluster.controlPlane as { name: string; address: pulumi.Input<string> }[];
    const targets = inOrder.map(node => {
        const { name, role, pool, connection } = node;
        const address = addresses.find(each => each.name === name)?.address;
        return {
            ...{ name, role, connection, drain: plan.nodes[name]!.drain, ...(address !== undefined && { address }) },
            ...(pool !== undefined && { pool }),
            atOnce: pool === undefined ? 1 : plan.maxUnavailable[pool]!,
            turn: role === "worker" ? order.turnOf(node) : -1,
            ...(waits(node) && { waits: true }),
        };
    });
    const pace = ({ role, pool }: (typeof inOrder)[number]) =>
        role === "worker"
            ? `pool ${pool}, at most ${plan.maxUnavailable[pool!]} at once`
            : "control plane, one at a time";
    const lines = inOrder.map((node, i) => [
        node.name,
        waits(node)
            ? `stays until ${place}.pauseAfter lets it go`
            : `${i + 1} of ${inOrder.length}, ${pace(node)}: ${what}`,
    ]);
    return {
        clusterId: cluster.identity.clusterId,
        soakSeconds: args.soakSeconds ?? 0,
        waiting: inOrder.filter(waits).map(({ name }) => name),
        nodes: Object.fromEntries(lines),
        targets: pulumi.secret(pulumi.jsonStringify(targets)),
    };
}
