import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import { ownershipOf } from "../kubeadm/ownership";
import { stateFolder } from "../shell/folders";
import type { Connection } from "../ssh";
import { callAgent, type Fingerprints } from "../steps";
import { newHolder } from "../steps/holder";
import { agentExit, parseOpened } from "../steps/protocol";
import { factsOf } from "./facts";
import {
    awayOrReplaced,
    connectTo,
    hurried,
    isUnreachable,
    type MachineState,
    type ProgramPath,
    type ServerInputs,
    type StepInputs,
} from "./machine";
import { isGone } from "./server";
import type { Context, Observed } from "./types";

/**
 * What a machine's journal says; `blank`: nothing of ours is noted on it; `busy`: another run works there. `running`: what a run that was
 * stopped had begun goes on there.
 */
export type Journal = { done: Fingerprints; running: boolean } | "blank" | "busy" | "foreign";

/** One for the whole process: a refresh asks for a machine's Host and Node at the same time. */
const reader = newHolder();

/** Says in words what is there: an exit code alone could be that of sudo or of a shell that found nothing. FOLDER */
const whatIsThere =
    'if [ -s "$1/cluster" ]; then echo "of $(cat "$1/cluster")"; elif [ -d "$1/journal" ]; then echo unnamed; else echo blank; fi';

/** How a machine is asked what is there; a fake node knows the question by it. */
export const journalArgv: readonly string[] = ["sh", "-c", whatIsThere, "pulumi-nfv-journal", stateFolder];

/**
 * Reads the journal. On a machine that is not this node's nothing changes; on this node's, the agent of this release is put beside that
 * of another one, and the lease is taken for a moment. @throws CONNECT_FAILED and the like, STEP_FAILED
 */
export async function readJournal(connection: Connection, clusterId: string, node: string): Promise<Journal> {
    const { stdout, stderr } = await connection.exec(journalArgv, { timeoutSeconds: answerSeconds });
    const said = stdout.trim();
    if (said === "blank") return "blank";
    if (said.startsWith("of ") && said !== `of ${clusterId} ${node}`) return "foreign";
    if (!said.startsWith("of ") && said !== "unnamed") throw unclear(node, stderr || said);
    const open = { verb: "open", cluster: clusterId, node, holder: reader, ttlSeconds: 10 } as const;
    const opened = await callAgent(connection, open);
    if (opened.code === agentExit.foreign) return "foreign";
    if (opened.code === agentExit.busy) return "busy";
    if (opened.code !== agentExit.ok) throw unclear(node, opened.stderr || opened.stdout);
    await callAgent(connection, { verb: "close", holder: reader });
    const { done, running: ids } = parseOpened(opened.stdout);
    const running = Object.keys(ids).length > 0;
    return running || Object.keys(done).length > 0 ? { done, running } : "blank";
}

/** A machine that does not say in this time what is on it hangs, in seconds. */
const answerSeconds = 30;

function unclear(node: string, said: string): NfvError {
    return new NfvError({ code: "STEP_FAILED", node, step: "look at the machine", cause: said.trim() || "no answer" });
}

interface MachineSpec {
    clusterId: string;
    name: string;
    address: string;
    /** Of a Host. */
    caCertHash?: string;
    /** Of a Node. */
    identity?: { caCertHash: string };
}

type MachineResource = StepInputs &
    ServerInputs &
    ProgramPath &
    MachineState & { spec: MachineSpec; connection: Connection["target"] };

/**
 * What a refresh finds of a resource whose steps have these ids: gone if the machine was rebuilt, or does not answer and does not
 * exist by the cloud's word; steps that are no longer done; or, where nobody can be asked, what was known before. State is never
 * dropped because of a network.
 */
export async function observeMachine<Inputs extends object, State extends MachineResource & Inputs>(
    id: string,
    state: State,
    context: Context,
    stepIds: readonly string[],
): Promise<Observed<Inputs, State>> {
    const { clusterId, name } = state.spec;
    const keep = (why: string) => {
        context.warn(`${name}: kept as it was: ${why}`);
        return { id, props: state };
    };
    // Not enough alone: who asks the wrong project is told that there is no such server.
    const gone = await isGone(state);
    const target = gone ? hurried(state.connection) : state.connection;
    try {
        const connection = connectTo(target, state, state);
        const journal = await readJournal(connection, clusterId, name);
        if (journal === "busy") return keep("another run works on this machine");
        if (journal === "blank" && (await isStillMember(connection, state.spec))) {
            return keep(`our notes in ${stateFolder} are gone, but Kubernetes of this cluster is on it`);
        }
        if (journal === "blank" || journal === "foreign") return {};
        if (journal.running) return keep("what a run that was stopped had begun is still going on there");
        const done = Object.fromEntries(Object.entries(journal.done).filter(([step]) => stepIds.includes(step)));
        return Object.keys(done).length === 0 ? {} : { id, props: { ...state, done } };
    } catch (error) {
        if (!isUnreachable(error)) throw error;
        return gone && awayOrReplaced.has(error.code) ? {} : keep(error.reason);
    }
}

/** A disk that is not mounted, or an error of its own, takes our notes away, and the node lives on. */
async function isStillMember(
    connection: Connection,
    { clusterId, name, address, caCertHash, identity }: MachineSpec,
): Promise<boolean> {
    const facts = await factsOf(connection, address);
    const question = { clusterId, name, caCertHash: caCertHash ?? identity?.caCertHash, facts };
    return facts.traces.length > 0 && ownershipOf(question).ownership === "ours";
}

/**
 * What is waited for before something is undone, and how long, in seconds: a lease that is not renewed; a step that goes on, which has a
 * deadline on its machine.
 */
const waits = {
    busy: { seconds: 45, what: "another run's lease", cause: "another run holds the lease of this machine" },
    running: {
        seconds: 1200,
        what: "what a former run left running",
        cause: "a step that a former run began is still going on there",
    },
};

/** Whether there is something of ours on a machine to undo: not on one that is blank, or another cluster's. @throws CONNECT_FAILED and the like */
export async function journalToUndo(
    connection: Connection,
    clusterId: string,
    node: string,
    context: Context,
): Promise<"ours" | "nothing"> {
    for (let waited = 0; ; waited++) {
        const journal = await readJournal(connection, clusterId, node);
        if (journal === "blank" || journal === "foreign") return "nothing";
        if (journal !== "busy" && !journal.running) return "ours";
        const { seconds, what, cause } = waits[journal === "busy" ? "busy" : "running"];
        if (waited >= seconds) throw new NfvError({ code: "NODE_BUSY", node, cause });
        context.report(`waiting for ${what}`);
        await sleep(1000, undefined, { signal: context.signal });
    }
}
