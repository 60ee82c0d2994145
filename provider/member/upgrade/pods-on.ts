import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";

export interface PodOnNode {
    /** "NAMESPACE/NAME"; of the node itself: "its kubelet". */
    name: string;
    ready: boolean;
    /** It has done its work: a Job's pod. */
    ended: boolean;
}

/** The command that prints them; fake nodes in tests recognise it. */
export const podsOnArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-pods-on"];

const script = kubeadmScript("member/upgrade/print-pods-on.sh");

/** The node and its pods, as a control-plane node sees them. */
export async function podsOn(master: Connection, node: string, signal?: AbortSignal): Promise<PodOnNode[]> {
    const asked = { step: "look at the pods of the node", script, argv: podsOnArgv, env: { NAME: node }, signal };
    return parsePodsOn(await query(master, { ...asked, timeoutSeconds: 60 }));
}

export function parsePodsOn(text: string): PodOnNode[] {
    return text.split("\n").flatMap(line => {
        const [kind, ...rest] = line.trim().split(/\s+/);
        if (kind === "node") return [{ name: "its kubelet", ready: rest[0] === "True", ended: false }];
        const [name, phase, ready] = rest;
        if (kind !== "pod" || name === undefined) return [];
        return [{ name, ready: ready === "True", ended: phase === "Succeeded" || phase === "Failed" }];
    });
}

/** What does not serve, by name. */
export const notServing = (pods: readonly PodOnNode[]): string[] =>
    pods.filter(({ ready, ended }) => !ready && !ended).map(({ name }) => name);
