import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import type { Context, InSession, Observed } from "../contract/types";
import { findings, wordsOf } from "../health/findings";
import { ownershipOf } from "../kubeadm/ownership";
import { stateFolder } from "../shell/folders";
import type { Connection } from "../ssh";
import { callAgent, type Fingerprints, type Step } from "../steps";
import { newHolder } from "../steps/holder";
import { leftRunning, whatRuns } from "../steps/left-running";
import { unclear, whoseIs } from "../steps/print-journal";
import { agentExit, parseOpened } from "../steps/protocol";
import { record } from "./health";
import {
    away,
    awayOrReplaced,
    connectTo,
    hurried,
    isUnreachable,
    type MachineState,
    type ProgramPath,
    type ServerInputs,
} from "./machine";
import { lookAt, type Seen } from "./machine-look";
import { machineStatusOf } from "./machine-statuses";
import { isGone, serverStatusOf } from "./server";

/**
 * A machine's journal. `blank`: it has no records of ours. `busy`: another run works there. `running`: a step that a
 * stopped run had begun is still running there.
 */
export type Journal = { done: Fingerprints; running: boolean } | "blank" | "busy" | "foreign";

/** One lease holder per run: a refresh reads a machine's Host and Node at the same time. */
class JournalReader {
    readonly holder = newHolder();
}

/** Prints words: an exit code could also come from sudo or from a shell that does not find a program. FOLDER */
const whatIsThere =
    'if [ -s "$1/cluster" ]; then echo "of $(cat "$1/cluster")"; elif [ -d "$1/journal" ]; then echo unnamed; else echo blank; fi';

/** The command that asks a machine what it has; fake nodes in tests recognise it. */
export const journalArgv: readonly string[] = ["sh", "-c", whatIsThere, "pulumi-nfv-journal", stateFolder];

/**
 * Reads the journal. A machine that is not this node is not changed. On this node, the lease is held for a moment.
 * @throws CONNECT_FAILED and similar codes, STEP_FAILED
 */
export async function readJournal(
    { session }: InSession,
    connection: Connection,
    clusterId: string,
    node: string,
): Promise<Journal> {
    const { stdout, stderr } = await connection.exec(journalArgv, { timeoutSeconds: answerSeconds });
    const said = stdout.trim();
    const whose = whoseIs(said, clusterId, node);
    if (whose === "unclear") throw unclear(node, stderr || said);
    if (whose !== "ours") return whose;
    const { holder } = session.part(JournalReader);
    const open = { verb: "open", cluster: clusterId, node, holder, ttlSeconds: 10 } as const;
    const opened = await callAgent(connection, open);
    if (opened.code === agentExit.foreign) return "foreign";
    if (opened.code === agentExit.busy) return "busy";
    if (opened.code !== agentExit.ok) throw unclear(node, opened.stderr || opened.stdout);
    await callAgent(connection, { verb: "close", holder });
    const { done, running: ids } = parseOpened(opened.stdout);
    const running = Object.keys(ids).length > 0;
    return running || Object.keys(done).length > 0 ? { done, running } : "blank";
}

/** A machine that does not answer within this time, in seconds, hangs. */
const answerSeconds = 30;

interface MachineSpec {
    clusterId: string;
    name: string;
    address: string;
    /** Set in a Host. */
    caCertHash?: string;
    /** Set in a Node. */
    identity?: { caCertHash: string };
}

type MachineResource = ServerInputs &
    ProgramPath &
    MachineState & { spec: MachineSpec; connection: Connection["target"] };

/**
 * What a refresh returns for a resource. `isOurs`: whether a step in the journal is one of the resource. Nothing, so that it is recreated, if the machine was rebuilt,
 * or if the machine does not answer and the cloud says that its server does not exist. Otherwise the steps that are
 * still done, or, if the machine cannot be asked, the former state. State is never dropped because of a network
 * failure. `examine` looks further at a machine that is still ours.
 */
export async function observeMachine<Inputs extends object, State extends MachineResource>(
    id: string,
    state: State,
    context: Context,
    isOurs: (step: string) => boolean,
    examine?: (seen: Seen) => void,
): Promise<Observed<Inputs, State>> {
    const { clusterId, name } = state.spec;
    const keep = (why: string) => {
        context.warn(`${name}: kept as it was: ${why}`);
        return { id, props: state };
    };
    // Not enough alone: with the credentials of a wrong project, no server exists.
    const gone = await isGone(context, state);
    const target = gone ? hurried(state.connection) : state.connection;
    try {
        const connection = connectTo(context, target, state, state);
        const seen = await lookAt(context, connection, clusterId, name);
        const { journal } = seen;
        if (journal instanceof NfvError) throw journal;
        if (journal === "busy") return keep("another run works on this machine");
        if (journal === "blank" && (await isStillMember(connection, state.spec))) {
            return keep(`our notes in ${stateFolder} are gone, but Kubernetes of this cluster is on it`);
        }
        if (journal === "blank" || journal === "foreign") return {};
        if (Object.keys(journal.running).length > 0)
            return keep("what a run that was stopped had begun is still going on there");
        const done = Object.fromEntries(Object.entries(journal.done).filter(([step]) => isOurs(step)));
        if (Object.keys(done).length === 0) return {};
        examine?.(seen);
        return { id, props: { ...state, done } };
    } catch (error) {
        if (!isUnreachable(error)) throw error;
        if (gone && awayOrReplaced.has(error.code)) {
            const found = findings({ name, server: { id: state.serverId!, gone } });
            record(name, found, context);
            context.warn(`${name}: ${wordsOf(found)}`);
            return {};
        }
        return keep(away.has(error.code) ? await silence(state, error.reason, context) : error.reason);
    }
}

/** What is known of a machine that does not answer. */
async function silence(state: MachineResource, reason: string, context: Context): Promise<string> {
    const server = await serverStatusOf(context, state);
    const [first] = reason.split("\n");
    const { name } = state.spec;
    const found = findings({ name, silent: true, server });
    record(name, found, context);
    return `${wordsOf(found)} (${first})`;
}

/** Our records may be missing because a disk is not mounted or because of a mistake, while the node still works. */
async function isStillMember(
    connection: Connection,
    { clusterId, name, address, caCertHash, identity }: MachineSpec,
): Promise<boolean> {
    const facts = await machineStatusOf(connection, address);
    const question = { clusterId, name, caCertHash: caCertHash ?? identity?.caCertHash, facts };
    return facts.traces.length > 0 && ownershipOf(question).ownership === "ours";
}

/**
 * What we wait for before something is undone, and how long, in seconds: a lease that is no longer renewed; a running
 * step, which has a deadline on its machine.
 */
const waits = {
    busy: { seconds: 45, what: "another run's lease", cause: "another run holds the lease of this machine" },
    running: {
        seconds: 1200,
        what: "what a former run left running",
        cause: "a step that a former run began is still going on there",
    },
};

/** Says at once what this run waits for: a restore may take hours. */
export async function tellWhatRuns(
    connection: Connection,
    node: string,
    context: Pick<Context, "note">,
    steps: readonly Pick<Step, "id" | "title">[] = [],
): Promise<void> {
    for (const each of await leftRunning(connection, node))
        context.note(`${node}: waits for what a stopped run left running there: ${whatRuns(each, node, steps)}`);
}

/**
 * Whether a machine has something of ours to undo; not if it is blank or another cluster's. @throws CONNECT_FAILED and
 * similar codes
 */
export async function journalToUndo(
    connection: Connection,
    clusterId: string,
    node: string,
    context: Context,
): Promise<"ours" | "nothing"> {
    let isTold = false;
    for (let waited = 0; ; waited++) {
        const journal = await readJournal(context, connection, clusterId, node);
        if (journal === "blank" || journal === "foreign") return "nothing";
        if (journal !== "busy" && !journal.running) return "ours";
        const { seconds, what, cause } = waits[journal === "busy" ? "busy" : "running"];
        if (waited >= seconds) {
            const running = journal === "busy" ? [] : await leftRunning(connection, node);
            const whole = [cause, ...running.map(each => whatRuns(each, node))].join(": ");
            throw new NfvError({ code: "NODE_BUSY", node, cause: whole });
        }
        if (journal !== "busy" && !isTold) await tellWhatRuns(connection, node, context);
        isTold ||= journal !== "busy";
        context.report(`waiting for ${what}`);
        await sleep(1000, undefined, { signal: context.signal });
    }
}
