import { NfvError } from "../errors";
import { etcdData } from "../kubeadm/paths";

/*
 * Whether a snapshot of etcd may be restored, and which one: decided purely, from what all control-plane nodes say before anything changes.
 */

/** What one control-plane node says. */
export interface RestoreState {
    node: string;
    /** Id of the cluster of which it is a member; "": none. */
    member: string;
    /** Name and URL of its etcd, and where its data is; "": it has none. */
    name: string;
    peer: string;
    folder: string;
    /** Undefined: its etcd does not answer. */
    revision?: number;
    /** Word and snapshot of a restore that was begun and not ended. */
    begun?: { word: string; snapshot: string };
    /** Of the last one that was done. */
    done?: { word: string; snapshot: string };
}

export function parseRestoreState(node: string, said: string): RestoreState {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(said)?.[1]?.trim() ?? "";
    const pair = (name: string) => {
        const [word, snapshot] = value(name).split(" ");
        return word && snapshot ? { [name]: { word, snapshot } } : {};
    };
    const revision = value("revision");
    return {
        ...{ node, member: value("member").split(" ")[0]!, name: value("name"), peer: value("peer") },
        folder: value("folder"),
        ...(revision !== "" && { revision: Number(revision) }),
        ...pair("begun"),
        ...pair("done"),
    };
}

/** The snapshot of a run that was stopped: "latest" may mean another one by now. */
export function begunSnapshot(states: readonly RestoreState[], word: string): string | undefined {
    return states.flatMap(({ begun, done }) => [begun, done]).find(each => each?.word === word)?.snapshot;
}

/** Whether all have done it. */
export function isRestored(states: readonly RestoreState[], word: string): boolean {
    return states.every(({ done, begun }) => done?.word === word && begun === undefined);
}

/** Why nothing may be restored; undefined: it may. */
export function whyNotRestore(states: readonly RestoreState[], clusterId: string, word: string): NfvError | undefined {
    const refused = (node: string, cause: string, hint: string) =>
        new NfvError({
            code: "RESTORE_FAILED",
            node,
            step: "restore etcd",
            cause: `${cause}; nothing was changed`,
            hint,
        });
    const strange = states.find(({ member, name, peer }) => member !== clusterId || name === "" || peer === "");
    if (strange !== undefined)
        return refused(
            strange.node,
            "it is no control-plane node of this cluster yet, and a snapshot is restored only where all of them are",
            "Take etcdRestore out of the program and run pulumi up, so that it joins. Then put it back. If all former control-plane nodes are lost: etcdRestore.onto in docs/backup.md.",
        );
    const elsewhere = states.find(({ folder }) => folder !== etcdData);
    if (elsewhere !== undefined)
        return refused(elsewhere.node, `its etcd has its data in ${elsewhere.folder}, not in ${etcdData}`, "");
    const other = states.find(({ begun }) => begun !== undefined && begun.word !== word);
    if (other !== undefined)
        return refused(
            other.node,
            `the restore "${other.begun!.word}" was begun and has not ended`,
            `End it first: etcdRestore: { run: "${other.begun!.word}" }.`,
        );
    const snapshots = new Set(
        states.flatMap(({ begun, done }) => [begun, done]).flatMap(each => (each?.word === word ? each.snapshot : [])),
    );
    if (snapshots.size > 1)
        return refused(
            states[0]!.node,
            `the nodes have begun it with different snapshots: ${[...snapshots].join(", ")}`,
            "",
        );
    return undefined;
}

const billion = 1_000_000_000;

/** So that no client has seen a later revision than the first one after the restore: etcd's clients notice then that they must read all again. */
export function bumpOf(states: readonly RestoreState[], revision: number): number {
    return billion + Math.max(0, ...states.map(each => (each.revision ?? 0) - revision));
}
