import { randomBytes } from "node:crypto";
import type { NodeSpec } from "../common/model";
import type { Connection } from "../ssh/types";
import { query } from "../steps/query";
import { kubeadmScript } from "./kubeadm-script";
import { peerUrlOf } from "./lost-majority";

/*
 * Whether the machine that answers by SSH is that of a member. Its host key alone does not prove it: on a cloud it stands in the server's user data, and a Service may send the
 * traffic for its address to a pod. So who of the cluster works under its name or address is asked for elsewhere, and the machine proves itself by kubelet's key.
 */

export interface LivingMember {
    /** "etcd": it answers. "node": it is Ready, which may be so for 40 s after its machine has died. */
    kind: "etcd" | "node";
    name: string;
    /** URL or address. */
    place: string;
}

type Machine = Pick<NodeSpec, "name" | "address">;

/** As another control-plane node sees it. */
export async function livingMembers(
    other: Connection,
    { name, address }: Machine,
    signal?: AbortSignal,
): Promise<LivingMember[]> {
    const said = await query(other, {
        ...{ step: "look who of the cluster works under this name or address", node: name, signal },
        script: kubeadmScript("kubeadm/print-living-member.sh"),
        env: { NAME: name, ADDRESS: address, PEER: peerUrlOf(address) },
        timeoutSeconds: 120,
    });
    return parseLivingMembers(said);
}

export function parseLivingMembers(said: string): LivingMember[] {
    return said
        .split("\n")
        .map(line => /^(etcd|node) (\S+) (\S+)/.exec(line))
        .flatMap(row => (row ? [{ kind: row[1] as LivingMember["kind"], name: row[2]!, place: row[3]! }] : []));
}

/** Whether the machine has the key of this node's kubelet. `other`: a control-plane node that verifies it. */
export async function provesItself(machine: Connection, other: Connection, clusterId: string, name: string) {
    const challenge = `pulumi-nfv ${clusterId}/${name} ${randomBytes(16).toString("hex")}`;
    const step = "let the machine prove that it is this node";
    const ask = (at: Connection, path: string, env: Record<string, string>) =>
        query(at, { step, node: name, script: kubeadmScript(path), env, timeoutSeconds: 30 });
    const said = await ask(machine, "kubeadm/prove-machine.sh", { CHALLENGE: challenge });
    const value = (key: string) => new RegExp(`^${key}=([A-Za-z0-9+/=]+)$`, "m").exec(said)?.[1];
    const [certificate, signature] = [value("certificate"), value("signature")];
    if (certificate === undefined || signature === undefined) return false;
    const given = { CERTIFICATE: certificate, SIGNATURE: signature, CHALLENGE: challenge, NAME: name };
    return (await ask(other, "kubeadm/verify-machine.sh", given)).trim() === "yes";
}
