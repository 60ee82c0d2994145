import { NfvError } from "../../common/errors";
import type { NodeSpec } from "../../common/model";
import { type EtcdMember, mayLeave, memberToRemove } from "../../kubeadm/etcd-members";
import { lookAt, lookAtMembers, lookAtReadiness } from "../../kubeadm/look";
import type { MachineStatus } from "../../kubeadm/machine-status";
import { foreignNode } from "../../kubeadm/membership";
import { ownershipOf } from "../../kubeadm/ownership";
import { memberFile } from "../../kubeadm/paths";
import type { Connection } from "../../ssh/types";
import { type NodeConnection, runAct } from "../../steps";
import type { Act, ProgressListener } from "../../steps/types";
import {
    deleteNodeObject,
    drainNode,
    type KubeletKnown,
    leaveEtcd,
    noteLeaving,
    resetNode,
    runsKubelet,
    startServices,
    uidIn,
    uncordonNode,
    whatStays,
} from "./leave-acts";

export interface Leaving {
    spec: Pick<NodeSpec, "clusterId" | "name" | "address" | "role" | "drain">;
    /** `sha256:…` of the authority's key if known: a machine with another one is not reset. */
    caCertHash?: string;
    /** The machine itself; undefined if it is gone or cannot be reached. */
    node?: Connection;
    /** Another control-plane node that is ready; undefined if none is left because the whole cluster is deleted. */
    controlPlane?: NodeConnection;
    /**
     * It is no member any more, as far as this run knows. If it is one at the moment of its reset, another run has joined it, and it is left alone.
     * @default false
     */
    hasLeft?: boolean;
    /** MachineStatus.memberSince, if it was asked before: where it has joined again since, it is left alone. */
    memberSince?: string;
    /** Deletes the machine's record that it joined. Called before the first irreversible change. */
    forgetJoin?: () => Promise<void>;
    /** Called with the machine's errors, which it tolerates or throws. @default throws */
    onMachineError?: (error: unknown) => void;
    /** The machine may be broken, so the cluster removes it before the machine is reset. @default false */
    givenUp?: boolean;
    /**
     * The machine is gone, the cloud deletes it right after this, or the user gave it up by name: kubelet need not
     * confirm the end of a pod if it no longer reports. @default false
     */
    gone?: boolean;
    /** It does not answer, and may be alive: its cloud has its server. @default false */
    mayLive?: boolean;
    report: ProgressListener;
    signal?: AbortSignal;
}

/**
 * Removes a node from its cluster: cordon and drain, etcd member, kubelet and kubeadm's files, node object. Each part
 * may be done already. The quorum is checked before any change. If it stops halfway, the machine no longer counts as a
 * member. The node object of a machine that was given up is deleted before the reset, because the reset may fail.
 */
export async function leaveCluster(leaving: Leaving): Promise<void> {
    const { spec, caCertHash, controlPlane, forgetJoin, onMachineError, report, signal } = leaving;
    const { givenUp = false, gone = false, mayLive = false } = leaving;
    let { node } = leaving;
    const onMachine = async (work: (machine: Connection) => Promise<void>) => {
        if (node === undefined) return;
        try {
            await work(node);
        } catch (error) {
            if (onMachineError === undefined) throw error;
            onMachineError(error);
            node = undefined;
        }
    };
    const { clusterId, name, address, role, drain } = spec;
    const run = { clusterId, report, signal };
    const on = (machine: Connection, act: Act) => runAct(act, { ...run, node: name, connection: machine });
    const by = ({ name: master, connection }: NodeConnection, act: Act) =>
        runAct(act, { ...run, node: master, connection, forNode: name });
    // Draining may have taken minutes, so verify again that the machine is still ours.
    const requireOurs = async (machine: Connection): Promise<MachineStatus> => {
        const facts = await lookAt(machine, address);
        const { ownership, why, hint } = ownershipOf({ clusterId, name, caCertHash, facts });
        if (ownership === "foreign") throw foreignNode(name, why, hint);
        return facts;
    };
    let left = leaving.hasLeft ?? false;
    let uid = "";
    // This process may have slept for hours, and another run may have joined the machine again.
    const requireLeft = async (machine: Connection) => {
        const { memberOf } = await requireOurs(machine);
        if (left && memberOf === clusterId) throw joinedAgain(name);
    };
    // It was off while it was taken out of etcd and of the cluster. A machine whose etcd serves, or waits for others, is none of these.
    const wasTakenOut = async ({ apiReady, withoutLeader }: MachineStatus) =>
        !apiReady &&
        withoutLeader !== true &&
        (await lookAtReadiness(controlPlane!.connection, name, signal)) === "none";
    if (controlPlane) {
        const readMember = async () => {
            if (role !== "controlPlane") return undefined;
            const enough = (members: readonly EtcdMember[]) => mayLeave(members, [{ name, address }]);
            const members = await lookAtMembers(controlPlane.connection, name, { report, signal, enough });
            return memberToRemove(members, { name, address });
        };
        const before = await readMember();
        if (role === "controlPlane" && before === undefined) {
            // Giving up excuses silence only: one that was given up and answers counts.
            let facts: MachineStatus | undefined;
            await onMachine(async machine => {
                facts = await requireOurs(machine);
            });
            const saysMember = facts?.memberOf === clusterId;
            if (mayLive || (saysMember && !(await wasTakenOut(facts!))))
                throw otherEtcd(spec, controlPlane.name, mayLive);
        }
        signal?.throwIfAborted();
        let known: KubeletKnown = gone ? "gone" : mayLive ? "silent" : undefined;
        await onMachine(async machine => {
            if (left || !(await requireOurs(machine)).areServicesStopped) return;
            if (!runsKubelet(await on(machine, startServices))) known = "stopped";
        });
        const drained = async () => {
            uid = uidIn(await by(controlPlane, drainNode(name, drain, known)));
            // read again: another control-plane node may have failed during the drain
            const member = await readMember();
            await onMachine(async machine => {
                await requireOurs(machine);
                await forgetJoin?.();
                await on(machine, noteLeaving);
                left = true;
            });
            return member;
        };
        const member = await drained().catch(async error => {
            // A drain that fails has taken its cordon back. A node that was drained and stays gets pods again, too.
            if (!left && uid !== "") await by(controlPlane, uncordonNode(name)).catch(() => undefined);
            throw error;
        });
        if (member) await by(controlPlane, leaveEtcd(member.id));
    }
    const forgetNode = async () => {
        if (controlPlane === undefined) return;
        for (const line of whatStays(await by(controlPlane, deleteNodeObject(name, uid)))) report(`${name}: ${line}`);
    };
    if (givenUp) await forgetNode();
    await onMachine(async machine => {
        await requireLeft(machine);
        for (const line of whatStays(await on(machine, resetNode(left, left ? "" : leaving.memberSince))))
            report(`${name}: ${line}`);
        if (left) await requireLeft(machine);
    });
    if (!givenUp) await forgetNode();
}

/** The master that was asked does not have it as a member of etcd, and the machine says that it is one. */
function otherEtcd({ clusterId, name }: Leaving["spec"], asked: string, silent: boolean): NfvError {
    const compare = `Compare etcd's members on ${asked} and on ${name} (etcdctl member list).`;
    return new NfvError({
        code: "QUORUM_AT_RISK",
        node: name,
        step: "leave etcd",
        cause:
            `etcd of ${asked} does not have ${name} as a member, ` +
            (silent ? `and ${name} does not answer: ` : `and ${name} is a master of this cluster by its own note: `) +
            "the cluster's data may be there, in another etcd; nothing was changed",
        hint: silent
            ? `${compare} If ${name} left etcd before, or is lost, give it up by name: NFV_GIVE_UP=${clusterId}/${name} pulumi up`
            : `${compare} If ${name} left etcd before, or its data is of no use any more, run on it: ` +
              `sudo kubeadm reset -f && sudo rm -f ${memberFile}; then run pulumi up again.`,
    });
}

function joinedAgain(name: string): NfvError {
    const cause = "it left, and is a member again: another run has joined it; it was not reset";
    return new NfvError({ code: "NODE_BUSY", node: name, step: "leave", cause, hint: "Run pulumi up again." });
}
