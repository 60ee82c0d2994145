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
    await new Leave(leaving).all();
}

class Leave {
    /** Undefined: it is gone, does not answer, or has failed in this run. */
    private node: Connection | undefined;
    /** It is no member any more, by its own note. */
    private left: boolean;
    /** Of the node object that was drained. */
    private uid = "";
    private readonly run: Pick<Leaving, "report" | "signal"> & { clusterId: string };

    constructor(private readonly leaving: Leaving) {
        const { spec, report, signal } = leaving;
        this.node = leaving.node;
        this.left = leaving.hasLeft ?? false;
        this.run = { clusterId: spec.clusterId, report, ...(signal && { signal }) };
    }

    async all(): Promise<void> {
        const { controlPlane, givenUp = false } = this.leaving;
        if (controlPlane) await this.leaveMembers(controlPlane);
        if (givenUp) await this.forgetNode();
        await this.onMachine(machine => this.reset(machine));
        if (!givenUp) await this.forgetNode();
    }

    /** Cordon and drain, and etcd's member. */
    private async leaveMembers(controlPlane: NodeConnection): Promise<void> {
        const { spec, signal, gone = false, mayLive = false } = this.leaving;
        if (spec.role === "controlPlane" && (await this.readMember(controlPlane)) === undefined)
            await this.refuseOtherEtcd(controlPlane);
        signal?.throwIfAborted();
        let known: KubeletKnown = gone ? "gone" : mayLive ? "silent" : undefined;
        await this.onMachine(async machine => {
            if (this.left || !(await this.requireOurs(machine)).areServicesStopped) return;
            if (!runsKubelet(await this.on(machine, startServices))) known = "stopped";
        });
        let member: Awaited<ReturnType<typeof this.readMember>>;
        try {
            this.uid = uidIn(await this.by(controlPlane, drainNode(spec.name, spec.drain, known)));
            // read again: another control-plane node may have failed during the drain
            member = await this.readMember(controlPlane);
            await this.onMachine(machine => this.noteLeaving(machine));
        } catch (error) {
            // A drain that fails has taken its cordon back. A node that was drained and stays gets pods again, too.
            if (!this.left && this.uid !== "")
                await this.by(controlPlane, uncordonNode(spec.name)).catch(() => undefined);
            throw error;
        }
        if (member) await this.by(controlPlane, leaveEtcd(member.id));
    }

    /** From here on the machine counts as no member. */
    private async noteLeaving(machine: Connection): Promise<void> {
        // Draining may have taken minutes, so verify again that the machine is still ours.
        await this.requireOurs(machine);
        await this.leaving.forgetJoin?.();
        await this.on(machine, noteLeaving);
        this.left = true;
    }

    private async readMember(controlPlane: NodeConnection): Promise<EtcdMember | undefined> {
        const { spec, report, signal } = this.leaving;
        const { role, name, address } = spec;
        if (role !== "controlPlane") return undefined;
        const enough = (members: readonly EtcdMember[]) => mayLeave(members, [{ name, address }]);
        const members = await lookAtMembers(controlPlane.connection, name, { report, signal, enough });
        return memberToRemove(members, { name, address });
    }

    /** etcd does not have it. Giving up excuses silence only: one that was given up and answers counts. */
    private async refuseOtherEtcd(controlPlane: NodeConnection): Promise<void> {
        const { spec, mayLive = false } = this.leaving;
        let status: MachineStatus | undefined;
        await this.onMachine(async machine => {
            status = await this.requireOurs(machine);
        });
        const saysMember = status?.memberOf === spec.clusterId;
        if (mayLive || (saysMember && !(await this.wasTakenOut(controlPlane, status!))))
            throw otherEtcd(spec, controlPlane.name, mayLive);
    }

    /** It was off while it was taken out of etcd and of the cluster. A machine whose etcd serves, or waits for others, is none of these. */
    private async wasTakenOut(
        { connection }: NodeConnection,
        { apiReady, withoutLeader }: MachineStatus,
    ): Promise<boolean> {
        if (apiReady || withoutLeader === true) return false;
        return (await lookAtReadiness(connection, this.leaving.spec.name, this.leaving.signal)) === "none";
    }

    private async forgetNode(): Promise<void> {
        const { spec, controlPlane } = this.leaving;
        if (controlPlane === undefined) return;
        this.tell(await this.by(controlPlane, deleteNodeObject(spec.name, this.uid)));
    }

    private async reset(machine: Connection): Promise<void> {
        await this.requireLeft(machine);
        this.tell(await this.on(machine, resetNode(this.left, this.left ? "" : this.leaving.memberSince)));
        if (this.left) await this.requireLeft(machine);
    }

    /** This process may have slept for hours, and another run may have joined the machine again. */
    private async requireLeft(machine: Connection): Promise<void> {
        const { clusterId, name } = this.leaving.spec;
        const { memberOf } = await this.requireOurs(machine);
        if (this.left && memberOf === clusterId) throw joinedAgain(name);
    }

    private async requireOurs(machine: Connection): Promise<MachineStatus> {
        const { spec, caCertHash } = this.leaving;
        const { clusterId, name, address } = spec;
        const facts = await lookAt(machine, address);
        const { ownership, why, hint } = ownershipOf({ clusterId, name, caCertHash, facts });
        if (ownership === "foreign") throw foreignNode(name, why, hint);
        return facts;
    }

    private async onMachine(work: (machine: Connection) => Promise<void>): Promise<void> {
        if (this.node === undefined) return;
        try {
            await work(this.node);
        } catch (error) {
            if (this.leaving.onMachineError === undefined) throw error;
            this.leaving.onMachineError(error);
            this.node = undefined;
        }
    }

    private on(machine: Connection, act: Act): Promise<string> {
        return runAct(act, { ...this.run, node: this.leaving.spec.name, connection: machine });
    }

    /** By a control-plane node, about the node. */
    private by({ name: node, connection }: NodeConnection, act: Act): Promise<string> {
        return runAct(act, { ...this.run, node, connection, forNode: this.leaving.spec.name });
    }

    private tell(said: string): void {
        for (const line of whatStays(said)) this.leaving.report(`${this.leaving.spec.name}: ${line}`);
    }
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
