import { NfvError } from "../errors";
import { cordonedAnnotation } from "../kubeadm/set-labels";
import type { Connection } from "../ssh";
import type { Peer } from "./machine";
import { readyControlPlaneNode } from "./machine-statuses";
import type { Context } from "./types";

/**
 * Prints "answer:node/NAME NOTE", where NOTE shows that our drain cordoned it, and "ready:STATUS SINCE"; "answer:" if the
 * cluster does not have the node. NAME
 */
const whetherKnown =
    'nfv_node=$(kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout=10s get node "$1" --ignore-not-found ' +
    `-o 'jsonpath=node/{.metadata.name} {.metadata.annotations.${cordonedAnnotation.replace(".", "\\.")}}` +
    `{range .status.conditions[?(@.type=="Ready")]}{"\\n"}ready:{.status} {.lastTransitionTime}{end}') && echo "answer:$nfv_node"`;

export interface KnownNode {
    /** The cluster answered that it does not have this node. */
    forgotten: boolean;
    /** Our drain has cordoned it. */
    cordoned: boolean;
    /** Its condition Ready, and since when. */
    ready?: { status: string; since: string };
    /** The control-plane node that answered. */
    master: Connection;
}

/** The cluster's answer about this node; undefined if it could not be asked. */
export async function askCluster(
    { spec, controlPlane }: { spec: { clusterId: string; name: string }; controlPlane: readonly Peer[] },
    context: Context,
): Promise<KnownNode | undefined> {
    try {
        const { connection: master } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
        const { stdout } = await master.exec(["sh", "-c", whetherKnown, "pulumi-nfv-known", spec.name], {
            timeoutSeconds: 30,
        });
        const said = stdout.trim();
        const [, status, since] = /^ready:(\S+) (\S+)$/m.exec(said) ?? [];
        const ready = status && since ? { status, since } : undefined;
        return { forgotten: said === "answer:", cordoned: /^answer:\S+ \S/.test(said), ready, master };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${spec.name}: whether the cluster knows this node was not found out: ${error.reason}`);
        return undefined;
    }
}
