import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../errors";
import type { Connection } from "../ssh";
import { agentPath, type Fingerprints } from "../steps";
import { newHolder } from "../steps/holder";
import { agentExit, encodeCall, parseOpened } from "../steps/protocol";
import { connectTo, hurried, isUnreachable, type MachineState, type ServerInputs, type StepInputs } from "./machine";
import { isGone } from "./server";
import type { Context, Observed } from "./types";

/** What a machine's journal says; `blank`: nothing of ours is on it; `busy`: another run works there. */
export type Journal = { done: Fingerprints } | "blank" | "busy" | "foreign";

/** One for the whole process: a refresh asks for a machine's Host and Node at the same time. */
const reader = newHolder();

/** Reads the journal without changing anything but a lease of a moment. @throws CONNECT_FAILED and the like */
async function readJournal(connection: Connection, clusterId: string, node: string): Promise<Journal> {
    if ((await connection.exec(["test", "-x", agentPath])).code !== 0) {
        return (await connection.exec(["test", "-d", "/var/lib/pulumi-nfv/journal"])).code === 0 ? "busy" : "blank";
    }
    const open = { verb: "open", cluster: clusterId, node, holder: reader, ttlSeconds: 10 } as const;
    const { code, stdout } = await connection.exec(encodeCall(open));
    if (code === agentExit.foreign) return "foreign";
    if (code !== agentExit.ok) return "busy";
    await connection.exec(encodeCall({ verb: "close", holder: reader }));
    const { done } = parseOpened(stdout);
    return Object.keys(done).length === 0 ? "blank" : { done };
}

type MachineResource = StepInputs &
    ServerInputs &
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
        const journal = await readJournal(connectTo(target, state.hostKey), clusterId, name);
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

/** Whether there is something of ours on a machine to undo: not on one that is gone, blank, or another cluster's. */
export async function journalToUndo(
    connection: Connection,
    clusterId: string,
    node: string,
    context: Context,
): Promise<"ours" | "nothing"> {
    const skip = (why: string) => {
        context.warn(`${node}: nothing was undone there: ${why}`);
        return "nothing" as const;
    };
    try {
        for (let waited = 0; ; waited++) {
            const journal = await readJournal(connection, clusterId, node);
            if (journal === "blank") return "nothing";
            if (journal === "foreign") return skip("the machine belongs to another cluster by now");
            if (journal !== "busy") return "ours";
            if (waited >= busySeconds) {
                throw new NfvError({ code: "NODE_BUSY", node, cause: "another run holds the lease of this machine" });
            }
            context.report("waiting for another run's lease");
            await sleep(1000);
        }
    } catch (error) {
        if (isUnreachable(error)) return skip(error.reason);
        throw error;
    }
}
