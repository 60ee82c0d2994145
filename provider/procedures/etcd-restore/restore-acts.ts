import { etcdScript } from "../../etcd/paths";
import type { OntoNewSpec } from "../../etcd/spec";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";
import { addressOf, type Reached } from "../reached";
import type { Stage } from "../stages";
import type { MadeWith, RestoreState } from "./restore-decision";

export const restoreStateScript = etcdScript("procedures/etcd-restore/print-restore-state.sh");
export const chooseSnapshotScript = etcdScript("procedures/etcd-restore/choose-snapshot.sh");
export const seedScript = etcdScript("procedures/etcd-restore/print-seed.sh");
export const cameBackScript = etcdScript("procedures/etcd-restore/print-came-back.sh");
export const otherNodesScript = etcdScript("procedures/etcd-restore/print-other-nodes.sh");
export const restoreErrors = errorsFor("RESTORE_FAILED", "BACKUP_FAILED");

interface RestorePlan extends MadeWith {
    requestId: string;
    /** Id of the snapshot. */
    snapshot: string;
}

/**
 * What all control-plane nodes do at once: none begins an act before all have done the one before. Each may be done twice, so a run that was killed is
 * taken up where it was. Until `stop` nothing that runs is touched. `states`: of the nodes, in their order.
 */
export function restoreStages(
    { requestId, snapshot, members, bump }: RestorePlan,
    controlPlane: readonly Reached[],
    states: readonly RestoreState[],
): Stage[] {
    const common = { target: "self", timeoutSeconds: 900, errors: restoreErrors } as const;
    const stage = (
        act: Omit<Act, keyof typeof common> & Partial<Act>,
        own: (place: number) => object = () => ({}),
    ) => ({
        act: (_: Reached, place: number): Act => ({
            ...common,
            ...act,
            env: { WORD: requestId, SNAPSHOT: snapshot, ...own(place) },
        }),
        ...{ on: controlPlane, atOnce: controlPlane.length },
    });
    return [
        stage(
            {
                ...{ id: "etcd.restore-prepare", title: "fetch and prove the snapshot", timeoutSeconds: 7200 },
                run: etcdScript("procedures/etcd-restore/prepare-restore.sh"),
            },
            place => ({
                ...{ NAME: states[place]!.name, PEER: states[place]!.peer, MEMBERS: members, BUMP: String(bump) },
                TOKEN: `restore-${requestId}-${snapshot}`,
            }),
        ),
        stage({
            ...{ id: "etcd.restore-stop", title: "stop etcd and the API server" },
            run: etcdScript("procedures/etcd-restore/stop-for-restore.sh"),
            disruptive: "etcd and the API server stop on all control-plane nodes",
        }),
        stage({
            ...{ id: "etcd.restore-exchange", title: "exchange etcd's data" },
            run: etcdScript("procedures/etcd-restore/exchange-data.sh"),
        }),
        stage(
            {
                ...{ id: "etcd.restore-start", title: "start etcd and the API server", timeoutSeconds: 1800 },
                run: etcdScript("procedures/etcd-restore/start-restored.sh"),
            },
            // One alone tells the cluster which version it has.
            place => ({ ADDRESS: addressOf(controlPlane[place]!), UPLOADS: place === 0 ? "yes" : "" }),
        ),
    ];
}

/** For a member that does not know that its cluster has done it. */
export const noteRestored = (requestId: string, snapshot: string): Act => ({
    id: "etcd.note-restored",
    title: "note that the restore was done",
    target: "self",
    run: etcdScript("procedures/etcd-restore/note-restored.sh"),
    env: { WORD: requestId, SNAPSHOT: snapshot },
    timeoutSeconds: 60,
    errors: restoreErrors,
});

/** On one node, before anything is stopped: for what is said of it afterwards. */
export const noteObjects = (requestId: string, snapshot: string): Act => ({
    id: "etcd.note-objects",
    title: "note which objects there are",
    target: "self",
    run: etcdScript("procedures/etcd-restore/note-objects.sh"),
    env: { WORD: requestId, SNAPSHOT: snapshot },
    timeoutSeconds: 180,
});

/** Brings a snapshot onto the machine that will begin the cluster with it. `kubeadm init` follows in its Node. */
export const fetchSeed = (requestId: string, snapshot: string, { identity, kubernetesVersion }: OntoNewSpec): Act => ({
    id: "etcd.fetch-seed",
    title: "fetch and prove the snapshot",
    target: "self",
    run: etcdScript("procedures/etcd-restore/fetch-seed.sh"),
    env: { WORD: requestId, SNAPSHOT: snapshot, IDENTITY: identity, VERSION: kubernetesVersion },
    timeoutSeconds: 7200,
    errors: restoreErrors,
});

export const restartKubelet: Act = {
    id: "node.kubelet-again",
    title: "restart kubelet",
    target: "self",
    run: etcdScript("procedures/etcd-restore/restart-kubelet.sh"),
    timeoutSeconds: 120,
    disruptive: "kubelet restarts",
};
