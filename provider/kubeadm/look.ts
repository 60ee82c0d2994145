import { NfvError } from "../common/errors";
import type { Connection } from "../ssh/types";
import { realClock } from "../steps/clock";
import { type Query, query } from "../steps/query";
import type { ProgressListener } from "../steps/types";
import { type EtcdMember, parseMembers } from "./etcd-members";
import { kubeadmScript } from "./kubeadm-script";
import { type MachineStatus, machineStatusScript, parseMachineStatus } from "./machine-status";

/** The command that prints the facts; fake nodes in tests recognise it. */
export const machineStatusArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-facts"];

/**
 * A machine that does not answer in this time counts as unreachable. Where API, etcd and container runtime hang, the script itself waits for 21 seconds,
 * and more on a machine under load.
 */
const timeoutSeconds = 60;

/** Prints two lines of JSON: the members, and the health of each endpoint. Bad health is not a failure here. */
export const membersScript = kubeadmScript("kubeadm/etcd-members.sh");

/** Asks for the facts of a machine. `address`: where its API server would listen. */
export const machineStatusQuery = (address: string): Query => ({
    step: "look at the machine",
    script: machineStatusScript,
    argv: machineStatusArgv,
    env: { ADDRESS: address },
    timeoutSeconds,
});

/** Reads them. */
export async function lookAt(connection: Connection, address: string): Promise<MachineStatus> {
    return parseMachineStatus(await query(connection, machineStatusQuery(address)));
}

/** The internal addresses of a node, as the cluster knows it; none if the cluster has no such node. */
export async function lookAtAddresses(controlPlane: Connection, node: string, signal?: AbortSignal): Promise<string[]> {
    const step = "look at the node's addresses";
    const script = kubeadmScript("kubeadm/print-node-addresses.sh");
    const said = await query(controlPlane, { step, script, env: { NODE: node }, timeoutSeconds: 60, node, signal });
    return said.split(/\s+/).filter(Boolean);
}

/** Status of the node's condition Ready: "True", "False", "Unknown", ""; "none": the cluster has no such node. Throws where it cannot be asked. */
export async function lookAtReadiness(controlPlane: Connection, node: string, signal?: AbortSignal): Promise<string> {
    const step = "ask whether the node is Ready";
    const script = kubeadmScript("kubeadm/print-node-readiness.sh");
    const asked = { step, script, env: { NODE: node }, timeoutSeconds: 60, node, signal };
    return (await query(controlPlane, asked)).trim();
}

/** The addresses that a machine has itself. */
export async function lookAtOwnAddresses(machine: Connection, node: string): Promise<string[]> {
    const step = "look at the machine's own addresses";
    const script = kubeadmScript("kubeadm/print-own-addresses.sh");
    return (await query(machine, { step, script, timeoutSeconds: 30, node })).split(/\s+/).filter(Boolean);
}

/**
 * How often etcd is asked again whose answer was not enough, and after how long. `untilLeader`: it does not name its members while it elects a
 * leader, as after a member has left that was the leader; under load that takes long. Tests set less.
 */
export const lookAgain = { times: 2, untilLeader: 10, pauseSeconds: 3 };

export interface MembersQuestion {
    report?: ProgressListener;
    signal?: AbortSignal;
    /**
     * Whether so many answer that the caller can go on. If not, they are asked again: under load, a member that lives may answer its health check
     * too late. The last look counts alone, because a member of an earlier one may have died since. @default no matter how many
     */
    enough?: (members: readonly EtcdMember[]) => boolean;
}

/**
 * The members of etcd and their health, as a control-plane node sees them. `node`: on whose account it is asked, for
 * messages.
 */
export async function lookAtMembers(
    controlPlane: Connection,
    node: string | undefined,
    { report, signal, enough = () => true }: MembersQuestion = {},
): Promise<EtcdMember[]> {
    const step = "look at etcd's members";
    signal?.throwIfAborted();
    report?.(node === undefined ? step : `${step} (${node})`);
    for (let again = 0; ; again++) {
        const said = await query(controlPlane, { step, script: membersScript, timeoutSeconds: 60, node, signal });
        const [list, health] = said.split("\n");
        if (!list && again >= lookAgain.untilLeader) {
            const cause = "etcd did not say which members it has";
            throw new NfvError({ code: "NO_CONTROL_PLANE", ...(node !== undefined && { node }), step, cause });
        }
        const members = list ? parseMembers(list, health || "[]") : [];
        if (list && (again >= lookAgain.times || enough(members))) return members;
        report?.(
            list ? "some members of etcd did not answer: look again" : "etcd does not name its members: look again",
        );
        await realClock.sleep(lookAgain.pauseSeconds, signal);
    }
}
