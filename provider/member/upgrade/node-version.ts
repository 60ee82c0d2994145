import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { needsNewCgroups } from "../../kubernetes/releases";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";

/** What a node runs. */
export interface NodeVersion {
    /** Of kubelet's process. Empty: there is none, and no program. */
    kubelet: string;
    /** Of API server, controller manager and scheduler, as their manifests have it. Empty on a worker. */
    components: string[];
    /** The move that has begun here and has not ended. */
    unfinished?: { from: string; to: string };
    /** It has moved to this version, and is still to be watched with it: a run was killed meanwhile. */
    soaks?: string;
    /** It has cgroups of version 1, and kubelet's settings do not allow them. */
    hasOldCgroups?: boolean;
}

/** The command that prints it; fake nodes in tests recognise it. */
export const nodeVersionArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-version"];

const script = kubeadmScript("member/upgrade/print-node-version.sh");

export async function lookAtVersion(machine: Connection, node: string): Promise<NodeVersion> {
    const asked = { step: "look at the node's version", script, argv: nodeVersionArgv, node };
    return parseNodeVersion(await query(machine, { ...asked, timeoutSeconds: 30 }));
}

export function parseNodeVersion(text: string): NodeVersion {
    const lines = text.split("\n").map(line => line.split("=") as [string, string?]);
    const all = (name: string) => lines.filter(([key]) => key === name).map(([, value = ""]) => value.trim());
    const [from, to] = (all("unfinished")[0] ?? "").split(" ");
    return {
        kubelet: all("kubelet")[0] ?? "",
        components: all("component"),
        ...(from && to && { unfinished: { from, to } }),
        ...(all("soaks")[0] && { soaks: all("soaks")[0] }),
        ...(all("cgroups")[0] === "v1" && { hasOldCgroups: true }),
    };
}

/** The version that the node had before it began to move to `to`; undefined if it has that version and no move is unfinished. Pure. */
export function movesFrom({ kubelet, components, unfinished }: NodeVersion, to: string): string | undefined {
    const other = [kubelet, ...components].find(version => version !== "" && version !== to);
    if (unfinished === undefined) return other;
    return unfinished.to === to ? unfinished.from : (other ?? unfinished.to);
}

/** What of the machine speaks against a version; undefined: nothing. Pure. */
export function machineProblem({ hasOldCgroups }: NodeVersion, to: string): string | undefined {
    if (!hasOldCgroups || !needsNewCgroups(to)) return undefined;
    return `the machine has cgroups of version 1, with which kubelet ${to} does not start. Boot it with systemd.unified_cgroup_hierarchy=1; or set kubelet: { failCgroupV1: false } of the cluster, with a pulumi up before the one with the version`;
}
