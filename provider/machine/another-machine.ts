import { NfvError } from "../common/errors";
import type { NodeSpec } from "../common/model";
import type { Context } from "../contract/types";
import { type LivingMember, livingMembers, provesItself } from "../kubeadm/living-member";
import type { Connection } from "../ssh";
import { realClock } from "../steps/clock";
import { untilControlPlaneReady } from "./control-plane-ready";
import type { Peer } from "./machine";
import { type PeerStatus, readyControlPlaneNode } from "./machine-statuses";

/** For how long a Node may seem to be Ready whose machine has died, and how often that is asked, in seconds. Tests set less. */
export const readyPatience = { seconds: 90, pause: 5 };

interface Question {
    spec: Pick<NodeSpec, "clusterId" | "name" | "address">;
    /** The machine that answers by SSH. */
    connection: Connection;
    /** All control-plane nodes; the machine's own word proves nothing. */
    controlPlane: readonly Peer[];
    /** It joins, which takes another control-plane node that is ready: one can be asked, or nothing is done. */
    joins?: boolean;
}

/**
 * Before keys of the cluster go to a machine: whether it has proven that it is the node that works under its name or at its address; "no" if none works. Where no other control-plane
 * node can be asked, nobody knows of one.
 * @throws FOREIGN_NODE if there is such a node, and this machine is another one; NO_CONTROL_PLANE if it joins and nobody can be asked
 */
export async function refuseAnotherMachine(
    { spec, connection, controlPlane, joins = false }: Question,
    context: Context,
): Promise<"proven" | "no"> {
    const { clusterId, name } = spec;
    const other = await otherControlPlaneNode(clusterId, name, controlPlane, joins, context);
    if (other === undefined) return "no";
    let proven = false;
    const living = await untilNoneLives(spec, other, context, async () => {
        proven = await provesItself(connection, other, clusterId, name);
        return proven;
    });
    if (living.length === 0) return proven ? "proven" : "no";
    throw anotherMachine(spec, connection, living, "no key was sent to it, and nothing was changed");
}

/**
 * Before a node is taken out of its cluster whose machine answers as a blank one.
 * @throws FOREIGN_NODE if the node works
 */
export async function refuseIfItLives(
    { spec, connection, other }: Pick<Question, "spec" | "connection"> & { other: Connection },
    context: Context,
): Promise<void> {
    const living = await untilNoneLives(spec, other, context);
    if (living.length > 0) throw anotherMachine(spec, connection, living, "nothing was taken out of the cluster");
}

async function otherControlPlaneNode(
    clusterId: string,
    name: string,
    controlPlane: readonly Peer[],
    joins: boolean,
    context: Context,
) {
    const others = controlPlane.filter(peer => peer.name !== name);
    if (joins) return (await untilControlPlaneReady(context, clusterId, others, "any")).connection;
    try {
        const found: PeerStatus = await readyControlPlaneNode(context, clusterId, others, "any");
        return found.connection;
    } catch (error) {
        if (error instanceof NfvError && error.code === "NO_CONTROL_PLANE") return undefined;
        throw error;
    }
}

/** Those that live and are not this machine. An etcd that answers lives. A Node that is Ready may be dead for some seconds, so it is asked again. */
async function untilNoneLives(
    { name, address }: Question["spec"],
    other: Connection,
    { report, signal }: Context,
    isProven = async () => false,
): Promise<LivingMember[]> {
    const until = realClock.now() + readyPatience.seconds;
    for (let isFirst = true; ; isFirst = false) {
        const living = await livingMembers(other, { name, address }, signal);
        if (living.length === 0 || (isFirst && (await isProven()))) return [];
        if (living.some(({ kind }) => kind === "etcd") || realClock.now() >= until) return living;
        report(`waiting: the cluster has ${name} as Ready, and the machine has nothing of it`);
        await realClock.sleep(readyPatience.pause, signal);
    }
}

function anotherMachine(
    { name }: Question["spec"],
    { target }: Connection,
    living: readonly LivingMember[],
    consequence: string,
): NfvError {
    const places = living.map(({ kind, name: member, place }) =>
        kind === "etcd" ? `etcd's member ${member} answers at ${place}` : `the node ${member} (${place}) is Ready`,
    );
    const machine = `${target.host}:${target.port ?? 22}`;
    return new NfvError({
        code: "FOREIGN_NODE",
        node: name,
        step: "compare the machine with the cluster's member",
        cause: `the machine that answers by SSH at ${machine} cannot prove that it is ${name}, and the cluster has a member of this name or address that works: ${places.join("; ")}. So they are two machines; ${consequence}`,
        hint:
            `Find out what answers at ${machine}: a second machine with this address or name, or a Service of the cluster with it in externalIPs. ` +
            `If ${name} was really made anew, its former machine still runs: turn that off for ever, then run pulumi up again.`,
    });
}
