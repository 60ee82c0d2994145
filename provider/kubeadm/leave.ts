import type { NodeSpec } from "../model";
import { errorsFor } from "../shell/exit-codes";
import type { Connection } from "../ssh/types";
import { runScript, type ScriptCall } from "../steps/run-script";
import type { ProgressListener } from "../steps/types";
import { memberToRemove, parseMembers } from "./etcd-members";
import {
    deleteNodeScript,
    drainScript,
    membersScript,
    noteLeavingScript,
    removeMemberScript,
    resetNodeScript,
} from "./leave-scripts";
import { lookAt } from "./look";
import { foreignNode } from "./membership";
import { ownershipOf } from "./ownership";

export interface Leaving {
    spec: Pick<NodeSpec, "clusterId" | "name" | "address" | "role" | "drain">;
    /** `sha256:…` of the authority's key, where it is known: a machine that shows another one is not reset. */
    caCertHash?: string;
    /** The machine itself; undefined: it is gone or cannot be reached. */
    node?: Connection;
    /** A living master other than this one; undefined: there is none left, the whole cluster goes. */
    controlPlane?: Connection;
    /** Forgets on the machine that it joined: called before what cannot be taken back. */
    forgetJoin?: () => Promise<void>;
    /** The machine's errors, to be borne or thrown. @default thrown */
    onMachineError?: (error: unknown) => void;
    /** The machine may be broken: the cluster forgets it first. @default false */
    givenUp?: boolean;
    /**
     * The machine is gone, is deleted by its cloud right after, or was given up by name: the end of a pod need not be confirmed by a kubelet
     * that has stopped reporting. @default false
     */
    gone?: boolean;
    report: ProgressListener;
    signal?: AbortSignal;
}

/**
 * Takes a node out of its cluster: cordon and drain, etcd member, kubelet and kubeadm's traces, node object. Each part may be done
 * already. The quorum is looked at before anything is touched. Where it stops halfway, the machine no longer counts as a member. One
 * that was given up is forgotten by the cluster before it is reset, for the reset may fail.
 */
export async function leaveCluster(leaving: Leaving): Promise<void> {
    const { spec, caCertHash, controlPlane, forgetJoin, onMachineError, report, signal } = leaving;
    const { givenUp = false, gone = false } = leaving;
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
    const call = (step: string, script: string, timeoutSeconds: number, more: Partial<ScriptCall> = {}): ScriptCall => {
        report(`${step} (${name})`);
        return { step, script, timeoutSeconds, node: name, signal, report, ...more, env: { NAME: name, ...more.env } };
    };
    // Draining may have taken minutes: only what is ours at this moment is changed.
    const requireOurs = async (machine: Connection) => {
        const facts = await lookAt(machine, address);
        const { ownership, why, hint } = ownershipOf({ clusterId, name, caCertHash, facts });
        if (ownership === "foreign") throw foreignNode(name, why, hint);
    };
    if (controlPlane) {
        const readMember = async () => {
            if (role !== "controlPlane") return undefined;
            const text = await runScript(controlPlane, call("look at etcd's members", membersScript, 60));
            const [list, health] = text.split("\n");
            return memberToRemove(parseMembers(list, health || "[]"), { name, address });
        };
        await readMember();
        await runScript(
            controlPlane,
            call("drain", drainScript, (gone ? 3 : 2) * drain.timeoutSeconds + 60, {
                env: {
                    SECONDS_TO_WAIT: String(drain.timeoutSeconds),
                    POLICY: drain.policy,
                    GONE: gone ? "yes" : "",
                },
                errors: errorsFor("DRAIN_FAILED"),
                leavable: true,
            }),
        );
        // looked at again: another master may have failed while pods moved
        const member = await readMember();
        await onMachine(async machine => {
            await requireOurs(machine);
            await forgetJoin?.();
            await runScript(machine, call("note that it leaves", noteLeavingScript, 60, { alone: "node.leave" }));
        });
        if (member) {
            await runScript(controlPlane, call("leave etcd", removeMemberScript, 60, { env: { MEMBER: member.id } }));
        }
    }
    const forgetNode = async () => {
        if (controlPlane) await runScript(controlPlane, call("delete the node object", deleteNodeScript, 60));
    };
    if (givenUp) await forgetNode();
    await onMachine(async machine => {
        await requireOurs(machine);
        const said = await runScript(machine, call("reset the node", resetNodeScript, 300, { alone: "node.reset" }));
        for (const line of said.split("\n").filter(each => each.startsWith("stays: "))) report(`${name}: ${line}`);
    });
    if (!givenUp) await forgetNode();
}
