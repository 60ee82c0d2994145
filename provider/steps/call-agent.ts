import { NfvError } from "../common/errors";
import type { CommandResult, Connection, RunOptions } from "../ssh/types";
import { agentPath, agentText } from "./agent";
import { type AgentCall, agentExit, encodeCall } from "./protocol";

/**
 * How long the agent may take to answer, in seconds. Its own work takes milliseconds, but a machine whose disk hangs
 * never answers, although its sshd does. For `run` and `probe` the caller gives the time of their steps; `wait` follows
 * a batch that has its own deadlines.
 */
const answerSeconds: Partial<Record<AgentCall["verb"], number>> = {
    open: 60,
    renew: 20,
    close: 20,
    done: 60,
    forget: 60,
    stop: 60,
    wait: 6 * 3600,
};

/** One call of the agent. A node that does not have it yet gets it first. */
export async function callAgent(
    connection: Connection,
    call: AgentCall,
    options: RunOptions = {},
): Promise<CommandResult> {
    const ask = () =>
        connection.exec(encodeCall(call), { timeoutSeconds: answerSeconds[call.verb], ...withoutUndefined(options) });
    const result = await ask();
    if (isAnswer(result.code) || !first.has(call.verb)) return result;
    const { signal } = options;
    // A missing program gives 127 from a shell but 1 from sudo, so test for it. Meanwhile another run may have
    // installed the agent.
    if ((await connection.exec(["test", "-x", agentPath], { signal, timeoutSeconds: 20 })).code === 0) return ask();
    await connection.writeFile(agentPath, agentText, { mode: 0o700 });
    return ask();
}

/** The calls that may be the first on a node. */
const first = new Set<AgentCall["verb"]>(["open", "forget"]);

function isAnswer(code: number): boolean {
    return Object.values<number>(agentExit).includes(code);
}

/** An option that is present but undefined would override the default. */
function withoutUndefined(options: RunOptions): RunOptions {
    return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Deletes a step from the journal, so that the next run does it again. @throws STEP_FAILED */
export function forgetStep(connection: Connection, id: string): Promise<void> {
    return forget(connection, id);
}

/** Deletes all our records on a machine that was reset: journal, cluster, agent. @throws STEP_FAILED */
export function forgetNode(connection: Connection): Promise<void> {
    return forget(connection, "");
}

async function forget(connection: Connection, id: string): Promise<void> {
    const { code, stdout, stderr } = await callAgent(connection, { verb: "forget", id });
    if (code === agentExit.ok) return;
    const cause = `the agent ended with exit code ${code}: ${(stderr || stdout).trim()}`;
    throw new NfvError({ code: "STEP_FAILED", step: "forget what was done", cause });
}
