import { applying as a } from "./applying-phases";
import { leaving as l } from "./deleting-phases";
import type { Phase } from "./phase";

export const inTurn = "all at once; steps that interrupt a member: one after another, workers as maxUnavailable says";

/** The same phase with its words for one operation. */
export const as = (phase: Phase, title: string, more: Partial<Phase> = {}): Phase => ({ ...phase, title, ...more });

/** The hook comes with a later phase. */
export const withoutHook = ({ hook: _, ...phase }: Phase): Phase => phase;

/** The phase deletes former resources, before they are replaced. */
export const former = (phase: Phase, before: readonly string[], more: Partial<Phase> = {}): Phase => {
    const { with: _, ...others } = phase;
    return { ...others, ...more, act: "replace", before };
};

export const recordPeers = [
    as(a.joinControlPlane, "control-plane nodes that stay record who stays"),
    as(a.joinWorkers, "workers that stay record it"),
];

/** The phase makes again what the other phase deleted. */
export const again = (phase: Phase, title: string, deleted: readonly string[]): Phase => ({
    ...phase,
    title,
    after: [...phase.after, ...deleted.map(id => `${id}:own`)],
});

export const replaceHosts = again(a.hosts, "prepare the new machine", ["reset-hosts", "hosts-go"]);
export const joinAgain = [
    again(a.joinControlPlane, "a control-plane node joins", ["control-plane-leaves"]),
    again(a.joinWorkers, "a worker joins", ["workers-leave"]),
];

/** Nodes leave and join again on their machines. */
export const rejoin = [
    former({ ...l.controlPlaneLeaves, after: ["start", "membership", "masters", "masters-in-stack"] }, ["Node"]),
    again(a.joinControlPlane, "a control-plane node joins, before the next one leaves", ["control-plane-leaves"]),
    former({ ...l.workersLeave, after: ["join-control-plane"] }, ["Node"], { pace: "as maxUnavailable says" }),
    again(a.joinWorkers, "a worker joins, before the next ones leave", ["workers-leave"]),
];

export const changedHosts = as(a.hosts, "run the steps that changed on the machines", { pace: inTurn });
export const changedControlPlane = as(a.joinControlPlane, "run the steps that changed on the control-plane nodes");
export const changedWorkers = as(a.joinWorkers, "run the steps that changed on the workers", { pace: inTurn });
/** upgrade/upgrade-node.ts */
export const movedControlPlane = as(
    a.joinControlPlane,
    "move control-plane nodes to another Kubernetes version: save etcd's data, move the servers with kubeadm, drain, switch kubelet, uncordon; run the steps that changed",
);
export const movedWorkers = as(
    a.joinWorkers,
    "move workers to another Kubernetes version: drain, switch kubelet, uncordon; run the steps that changed",
    { pace: inTurn },
);
export const changedNetwork = as(a.network, "change the pod network");
export const changedCloudProvider = as(a.cloudProvider, "change the cloud controller manager and Cinder CSI");
