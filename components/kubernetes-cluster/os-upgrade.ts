import * as pulumi from "@pulumi/pulumi";
import { type Args, OsUpgrade } from "../../provider/adapters/dynamic";
import type { OsUpgradeInputs } from "../../provider/procedures/os/os-upgrade";
import type { OsArgs } from "../args/os-args";
import { upgradeOrder } from "../infrastructure/upgrade-order";
import type { Cluster } from "./cluster-parts";

/** The packages of the operating system are upgraded when all nodes are there, and nothing else acts on the cluster: after `after`. */
export function makeOsUpgrade(
    cluster: Cluster,
    os: OsArgs | undefined,
    after: readonly pulumi.Resource[],
): OsUpgrade | undefined {
    const { nodes, plan } = cluster;
    const word = os?.upgrade;
    if (os === undefined || word === undefined) return undefined;
    const { packages = ["all"], reboot = "ifNeeded", rebootTimeoutSeconds = 600, soakSeconds = 0 } = os;
    const order = upgradeOrder(os, nodes);
    const masters = nodes.filter(({ role }) => role === "controlPlane");
    const inOrder = [...masters, ...order.inOrder(nodes.filter(({ role }) => role === "worker"))];
    const holds = (node: (typeof nodes)[number]) => order.inputsOf(node).upgradeTurn?.holds === true;
    const targets = inOrder.map(node => {
        const { name, role, pool, connection } = node;
        const master = cluster.controlPlane as { name: string; address: pulumi.Input<string> }[];
        const address = master.find(each => each.name === name)?.address;
        return {
            ...{ name, role, connection, drain: plan.nodes[name]!.drain, ...(address !== undefined && { address }) },
            ...(pool !== undefined && { pool }),
            atOnce: pool === undefined ? 1 : plan.maxUnavailable[pool]!,
            turn: role === "worker" ? order.turnOf(node) : -1,
            ...(holds(node) && { holds: true }),
        };
    });
    const chosen = packages.join(" ");
    const rebooting = { ifNeeded: "rebooted if needed", always: "rebooted" }[reboot] ?? "not rebooted";
    const what = `drained, packages upgraded (${chosen}), ${rebooting}`;
    const turn = ({ role, pool }: (typeof inOrder)[number]) =>
        role === "worker"
            ? `pool ${pool}, at most ${plan.maxUnavailable[pool!]} at once`
            : "control plane, one at a time";
    const inputs = {
        ...{ clusterId: cluster.identity.clusterId, word, packages: chosen, reboot, rebootTimeoutSeconds },
        soakSeconds,
        held: inOrder.filter(holds).map(({ name }) => name),
        nodes: Object.fromEntries(
            inOrder.map((node, i) => [
                node.name,
                holds(node)
                    ? "stays until os.pauseAfter lets it go"
                    : `${i + 1} of ${inOrder.length}, ${turn(node)}: ${what}`,
            ]),
        ),
        targets: pulumi.secret(pulumi.jsonStringify(targets)),
        ...cluster.unchecked,
    };
    return new OsUpgrade(cluster.name, inputs as unknown as Args<OsUpgradeInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...after],
    });
}
