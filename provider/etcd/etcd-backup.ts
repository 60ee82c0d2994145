import type { Context, ResourceType } from "../contract/types";
import { failuresOf, text, textMap, unknownValue } from "../contract/values";
import { journalToUndo } from "../machine/journal";
import {
    connectTo,
    isUnreachable,
    type MachineState,
    named,
    type ProgramPath,
    type StepInputs,
} from "../machine/machine";
import { backupDiff, beginBackups } from "../machine/machine-backups";
import type { ChangeNumberInput } from "../operation/wishes";
import type { Connection, SshTarget } from "../ssh";
import { forgetStep, plan, runAct } from "../steps";
import { query } from "../steps/query";
import { observeStorage } from "../storage/storage-observed";
import { etcdBackupSteps, lastSnapshotScript, parseLastSnapshot, removeSnapshots } from "./snapshot-steps";
import type { EtcdBackupSpec, LastSnapshot } from "./spec";

export interface EtcdBackupInputs extends StepInputs, ProgramPath, ChangeNumberInput {
    /** `backup` is secret. */
    spec: EtcdBackupSpec;
    /** How the control-plane node is reached. Secret. */
    connection: SshTarget;
    /** Id of its Node: another one has begun no snapshots. */
    nodeId: string;
}

export interface EtcdBackupState extends EtcdBackupInputs, MachineState {
    /** The last snapshot that this node made. Undefined: none. */
    last?: LastSnapshot;
}

/**
 * Snapshots of etcd on one control-plane node: program, timer and what restic needs; the first node also makes what the program asks for. A resource of
 * its own, because nothing may wait for a repository that cannot be reached.
 */
export const etcdBackup: ResourceType<EtcdBackupInputs, EtcdBackupState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { "spec.clusterId": text, "spec.name": text, steps: textMap }),
    }),
    diff: (_id, olds, news) => backupDiff(olds, news, { isOnOther: isOnOther(olds, news), steps: () => planOf(news) }),
    create: async (inputs, context) => {
        const id = `${inputs.spec.clusterId}/${inputs.spec.name}/etcd-backup`;
        return { id, outs: await reconcile(id, inputs, undefined, context) };
    },
    update: async (id, olds, news, context) => ({ outs: await reconcile(id, news, olds, context) }),
    read: async (id, state, context) => {
        const { name } = state.spec;
        const seen = await observeStorage(id, state, planOf(state), context);
        // A machine that is another one now: its Node says so, and begins the snapshots with another id.
        if (seen.props === undefined) return { id, props: { ...state, done: {}, pending: titlesOf(state) } };
        try {
            const last = await lastOn(name, connectTo(context, state.connection, state, state));
            if (last !== undefined) context.note(lastLine(name, last, new Date()));
            return { id, props: withLast(seen.props, last) };
        } catch (error) {
            if (!isUnreachable(error)) throw error;
            return { id, props: seen.props };
        }
    },
    // With its Node it goes without this: the machine is reset.
    delete: async (_id, state, context) => {
        const { clusterId, name: node } = state.spec;
        const connection = connectTo(context, state.connection, state, state);
        await named(node, async () => {
            if ((await journalToUndo(connection, clusterId, node, context)) !== "ours") return;
            const { report, signal } = context;
            await runAct(removeSnapshots, { node, clusterId, connection, report, signal });
            for (const { id } of planOf(state)) await forgetStep(connection, id);
        });
    },
};

/** For people: "m1 made the last snapshot of etcd 3 hours ago: 0123abcd, revision 4711". Pure. */
export function lastLine(node: string, { time, id, revision }: LastSnapshot, now: Date): string {
    const minutes = Math.max(0, Math.round((now.getTime() - Date.parse(time)) / 60_000));
    const [count, unit] = minutes < 120 ? [minutes, "minutes"] : [Math.round(minutes / 60), "hours"];
    const age = count > 48 && unit === "hours" ? `${Math.round(count / 24)} days` : `${count} ${unit}`;
    return `${node} made its last snapshot of etcd ${age} ago: ${id}, revision ${revision}`;
}

/** At preview of a Node's change its id is not known yet, and most changes make no other node. */
function isOnOther(olds: EtcdBackupState, { nodeId }: EtcdBackupInputs): boolean {
    return nodeId !== unknownValue && olds.nodeId !== nodeId;
}

function planOf({ spec, fingerprintKey }: EtcdBackupInputs) {
    return plan(etcdBackupSteps, spec, fingerprintKey);
}

const titlesOf = (state: EtcdBackupState) => planOf(state).map(({ title }) => title);

function withLast(state: EtcdBackupState, last: LastSnapshot | undefined): EtcdBackupState {
    const { last: _, ...others } = state;
    return { ...others, ...(last && { last }) };
}

async function lastOn(node: string, connection: Connection): Promise<LastSnapshot | undefined> {
    const step = "look at the last snapshot of etcd";
    return parseLastSnapshot(await query(connection, { step, script: lastSnapshotScript, timeoutSeconds: 30, node }));
}

async function reconcile(
    id: string,
    inputs: EtcdBackupInputs,
    olds: EtcdBackupState | undefined,
    context: Context,
): Promise<EtcdBackupState> {
    const connection = connectTo(context, inputs.connection, olds, inputs);
    const given = olds?.last === undefined ? inputs : { ...inputs, last: olds.last };
    const reached = await beginBackups(
        {
            ...{ id, inputs: given, olds, connection, notThere },
            ...{ steps: planOf(inputs), isOnOther: olds !== undefined && isOnOther(olds, inputs) },
        },
        context,
    );
    return withLast(reached, await lastOn(inputs.spec.name, connection));
}

const notThere = {
    cause: "it is no control-plane node of ours (any more), so the snapshots of etcd cannot be started on it",
    hint: "Run pulumi up --refresh: it sets the node up again.",
};
