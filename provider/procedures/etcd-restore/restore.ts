import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { hasUnknown } from "../../contract/values";
import { type Reached, type RequestRun, reachPeers } from "../reached";
import { nodeLines, type RunOfRequest, requestResource } from "../request-resource";
import { carryOut } from "../stages";
import { afterwards } from "./afterwards";
import { restoreOntoNew } from "./onto-new";
import { noteObjects, noteRestored, restoreStages } from "./restore-acts";
import {
    begunSnapshot,
    hasStopped,
    madeWith,
    mustBeTold,
    type RestoreState,
    restoredBefore,
    whyNotRestore,
} from "./restore-decision";
import {
    backupOf,
    type EtcdRestoreInputs,
    type EtcdRestoreState,
    restoreStates,
    type StoredRestore,
} from "./restore-state";
import { choose, placeSettings } from "./settings";

/**
 * One snapshot of etcd comes back on all control-plane nodes, once for each id, or is brought to new ones. Before any Node is touched: what they find in the
 * cluster is that of the snapshot. What was done is noted on the machines, so a run that was killed is taken up where it was.
 */
export const etcdRestore = requestResource<EtcdRestoreInputs, EtcdRestoreState>({
    type: "EtcdRestore",
    name: "etcd-restore",
    id: "requestId",
    ofRun: ["peers", "workers", "backup"],
    // Only for its warning: at preview, and before anything changes.
    needsCheckInCloud: (olds, { clusterId, requestId }) => !hasUnknown([clusterId]) && olds.requestId !== requestId,
    checkInCloud: async (_olds, inputs, context) => {
        const known = await restoredAlready(inputs, context);
        if (known === undefined) context.warn(whatIsLost(inputs));
        else context.note(nothingIsRestored(inputs.requestId, known));
        return { failures: [] };
    },
    due: (olds, news) => (olds.restored.requestId === news.requestId ? undefined : nodeLines(news.nodes)),
    carryOut: restore,
});

function whatIsLost({ snapshot, requestId, ontoNew }: StoredRestore): string {
    const meanwhile =
        ontoNew === undefined
            ? "the API is away for some minutes"
            : "no former control-plane node may ever start again with its data";
    return `etcdRestore "${requestId}": all objects of the cluster become those of ${snapshot === "latest" ? "the latest snapshot" : `the snapshot ${snapshot}`}. What was made or changed in the cluster since is lost, and ${meanwhile}`;
}

const nothingIsRestored = (requestId: string, snapshot: string) =>
    `etcdRestore "${requestId}" was done before, with the snapshot ${snapshot}: nothing is restored`;

/** The snapshot, where the nodes say before the run that it was done. Nodes that do not answer say nothing. */
async function restoredAlready({ clusterId, requestId, ontoNew, peers }: EtcdRestoreInputs, context: Context) {
    if (ontoNew !== undefined || hasUnknown([peers])) return undefined;
    try {
        return restoredBefore(await restoreStates(reachPeers(peers, context), context), clusterId, requestId);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return undefined;
    }
}

async function restore(
    stored: StoredRestore,
    { program, context }: RunOfRequest<EtcdRestoreInputs, EtcdRestoreState>,
): Promise<EtcdRestoreState> {
    const { clusterId, requestId, ontoNew } = stored;
    if (program === undefined) throw withoutMachines(requestId);
    const run = { clusterId, context };
    const controlPlane = reachPeers(program.peers, context);
    const restored = (snapshot: string) => ({ ...stored, restored: { requestId, snapshot } });
    if (ontoNew !== undefined) return restored(await restoreOntoNew({ program, ontoNew, controlPlane }, run));
    const states = await restoreStates(controlPlane, context);
    const known = restoredBefore(states, clusterId, requestId);
    if (known !== undefined) {
        await tellOthers(controlPlane, { states, requestId, snapshot: known }, run);
        return restored(known);
    }
    const refusal = whyNotRestore(states, clusterId, requestId);
    if (refusal !== undefined) throw refusal;
    const snapshot = await exchange(program, { controlPlane, states }, run);
    const workers = reachPeers(program.workers, context);
    await afterwards({ requestId, snapshot, controlPlane, workers }, run);
    return restored(snapshot);
}

/** @returns id of the snapshot */
async function exchange(
    program: EtcdRestoreInputs,
    { controlPlane, states }: { controlPlane: readonly Reached[]; states: readonly RestoreState[] },
    run: RequestRun,
): Promise<string> {
    const { requestId } = program;
    const begun = begunSnapshot(states, requestId);
    await placeSettings(controlPlane, backupOf(program), run);
    // Where etcd is stopped, all is decided.
    const isDecided = begun !== undefined && hasStopped(states, requestId);
    const wanted = { snapshot: begun ?? program.snapshot };
    const { id, revision } = isDecided ? { id: begun, revision: 0 } : await choose(controlPlane[0]!, wanted, run);
    const plan = { requestId, snapshot: id, ...madeWith(states, requestId, revision) };
    const first = isDecided ? [] : [{ once: noteObjects(requestId, id) }];
    await carryOut([...first, ...restoreStages(plan, controlPlane, states)], { controlPlane }, run);
    return id;
}

interface Done {
    states: readonly RestoreState[];
    requestId: string;
    snapshot: string;
}

/** Those that joined since: when the last one leaves that knows it, the others do. */
async function tellOthers(controlPlane: readonly Reached[], done: Done, run: RequestRun): Promise<void> {
    const { states, requestId, snapshot } = done;
    run.context.note(nothingIsRestored(requestId, snapshot));
    const on = controlPlane.filter((_, i) => mustBeTold(states[i]!, run.clusterId, requestId));
    const act = () => noteRestored(requestId, snapshot);
    await carryOut([{ act, on, atOnce: on.length }], { controlPlane }, run);
}

const withoutMachines = (requestId: string) =>
    new NfvError({
        code: "RESTORE_FAILED",
        step: `etcdRestore "${requestId}"`,
        cause: "this run leaves out (--target or --exclude) what knows the control-plane nodes; nothing was changed",
        hint: "Run pulumi up without --target and --exclude.",
    });
