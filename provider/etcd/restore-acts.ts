import { errorsFor } from "../shell/exit-codes";
import type { Act } from "../steps/types";
import { etcdScript } from "./paths";
import type { MadeWith } from "./restore-decision";
import type { OntoNewSpec } from "./spec";

export const restoreStateScript = etcdScript("etcd/print-restore-state.sh");
export const chooseSnapshotScript = etcdScript("etcd/choose-snapshot.sh");
export const seedScript = etcdScript("etcd/print-seed.sh");
export const cameBackScript = etcdScript("etcd/print-came-back.sh");
export const otherNodesScript = etcdScript("etcd/print-other-nodes.sh");
export const restoreErrors = errorsFor("RESTORE_FAILED", "BACKUP_FAILED");

export interface RestorePlan extends MadeWith {
    /** The word of the program. */
    word: string;
    /** Id of the snapshot. */
    snapshot: string;
}

export interface RestoringNode {
    name: string;
    /** Where its API server listens. */
    address: string;
    /** URL of its member. */
    peer: string;
    /** It alone tells the cluster which version it has. */
    isFirst: boolean;
}

/**
 * What all control-plane nodes do in turn: none begins an act before all have done the one before. Each may be done twice, so a run that was killed is
 * taken up where it was. Until `stop` nothing that runs is touched.
 */
export function restoreActs({ word, snapshot, members, bump }: RestorePlan): ((node: RestoringNode) => Act)[] {
    const act = (id: string, title: string, more: Partial<Act>, own: (node: RestoringNode) => object = () => ({})) => {
        return (node: RestoringNode): Act => ({
            ...{ id: `etcd.restore-${id}`, title, target: "self", timeoutSeconds: 900, errors: restoreErrors },
            run: "",
            ...more,
            env: { WORD: word, SNAPSHOT: snapshot, ...own(node) },
        });
    };
    return [
        act(
            "prepare",
            "fetch and prove the snapshot",
            { run: etcdScript("etcd/prepare-restore.sh"), timeoutSeconds: 7200 },
            ({ name, peer }) => ({
                ...{ NAME: name, PEER: peer, MEMBERS: members, BUMP: String(bump) },
                TOKEN: `restore-${word}-${snapshot}`,
            }),
        ),
        act("stop", "stop etcd and the API server", {
            run: etcdScript("etcd/stop-for-restore.sh"),
            disruptive: "etcd and the API server stop on all control-plane nodes",
        }),
        act("exchange", "exchange etcd's data", { run: etcdScript("etcd/exchange-data.sh") }),
        act(
            "start",
            "start etcd and the API server",
            { run: etcdScript("etcd/start-restored.sh"), timeoutSeconds: 1800 },
            ({ address, isFirst }) => ({ ADDRESS: address, UPLOADS: isFirst ? "yes" : "" }),
        ),
    ];
}

/** For a member that does not know that its cluster has done it. */
export const noteRestored = (word: string, snapshot: string): Act => ({
    id: "etcd.note-restored",
    title: "note that the restore was done",
    target: "self",
    run: etcdScript("etcd/note-restored.sh"),
    env: { WORD: word, SNAPSHOT: snapshot },
    timeoutSeconds: 60,
    errors: restoreErrors,
});

/** On one node, before anything is stopped: for what is said of it afterwards. */
export const noteObjects = (word: string, snapshot: string): Act => ({
    id: "etcd.note-objects",
    title: "note which objects there are",
    target: "self",
    run: etcdScript("etcd/note-objects.sh"),
    env: { WORD: word, SNAPSHOT: snapshot },
    timeoutSeconds: 180,
});

/** Brings a snapshot onto the machine that will begin the cluster with it. `kubeadm init` follows in its Node. */
export const fetchSeed = (word: string, snapshot: string, { identity, kubernetesVersion }: OntoNewSpec): Act => ({
    id: "etcd.fetch-seed",
    title: "fetch and prove the snapshot",
    target: "self",
    run: etcdScript("etcd/fetch-seed.sh"),
    env: { WORD: word, SNAPSHOT: snapshot, IDENTITY: identity, VERSION: kubernetesVersion },
    timeoutSeconds: 7200,
    errors: restoreErrors,
});

export const restartKubelet: Act = {
    id: "node.kubelet-again",
    title: "restart kubelet",
    target: "self",
    run: etcdScript("etcd/restart-kubelet.sh"),
    timeoutSeconds: 120,
    disruptive: "kubelet restarts",
};
