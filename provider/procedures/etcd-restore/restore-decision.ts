import { NfvError } from "../../common/errors";
import { etcdData } from "../../kubeadm/paths";

/*
 * Whether a snapshot of etcd may be restored, and which one: decided purely, from what all control-plane nodes say before anything changes.
 */

/** Where a node stands in a restore, in their order. No node begins one before all have ended the one before. */
const stages = ["none", "prepared", "stopped", "exchanged", "done"] as const;
export type RestoreStage = (typeof stages)[number];

/** What a member's data was made with. With other values on another node, they would be members of different clusters. */
export interface MadeWith {
    /** NAME=URL of each member, separated by commas. */
    members: string;
    /** Added to the revision of the snapshot, so that no client has seen a later one. */
    bump: number;
}

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
    /** Its etcd has a leader. */
    healthy: boolean;
    /** etcd's own id of the cluster that its data belongs to; "": it does not answer. */
    etcd: string;
    /** Names of etcd's members, as it knows them. */
    members: string[];
    /** Word and snapshot of a restore that was begun and not ended, how far it is, and what its data was made with. */
    begun?: { word: string; snapshot: string };
    stage: RestoreStage;
    madeWith?: MadeWith;
    /** Words of the restores that were done, each once. */
    done: { word: string; snapshot: string }[];
}

export function parseRestoreState(node: string, said: string): RestoreState {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(said)?.[1]?.trim() ?? "";
    const pairs = (name: string) =>
        [...said.matchAll(new RegExp(`^${name}=(\\S+) (\\S+)$`, "gm"))].map(([, word, snapshot]) => ({
            word: word!,
            snapshot: snapshot!,
        }));
    const [begun] = pairs("begun");
    const [members = "", bump] = value("plan").split(" ");
    const revision = value("revision");
    return {
        ...{ node, member: value("member").split(" ")[0]!, name: value("name"), peer: value("peer") },
        ...{ folder: value("folder"), healthy: value("healthy") === "yes", etcd: value("etcd").toLowerCase() },
        members: value("members").split(" ").filter(Boolean),
        ...(revision !== "" && { revision: Number(revision) }),
        ...(begun !== undefined && { begun }),
        stage: stages.find(stage => stage === value("stage")) ?? "none",
        ...(bump !== undefined && { madeWith: { members, bump: Number(bump) } }),
        done: pairs("done"),
    };
}

/** The snapshot of a run that was stopped: "latest" may mean another one by now. */
export function begunSnapshot(states: readonly RestoreState[], word: string): string | undefined {
    return snapshotsOf(states, word)[0];
}

function snapshotsOf(states: readonly RestoreState[], word: string): string[] {
    const all = states.flatMap(({ begun, done }) => [...(begun ? [begun] : []), ...done]);
    return all.filter(each => each.word === word).map(({ snapshot }) => snapshot);
}

/** How far the node is with the restore of this word. */
function stageOf({ begun, done, stage }: RestoreState, word: string): RestoreStage {
    if (begun?.word === word) return stage;
    return done.some(each => each.word === word) ? "done" : "none";
}

const placeOf = (state: RestoreState, word: string) => stages.indexOf(stageOf(state, word));
const isStopped = (state: RestoreState, word: string) => ["stopped", "exchanged"].includes(stageOf(state, word));

/**
 * The snapshot, if the cluster has restored it by this word. One member that works and knows it is enough: a node that joined since may not. Nor does it matter
 * that the others are not well.
 */
export function restoredBefore(states: readonly RestoreState[], clusterId: string, word: string): string | undefined {
    const knows = (state: RestoreState) => state.member === clusterId && stageOf(state, word) === "done";
    const isInMiddle = states.some(state => isStopped(state, word));
    const etcds = new Set(states.flatMap(({ etcd }) => etcd || []));
    const known = states.find(state => knows(state) && state.healthy) ?? (states.every(knows) ? states[0] : undefined);
    return isInMiddle || etcds.size > 1 ? undefined : known?.done.find(each => each.word === word)?.snapshot;
}

/** Whether the node must be told that it was done: it joined since. */
export function mustBeTold(state: RestoreState, clusterId: string, word: string): boolean {
    return state.member === clusterId && stageOf(state, word) !== "done";
}

/** Why nothing may be restored; undefined: it may. Ask restoredBefore first. */
export function whyNotRestore(states: readonly RestoreState[], clusterId: string, word: string): NfvError | undefined {
    const row = rows(states, clusterId, word).find(({ node }) => node !== undefined);
    if (row === undefined) return undefined;
    const { node, cause, hint } = row;
    return new NfvError({
        ...{ code: "RESTORE_FAILED", node: node!.node, step: "restore etcd" },
        cause: `${cause(node!)}; nothing was changed`,
        hint: hint?.(node!) ?? "",
    });
}

interface Row {
    /** The node that stands in the way. */
    node: RestoreState | undefined;
    cause(node: RestoreState): string;
    hint?(node: RestoreState): string;
}

/** In their order: the first one that has a node tells why. */
function rows(states: readonly RestoreState[], clusterId: string, word: string): Row[] {
    const names = states.map(({ node }) => node);
    const at = states.map(state => placeOf(state, word));
    const apart = Math.max(...at) - Math.min(...at) > 1;
    const serving = states.find(({ healthy }) => healthy);
    const foreign = (serving?.members ?? []).filter(name => !names.includes(name));
    const answering = states.filter(({ etcd }) => etcd !== "");
    // The one that knows the restore and works is the cluster.
    const cluster = states.find(state => state.healthy && stageOf(state, word) === "done") ?? serving ?? answering[0];
    const snapshots = new Set(snapshotsOf(states, word));
    const plans = new Set(
        states.filter(each => isStopped(each, word)).map(each => each.madeWith && textOf(each.madeWith)),
    );
    const wanted = membersOf(states);
    return [
        {
            node: states.find(({ member, name, peer }) => member !== clusterId || name === "" || peer === ""),
            cause: () =>
                "it is no control-plane node of this cluster yet, and a snapshot is restored only where all of them are",
            hint: () =>
                "Take etcdRestore out of the program and run pulumi up, so that it joins. Then put it back. If all former control-plane nodes are lost: etcdRestore.onto in docs/backup.md.",
        },
        {
            node: states.find(({ folder }) => folder !== etcdData),
            cause: ({ folder }) => `its etcd has its data in ${folder}, not in ${etcdData}`,
        },
        {
            node: answering.find(({ etcd }) => etcd !== cluster?.etcd),
            cause: () =>
                `its etcd and that of ${cluster?.node} are two clusters: a restore gave one of them data that the other did not get`,
            hint: howToGoOn,
        },
        {
            node: states.find(({ begun }) => begun !== undefined && begun.word !== word),
            cause: ({ begun }) => `the restore "${begun!.word}" was begun and has not ended`,
            hint: ({ begun }) => `End it first: etcdRestore: { run: "${begun!.word}" }.`,
        },
        {
            node: snapshots.size > 1 ? states[0] : undefined,
            cause: () => `the nodes have begun it with different snapshots: ${[...snapshots].join(", ")}`,
        },
        {
            node: apart ? states[at.indexOf(Math.min(...at))] : undefined,
            cause: () =>
                `the nodes do not stand at the same part of the restore "${word}", so it would give them different data: ` +
                states.map((state, i) => `${state.node} ${said[stages[at[i]!]!]}`).join(", "),
            hint: howToGoOn,
        },
        {
            node: states.find(
                state => isStopped(state, word) && state.madeWith !== undefined && state.madeWith.members !== wanted,
            ),
            cause: ({ madeWith }) => `its data was made for the members ${madeWith!.members}, and these are ${wanted}`,
            hint: howToGoOn,
        },
        {
            node: plans.size > 1 ? states.find(state => isStopped(state, word)) : undefined,
            cause: () => `the data of the nodes was made for different clusters: ${[...plans].join("; ")}`,
            hint: howToGoOn,
        },
        {
            node: foreign.length > 0 ? serving : undefined,
            cause: () =>
                `etcd has members that the program does not: ${foreign.join(", ")}. They would go on as a cluster with the former data`,
            hint: () => "Take etcdRestore out of the program and run pulumi up, so that they leave. Then put it back.",
        },
    ];
}

const said: Record<RestoreStage, string> = {
    none: "knows nothing of it",
    prepared: "is prepared for it",
    stopped: "is stopped for it",
    exchanged: "has its data",
    done: "has done it",
};

const howToGoOn = ({ node }: RestoreState) =>
    `Take etcdRestore out of the program. If the others work, heal ${node}: heal: { run: "…", nodes: ["${node}"], cure: "rejoin" }. If they do not: docs/lost-majority.md.`;

const textOf = ({ members, bump }: MadeWith) => `${members} ${bump}`;
const membersOf = (states: readonly RestoreState[]) => states.map(({ name, peer }) => `${name}=${peer}`).join(",");

const billion = 1_000_000_000;

/**
 * With what all members' data is made. Of nodes that are stopped, it is what they have. Of nodes that are prepared it is kept as long as it is right: the
 * members are the same, and no client has seen a later revision than the first one after the restore, so that etcd's clients notice that they must read
 * all again. `revision`: of the snapshot; unknown where nodes are stopped.
 */
export function madeWith(states: readonly RestoreState[], word: string, revision: number): MadeWith {
    const members = membersOf(states);
    const ahead = Math.max(0, ...states.map(each => (each.revision ?? 0) - revision));
    const made = (state: RestoreState) => (state.begun?.word === word ? (state.madeWith ?? []) : []);
    const stopped = states.filter(state => isStopped(state, word)).flatMap(made)[0];
    const fits = states.flatMap(made).find(each => each.members === members && each.bump > ahead);
    return stopped ?? fits ?? { members, bump: billion + ahead };
}

/** Whether one of them is stopped already, so that all go on with what it has. */
export const hasStopped = (states: readonly RestoreState[], word: string) =>
    states.some(state => isStopped(state, word) || stageOf(state, word) === "done");
