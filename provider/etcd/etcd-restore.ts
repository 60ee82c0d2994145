import { NfvError } from "../common/errors";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { failuresOf, hasUnknown, text } from "../contract/values";
import { connectTo, isUnreachable, named, type Peer } from "../machine/machine";
import { otherLogins } from "../machine/other-logins";
import { waitForNodesScript } from "../network/scripts";
import type { SshTarget } from "../ssh";
import { forgetStep } from "../steps";
import { query } from "../steps/query";
import {
    cameBackScript,
    noteObjects,
    noteRestored,
    otherNodesScript,
    restartKubelet,
    restoreActs,
    restoreStateScript,
} from "./restore-acts";
import {
    begunSnapshot,
    hasStopped,
    madeWith,
    mustBeTold,
    parseRestoreState,
    type RestoreState,
    restoredBefore,
    whyNotRestore,
} from "./restore-decision";
import { restoreOntoNew } from "./restore-onto-new";
import { carryOut, choose, placeSettings, type Reached } from "./restore-parts";
import type { EtcdRestoreSpec } from "./spec";

export interface EtcdRestoreInputs extends CommonInputs {
    /** `backup` is secret. */
    spec: EtcdRestoreSpec;
    /** Secret: how the nodes are reached. */
    controlPlane: Peer[];
    workers: { name: string; connection: SshTarget }[];
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

export interface EtcdRestoreState extends EtcdRestoreInputs {
    /** The snapshot that came back. */
    restored: { run: string; snapshot: string };
}

/**
 * One snapshot of etcd comes back on all control-plane nodes, once for each word, or is brought to new ones. Before any Node is touched: what they find in the
 * cluster is that of the snapshot. What was done is noted on the machines, so a run that was killed is taken up where it was.
 */
export const etcdRestore: ResourceType<EtcdRestoreInputs, EtcdRestoreState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { "spec.clusterId": text, "spec.run": text }),
    }),
    // Only for its warning: at preview, and before anything changes.
    needsCheckInCloud: (olds, { spec }) => !hasUnknown([spec]) && olds.spec?.run !== spec.run,
    checkInCloud: async (_olds, inputs, context) => {
        const known = await restoredAlready(inputs, context);
        if (known === undefined) context.warn(whatIsLost(inputs.spec));
        else context.note(nothingIsRestored(inputs.spec.run, known));
        return { failures: [] };
    },
    diff: (_id, olds, news) => {
        if (olds.restored.run !== news.spec.run) return { changes: true };
        if (!hasOtherLogins(olds, news)) return { changes: false };
        return { changes: true, note: "nothing is restored: another login to the nodes is stored" };
    },
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/etcd-restore`;
        return { id, outs: await restore(inputs, context) };
    },
    update: async (_id, olds, news, context) => {
        const isDone = olds.restored.run === news.spec.run;
        return { outs: isDone ? { ...news, restored: olds.restored } : await restore(news, context) };
    },
    read: async (id, state) => ({ id, props: state }),
    delete: async () => {},
};

function hasOtherLogins(olds: EtcdRestoreInputs, news: EtcdRestoreInputs): boolean {
    return otherLogins(olds.controlPlane, news.controlPlane) || otherLogins(olds.workers, news.workers);
}

function whatIsLost({ snapshot, run, ontoNew }: EtcdRestoreSpec): string {
    const meanwhile =
        ontoNew === undefined
            ? "the API is away for some minutes"
            : "no former control-plane node may ever start again with its data";
    return `etcdRestore "${run}": all objects of the cluster become those of ${snapshot === "latest" ? "the latest snapshot" : `the snapshot ${snapshot}`}. What was made or changed in the cluster since is lost, and ${meanwhile}`;
}

const nothingIsRestored = (word: string, snapshot: string) =>
    `etcdRestore "${word}" was done before, with the snapshot ${snapshot}: nothing is restored`;

/** The snapshot, where the nodes say before the run that it was done. Nodes that do not answer say nothing. */
async function restoredAlready({ spec, controlPlane }: EtcdRestoreInputs, context: Context) {
    if (spec.ontoNew !== undefined || hasUnknown([controlPlane])) return undefined;
    try {
        const masters = controlPlane.map(peer => ({ ...peer, link: connectTo(context, peer.connection) }));
        const states = await Promise.all(masters.map(each => stateOf(each, context)));
        return restoredBefore(states, spec.clusterId, spec.run);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return undefined;
    }
}

async function restore(inputs: EtcdRestoreInputs, context: Context): Promise<EtcdRestoreState> {
    const { clusterId, run: word, ontoNew } = inputs.spec;
    const masters = inputs.controlPlane.map(peer => ({ ...peer, link: connectTo(context, peer.connection) }));
    if (ontoNew !== undefined) {
        const snapshot = await restoreOntoNew({ spec: inputs.spec, ontoNew, masters }, context);
        return { ...inputs, restored: { run: word, snapshot } };
    }
    const states = await Promise.all(masters.map(each => stateOf(each, context)));
    const known = restoredBefore(states, clusterId, word);
    if (known !== undefined) {
        await tellOthers(masters, { states, word, snapshot: known, clusterId }, context);
        return { ...inputs, restored: { run: word, snapshot: known } };
    }
    const refusal = whyNotRestore(states, clusterId, word);
    if (refusal !== undefined) throw refusal;
    const begun = begunSnapshot(states, word);
    await Promise.all(masters.map((each, turn) => placeSettings(each, { spec: inputs.spec, turn }, context)));
    // Where etcd is stopped, all is decided.
    const isDecided = begun !== undefined && hasStopped(states, word);
    const wanted = { ...inputs.spec, snapshot: begun ?? inputs.spec.snapshot };
    const chosen = isDecided ? { id: begun, revision: 0 } : await choose(masters[0]!, wanted, context);
    const acts = restoreActs({ word, snapshot: chosen.id, ...madeWith(states, word, chosen.revision) });
    const first = masters[0]!;
    if (!isDecided) await carryOut(noteObjects(word, chosen.id), first.name, first.link, clusterId, context);
    for (const act of acts) {
        // All of them, also where one fails: what the others do must have ended before the run does.
        const ended = await Promise.allSettled(
            masters.map((each, i) => {
                const { peer } = states[i]!;
                const node = {
                    name: states[i]!.name,
                    address: each.address ?? each.connection.host,
                    peer,
                    isFirst: i === 0,
                };
                return carryOut(act(node), each.name, each.link, clusterId, context);
            }),
        );
        for (const each of ended) if (each.status === "rejected") throw each.reason;
    }
    await afterwards(inputs, masters, chosen.id, context);
    return { ...inputs, restored: { run: word, snapshot: chosen.id } };
}

/** So many are named. */
const mostNamed = 50;

/** Objects that were deleted since the snapshot: nothing deletes them again, and some act. */
function whatCameBack(objects: readonly string[]): string {
    const what =
        "Tokens that were ended are valid again, network functions that were removed run, and Clusters of Cluster API are worked on";
    if (objects[0] === "unknown")
        return `the API did not answer before, so what the snapshot has brought back is not known. ${what}: look for what the program does not have (docs/backup.md)`;
    const more = objects.length > mostNamed ? ` and ${objects.length - mostNamed} more` : "";
    return `the snapshot has brought back what had been deleted since: ${objects.slice(0, mostNamed).join(", ")}${more}. ${what}: delete what is not to be (docs/backup.md)`;
}

interface Done {
    states: readonly RestoreState[];
    word: string;
    snapshot: string;
    clusterId: string;
}

/** Those that joined since: when the last one leaves that knows it, the others do. */
async function tellOthers(masters: readonly Reached[], done: Done, context: Context): Promise<void> {
    const { states, word, snapshot, clusterId } = done;
    context.note(nothingIsRestored(word, snapshot));
    const others = masters.filter((_, i) => mustBeTold(states[i]!, clusterId, word));
    await Promise.all(
        others.map(({ name, link }) => carryOut(noteRestored(word, snapshot), name, link, clusterId, context)),
    );
}

async function stateOf({ name, link }: Reached, { report }: Context) {
    report("look at etcd on the control-plane nodes");
    const step = "look at etcd";
    return named(name, async () => {
        try {
            const said = await query(link, { step, script: restoreStateScript, timeoutSeconds: 60, node: name });
            return parseRestoreState(name, said);
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            const hint =
                "All control-plane nodes must answer: etcd's data is exchanged on all of them. Start it, or correct how it is reached; then run pulumi up again.";
            throw new NfvError({ code: error.code, node: name, step, cause: error.reason, hint });
        }
    });
}

/** Each kubelet registers its Node again if the snapshot does not know it; labels and taints of such nodes are set by the next refresh. */
async function afterwards(
    { spec, workers }: EtcdRestoreInputs,
    masters: readonly Reached[],
    snapshot: string,
    context: Context,
) {
    const { clusterId } = spec;
    const links = workers.map(({ name, connection }) => ({ name, link: connectTo(context, connection) }));
    await Promise.all(
        links.map(async ({ name, link }) => {
            try {
                await carryOut(restartKubelet, name, link, clusterId, context);
            } catch (error) {
                if (!isUnreachable(error)) throw error;
                context.warn(
                    `${name}: kubelet was not restarted: ${error.reason}. If the cluster does not know the node: systemctl restart kubelet`,
                );
            }
        }),
    );
    const first = masters[0]!;
    const all = [...masters, ...links].map(({ name }) => name);
    const ask = (script: string, step: string, env: Record<string, string>) =>
        query(first.link, { script, step, env, timeoutSeconds: 360, node: first.name });
    // The next refresh finds that the labels are to be set: the snapshot may have none, or former ones.
    for (const { name, link } of [...masters, ...links]) {
        try {
            await named(name, () => forgetStep(link, "node.labels"));
        } catch (error) {
            if (!isUnreachable(error)) throw error;
        }
    }
    context.report("wait for the nodes");
    await ask(waitForNodesScript, "wait for the nodes", { NODES: all.sort().join("\n"), SECONDS_TO_WAIT: "300" });
    const others = (await ask(otherNodesScript, "look for other nodes", { NODES: all.join("\n") })).trim();
    if (others !== "")
        context.warn(
            `the snapshot has nodes that the program does not: ${others.split("\n").join(", ")}. Those that are gone: kubectl delete node NAME`,
        );
    const env = { WORD: spec.run, SNAPSHOT: snapshot };
    const back = (await ask(cameBackScript, "look what came back", env)).trim();
    if (back !== "") context.warn(whatCameBack(back.split("\n")));
    context.note(
        "etcd was restored. Run pulumi up --refresh: it makes again what the program has and the snapshot did not, such as labels of nodes that joined since. " +
            "When all is well, delete /var/lib/etcd/before-restore-* on the control-plane nodes",
    );
}
