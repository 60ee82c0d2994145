import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import { kindOf, placeOf } from "../../endpoint/endpoint-change";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";

/** Prints "lives" or nothing. */
const livingEndpointScript = kubeadmScript("member/join/print-living-endpoint.sh");

/**
 * Asks an endpoint outside of the program's masters before a cluster is begun. A load balancer of the user's forwards to masters that a restored
 * program and state may not know. A virtual address needs no question: nobody takes it that another machine has.
 * @throws NO_CONTROL_PLANE if this cluster answers there
 */
export async function refuseIfEndpointLives(
    { name, endpoint, keys }: Pick<NodeSpec, "name" | "endpoint" | "keys">,
    machine: Connection,
): Promise<void> {
    if (kindOf(endpoint) !== "external" || keys === undefined) return;
    const url = `https://${placeOf(endpoint)}`;
    const said = await query(machine, {
        step: "look whether the cluster lives behind its endpoint",
        script: livingEndpointScript,
        env: { URL: url, CA: keys.caCertificate },
        timeoutSeconds: 30,
        node: name,
    });
    if (said.trim() !== "lives") return;
    throw new NfvError({
        code: "NO_CONTROL_PLANE",
        node: name,
        step: "membership",
        cause: `this cluster answers at ${url}, on masters that are not in the program: ${name} would begin a second one; nothing was changed`,
        hint: "Program and state are older than the cluster, or lack its masters: bring back those that know them. If the cluster there is to end, stop its API servers first.",
    });
}
