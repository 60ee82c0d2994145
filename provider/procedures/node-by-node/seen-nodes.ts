import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { cordonedAnnotation } from "../../member/set-labels";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";

/** A node, as a control-plane node sees it. */
export interface SeenNode {
    ready: boolean;
    /** Our drain has cordoned it, for this request. */
    ours: boolean;
}

/** The command that asks; fake nodes in tests recognise it. */
export const seenNodesArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-seen-nodes"];

const script = kubeadmScript("procedures/node-by-node/print-nodes.sh", {
    CORDONED_ANNOTATION_ESCAPED: cordonedAnnotation.replace(".", "\\."),
});

/** By name. `drains`: a node that our drain has cordoned is in the middle of this request. */
export async function lookAtNodes(
    controlPlaneNode: Connection,
    { drains = false }: { drains?: boolean },
): Promise<Record<string, SeenNode>> {
    const how = { step: "look at the nodes", script, argv: seenNodesArgv, timeoutSeconds: 60 };
    const rows = (await query(controlPlaneNode, how)).split("\n").map(line => line.trim().split(/\s+/));
    const nodes = rows.filter(([kind, name]) => kind === "node" && name !== undefined);
    return Object.fromEntries(
        nodes.map(([, name, ready, mark]) => [name!, { ready: ready === "True", ours: drains && mark === "ours" }]),
    );
}
