import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import type { Context } from "../../contract/types";
import { snapshotFolder } from "../../kubeadm/paths";
import { minorOf } from "../../kubernetes/releases";
import { untilControlPlaneReady } from "../../machine/control-plane-ready";
import { named, type Peer } from "../../machine/machine";
import { readyControlPlaneNode } from "../../machine/machine-statuses";
import { healedInRun } from "../../operation/healed-in-run";
import type { Connection } from "../../ssh";
import { lookAtVersion, machineProblem, movesFrom, type NodeVersion } from "./node-version";
import { type ClusterReadiness, lookAtReadiness, problemsOf } from "./readiness";
import { refuseMove } from "./upgrade";
import { upgradeNode } from "./upgrade-node";

export interface MovingNode {
    spec: NodeSpec;
    controlPlane: readonly Peer[];
    machine: Connection;
    context: Context;
    /** It is to be watched when it has moved. */
    soaks: boolean;
}

/** What a member must move from to have the wanted version, and what it runs. Without `from` it has the version. The machine is asked. */
export async function versionOf({ spec, machine }: MovingNode): Promise<{ from?: string; seen: NodeVersion }> {
    const { name, kubernetesVersion: to } = spec;
    const seen = await named(name, () => lookAtVersion(machine, name));
    const from = movesFrom(seen, to);
    return { seen, ...(from !== undefined && { from }) };
}

/** Moves a member in place. @throws UPGRADE_REFUSED before any change on it; other codes with what each node runs, and both ways */
export async function moveInPlace(
    node: MovingNode,
    { from, seen }: { from: string; seen: NodeVersion },
): Promise<void> {
    const { spec, controlPlane, machine, context, soaks } = node;
    const { clusterId, name, kubernetesVersion: to } = spec;
    const { report, signal } = context;
    refuseMove(name, from, to);
    const problem = machineProblem(seen, to);
    if (problem !== undefined)
        throw new NfvError({ code: "UPGRADE_REFUSED", node: name, cause: `from ${from} to ${to}: ${problem}` });
    const master = () => untilControlPlaneReady(context, clusterId, controlPlane, "any");
    await refuseUnready(node, from, await readinessNow(node, from));
    report(`moves from ${from} to ${to}`);
    try {
        await upgradeNode({ spec, seen, soaks, machine, controlPlane: master, report, signal });
    } catch (error) {
        if (signal?.aborted || !(error instanceof NfvError)) throw error;
        throw await withBothWays(error, node, from);
    }
}

/** What the cluster says when a node is about to move from a version. */
export async function readinessNow(
    { spec, controlPlane, context }: Pick<MovingNode, "spec" | "controlPlane" | "context">,
    from: string,
): Promise<ClusterReadiness> {
    const { connection } = await untilControlPlaneReady(context, spec.clusterId, controlPlane, "any");
    const addresses = controlPlane.map(({ address, connection: { host } }) => address ?? host);
    const deprecated = minorOf(from) !== minorOf(spec.kubernetesVersion);
    return lookAtReadiness(connection, { addresses, deprecated, signal: context.signal });
}

async function refuseUnready({ spec, context }: MovingNode, from: string, found: ClusterReadiness): Promise<void> {
    const { name, drain, kubernetesVersion: to, runtimeFromBundle } = spec;
    // Workers that this run heals come behind the control plane.
    const moving = [name, ...healedInRun(context, spec.clusterId, "worker")];
    const problems = problemsOf(found, { to, policy: drain.policy, moving, runtimeFromBundle });
    if (problems.length === 0) return;
    const cause = `from ${from} to ${to}: ${problems.join("\n")}`;
    throw new NfvError({ code: "UPGRADE_REFUSED", node: name, cause });
}

/** Adds which node has which version, how to go on, and how to go back. */
async function withBothWays(error: NfvError, node: MovingNode, from: string): Promise<NfvError> {
    const { name, role, kubernetesVersion: to } = node.spec;
    const versions = await versionsOf(node);
    const isMinor = minorOf(from) !== minorOf(to);
    const saved =
        role === "controlPlane"
            ? ` etcd's data from before it: ${snapshotFolder}/before-${to}.db on each control-plane node that began.`
            : "";
    const back = isMinor
        ? "Back: not for a node whose API server has moved; docs/upgrade.md#the-way-back."
        : `Back: set kubernetes.version to ${from} and run pulumi up.`;
    const { code, step, reason, output } = error;
    return new NfvError({
        code: code === "STEP_FAILED" || code === "STEP_TIMEOUT" ? "UPGRADE_FAILED" : code,
        node: name,
        ...(step !== undefined && { step }),
        cause: `${reason}\nversions now: ${versions}`,
        hint: `Nodes behind this one were not touched. On: correct the cause, then run pulumi up again: it goes on from here. ${back}${saved}`,
        ...(output !== undefined && { output }),
    });
}

/** "m1 1.36.3, m2 1.36.2 (not Ready)", or that no control-plane node answers. */
async function versionsOf({ spec, controlPlane, context }: MovingNode): Promise<string> {
    try {
        const { connection } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
        const { nodes } = await lookAtReadiness(connection, { addresses: [], deprecated: false });
        return Object.entries(nodes)
            .map(([name, { version, ready }]) => `${name} ${version}${ready ? "" : " (not Ready)"}`)
            .join(", ");
    } catch {
        return "no control-plane node answers";
    }
}
