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
    /** `sha256:…` of the authority's key if known: a machine with another one is not reset. */
    caCertHash?: string;
    /** The machine itself; undefined if it is gone or cannot be reached. */
    node?: Connection;
    /** Another control-plane node that is ready; undefined if none is left because the whole cluster is deleted. */
    controlPlane?: Connection;
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
    // Draining may have taken minutes, so verify again that the machine is still ours.
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
        // read again: another control-plane node may have failed during the drain
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
