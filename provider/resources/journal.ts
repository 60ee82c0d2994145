import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import type { Connection } from "../ssh";
import { callAgent, type Fingerprints, stateFolder } from "../steps";
import { newHolder } from "../steps/holder";
import { agentExit, parseOpened } from "../steps/protocol";
import {
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

/** What a machine's journal says; `blank`: nothing of ours is on it; `busy`: another run works there. */
export type Journal = { done: Fingerprints } | "blank" | "busy" | "foreign";

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
    const { done } = parseOpened(opened.stdout);
    return Object.keys(done).length === 0 ? "blank" : { done };
}

/** A machine that does not say in this time what is on it hangs, in seconds. */
const answerSeconds = 30;

function unclear(node: string, said: string): NfvError {
    return new NfvError({ code: "STEP_FAILED", node, step: "look at the machine", cause: said.trim() || "no answer" });
}

type MachineResource = StepInputs &
    ServerInputs &
    ProgramPath &
    MachineState & { spec: { clusterId: string; name: string }; connection: Connection["target"] };

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
        const journal = await readJournal(connectTo(target, state, state), clusterId, name);
        if (journal === "busy") return keep("another run works on this machine");
        if (journal === "blank" || journal === "foreign") return {};
        const done = Object.fromEntries(Object.entries(journal.done).filter(([step]) => stepIds.includes(step)));
        return Object.keys(done).length === 0 ? {} : { id, props: { ...state, done } };
    } catch (error) {
        if (!isUnreachable(error)) throw error;
        return gone ? {} : keep(error.reason);
    }
}

/** How long a lease that is not renewed is waited for before something is undone, in seconds. */
const busySeconds = 45;

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
        if (journal !== "busy") return "ours";
        if (waited >= busySeconds) {
            throw new NfvError({ code: "NODE_BUSY", node, cause: "another run holds the lease of this machine" });
        }
        context.report("waiting for another run's lease");
        await sleep(1000);
    }
}
