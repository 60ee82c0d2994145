import { randomBytes } from "node:crypto";
import { NfvError } from "../errors";
import {
    chooseSnapshotScript,
    otherNodesScript,
    restartKubelet,
    restoreActs,
    restoreErrors,
    restoreStateScript,
} from "../etcd/restore-acts";
import { begunSnapshot, bumpOf, isRestored, parseRestoreState, whyNotRestore } from "../etcd/restore-decision";
import { etcdRestoreSteps } from "../etcd/restore-steps";
import type { EtcdBackupSpec, EtcdRestoreSpec } from "../etcd/spec";
import { waitForNodesScript } from "../network/scripts";
import type { Connection, SshTarget } from "../ssh";
import { type Act, forgetStep, plan, runAct, runSteps } from "../steps";
import { query } from "../steps/query";
import { connectTo, isUnreachable, named, type Peer } from "./machine";
import type { CommonInputs, Context, ResourceType } from "./types";
import { failuresOf, hasUnknown, text } from "./values";

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
 * One snapshot of etcd comes back on all control-plane nodes, once for each word. Before any Node is touched: what they find in the cluster is that of the
 * snapshot. What was done is noted on the machines, so a run that was killed is taken up where it was.
 */
export const etcdRestore: ResourceType<EtcdRestoreInputs, EtcdRestoreState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { "spec.clusterId": text, "spec.run": text }),
    }),
    // Only for its warning: at preview, and before anything changes.
    needsCheckInCloud: (olds, { spec }) => !hasUnknown([spec]) && olds.spec?.run !== spec.run,
    checkInCloud: async (_olds, { spec }, context) => {
        context.warn(whatIsLost(spec));
        return { failures: [] };
    },
    diff: (_id, olds, news) => ({ changes: olds.restored.run !== news.spec.run }),
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/etcd-restore`;
        return { id, outs: await restore(inputs, context) };
    },
    update: async (_id, _olds, news, context) => ({ outs: await restore(news, context) }),
    read: async (id, state) => ({ id, props: state }),
    delete: async () => {},
};

function whatIsLost({ snapshot, run }: EtcdRestoreSpec): string {
    return `etcdRestore "${run}": all objects of the cluster become those of the snapshot ${snapshot}. What was made or changed in the cluster since is lost, and the API is away for some minutes`;
}

interface Reached extends Peer {
    link: Connection;
}

async function restore(inputs: EtcdRestoreInputs, context: Context): Promise<EtcdRestoreState> {
    const { clusterId, run: word } = inputs.spec;
    const masters = inputs.controlPlane.map(peer => ({ ...peer, link: connectTo(context, peer.connection) }));
    const states = await Promise.all(masters.map(each => stateOf(each, context)));
    const refusal = whyNotRestore(states, clusterId, word);
    if (refusal !== undefined) throw refusal;
    const begun = begunSnapshot(states, word);
    if (begun !== undefined && isRestored(states, word)) return { ...inputs, restored: { run: word, snapshot: begun } };
    await Promise.all(masters.map((each, turn) => placeSettings(each, { inputs, turn, clusterId }, context)));
    const chosen = begun === undefined ? await choose(masters[0]!, inputs.spec, context) : { id: begun, revision: 0 };
    const acts = restoreActs({
        word,
        snapshot: chosen.id,
        members: states.map(({ name, peer }) => `${name}=${peer}`).join(","),
        bump: bumpOf(states, chosen.revision),
    });
    for (const act of acts) {
        // All of them, also where one fails: what the others do must have ended before the run does.
        const ended = await Promise.allSettled(
            masters.map((each, i) => {
                const { peer } = states[i]!;
                const node = { name: states[i]!.name, address: each.address ?? each.connection.host, peer };
                return carryOut(act(node), each.name, each.link, clusterId, context);
            }),
        );
        for (const each of ended) if (each.status === "rejected") throw each.reason;
    }
    await afterwards(inputs, masters, context);
    return { ...inputs, restored: { run: word, snapshot: chosen.id } };
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

interface Place {
    inputs: EtcdRestoreInputs;
    turn: number;
    clusterId: string;
}

async function placeSettings({ name, link }: Reached, { inputs, turn, clusterId }: Place, context: Context) {
    const spec: EtcdBackupSpec = { clusterId, name, turn, backup: inputs.spec.backup };
    // Their fingerprints stay nowhere.
    const steps = plan(etcdRestoreSteps, spec, randomBytes(16).toString("hex"));
    const { report, signal } = context;
    await named(name, async () => {
        for (const { id } of steps) await forgetStep(link, id);
        await runSteps(steps, { node: name, clusterId, connection: link, done: {}, report, signal });
        // The journal is for what stays: the files belong to the snapshots of the node.
        for (const { id } of steps) await forgetStep(link, id);
    });
}

async function choose({ name, link }: Reached, { snapshot }: EtcdRestoreSpec, { report }: Context) {
    report("choose the snapshot");
    const said = await query(link, {
        ...{ step: "choose the snapshot", script: chooseSnapshotScript, env: { SNAPSHOT: snapshot } },
        ...{ timeoutSeconds: 300, node: name, errors: restoreErrors },
    });
    const [id = "", revision = "0", time = ""] = said.trim().split("\n").at(-1)!.split(" ");
    report(`restore the snapshot ${id} of ${time}`);
    return { id, revision: Number(revision) };
}

function carryOut(act: Act, node: string, connection: Connection, clusterId: string, { report, signal }: Context) {
    return named(node, () => runAct(act, { node, clusterId, connection, report, signal }));
}

/** Each kubelet registers its Node again if the snapshot does not know it; labels and taints of such nodes are set by the next refresh. */
async function afterwards({ spec, workers }: EtcdRestoreInputs, masters: readonly Reached[], context: Context) {
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
    context.note(
        "etcd was restored. Run pulumi up --refresh: it makes again what the program has and the snapshot did not, such as labels of nodes that joined since. " +
            "When all is well, delete /var/lib/etcd/before-restore-* on the control-plane nodes",
    );
}
