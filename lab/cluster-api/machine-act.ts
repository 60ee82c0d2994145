import { isDeepStrictEqual } from "node:util";
import type { Cluster, Condition, LabMachine, Machine, Metadata, SeenNode, Status } from "./types";

export const finalizer = "labmachine.infrastructure.cluster.x-k8s.io";

/** All that decides what is done for a LabMachine. */
export interface SeenMachine {
    machine: LabMachine;
    /** The Machine that owns it. */
    owner?: Machine;
    cluster?: Cluster;
    node: SeenNode;
}

export type MachineAct =
    | { do: "wait" }
    /** Put our finalizer on it: what is made after that is also removed. */
    | { do: "hold" }
    /** Make the node, or start one whose making was interrupted. */
    | { do: "make"; bootstrapSecret: string }
    | { do: "report"; providerID: string; status: Status }
    /** Remove the node, then our finalizer. */
    | { do: "remove" };

const wait: MachineAct = { do: "wait" };

/** What the provider does next for a machine: the contract InfraMachine of Cluster API. Pure; `now` is ISO 8601. */
export function machineAct({ machine, owner, cluster, node }: SeenMachine, now: string): MachineAct {
    const { metadata, spec, status } = machine;
    if (isPaused(metadata, cluster)) return wait;
    const isOurs = metadata.finalizers?.includes(finalizer) ?? false;
    if (metadata.deletionTimestamp !== undefined) return isOurs ? { do: "remove" } : wait;
    if (owner === undefined || !cluster?.status?.initialization?.infrastructureProvisioned) return wait;
    if (spec?.providerID === undefined) {
        const bootstrapSecret = owner.spec?.bootstrap?.dataSecretName;
        if (bootstrapSecret === undefined) return wait;
        if (!isOurs) return { do: "hold" };
        if (node === undefined || node.state === "off") return { do: "make", bootstrapSecret };
    }
    // A node that somebody removed is never made again: another machine takes its place.
    const providerID = spec?.providerID ?? `lab:///${metadata.name}`;
    const next = statusOf(machine, node, now);
    const isReported = spec?.providerID !== undefined && isDeepStrictEqual(status, next);
    return isReported ? wait : { do: "report", providerID, status: next };
}

export function isPaused({ annotations }: Metadata, cluster: Cluster | undefined): boolean {
    return cluster?.spec?.paused === true || annotations?.["cluster.x-k8s.io/paused"] !== undefined;
}

/** Reason of the condition Ready, and what it says. */
const words: Record<string, [status: string, reason: string, message: string]> = {
    on: ["True", "NodeOn", ""],
    cut: ["False", "NodeCut", "the node is cut off from the network"],
    off: ["False", "NodeOff", "the node is off"],
    gone: ["False", "NodeGone", "the lab does not have this node any more"],
};

function statusOf({ metadata, status: before }: LabMachine, node: SeenNode, now: string): Status {
    const addresses = node && [
        { type: "InternalIP", address: node.address },
        { type: "Hostname", address: metadata.name },
    ];
    const [status, reason, message] = words[node?.state ?? "gone"]!;
    const former = before?.conditions?.find(({ type }) => type === "Ready");
    const lastTransitionTime = former?.status === status ? former.lastTransitionTime : now;
    const ready: Condition = { lastTransitionTime, message, reason, status, type: "Ready" };
    return {
        ...(addresses && { addresses }),
        conditions: [ready],
        initialization: { provisioned: true },
    };
}
