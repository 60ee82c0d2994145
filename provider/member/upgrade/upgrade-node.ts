import type { NodeSpec } from "../../common/model";
import type { Connection } from "../../ssh/types";
import { type NodeConnection, runAct } from "../../steps";
import type { Act, ProgressListener } from "../../steps/types";
import { drainNode } from "../leave/leave-acts";
import { backInService, endUpgrade, moveControlPlane, moveKubelet, noteUpgrade, saveEtcd } from "./acts";
import type { NodeVersion } from "./node-version";

export interface NodeUpgrade {
    /** With the version that the node is to have. */
    spec: NodeSpec;
    /** What the node runs now. */
    seen: NodeVersion;
    /** It is to be watched when it has moved. */
    soaks: boolean;
    machine: Connection;
    /** A control-plane node that is ready. */
    controlPlane: () => Promise<NodeConnection>;
    report: ProgressListener;
    signal?: AbortSignal;
}

/**
 * Moves a member to another version, in place. Everything may be done already, in part or whole: a run that was killed is continued.
 * A control-plane node's servers go first, its kubelet last: a kubelet must not be later than its API server.
 */
export async function upgradeNode({
    spec,
    seen,
    soaks,
    machine,
    controlPlane,
    report,
    signal,
}: NodeUpgrade): Promise<void> {
    const { clusterId, name, role, drain, kubernetesVersion: to } = spec;
    const run = { clusterId, report, signal };
    const here = (act: Act) => runAct(act, { ...run, node: name, connection: machine });
    const there = async (act: Act) => {
        const { name: master, connection } = await controlPlane();
        return runAct(act, { ...run, node: master, connection, forNode: name });
    };
    await here(noteUpgrade(spec));
    if (role === "controlPlane") {
        await here(saveEtcd(spec));
        await here(
            moveControlPlane(
                spec,
                versionsIn(seen).filter(version => version !== to),
            ),
        );
    }
    if (seen.kubelet !== to) await there(drainNode(name, drain));
    await here(moveKubelet(spec));
    await there(backInService(name, "kubeletVersion", `v${to}`));
    await here(endUpgrade(spec, soaks));
}

function versionsIn({ kubelet, components, unfinished }: NodeVersion): string[] {
    const all = [kubelet, ...components, unfinished?.from ?? "", unfinished?.to ?? ""];
    return [...new Set(all.filter(version => version !== ""))];
}
