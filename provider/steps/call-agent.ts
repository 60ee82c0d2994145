import { NfvError } from "../errors";
import { stateFolder } from "../shell/folders";
import type { CommandResult, Connection, RunOptions } from "../ssh/types";
import { agentPath, agentText } from "./agent";
import { type AgentCall, agentExit, encodeCall, formatForeign } from "./protocol";

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

/**
 * One call of this release's agent. If the node has only another release's agent, ours is installed beside it first:
 * both share journal, cluster and lease (README.md, "What holds for ever"). So nothing depends on what the other agent
 * understands.
 */
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
    const foreign = await ownerBeside(connection, call);
    if (foreign !== undefined) return { code: agentExit.foreign, stdout: foreign, stderr: "" };
    await connection.writeFile(agentPath, agentText, { mode: 0o700 });
    return ask();
}

/** The calls that may be a release's first on a node. */
const first = new Set<AgentCall["verb"]>(["open", "forget"]);

/** Another cluster's machine does not even get the agent. */
async function ownerBeside(connection: Connection, call: AgentCall): Promise<string | undefined> {
    if (call.verb !== "open") return undefined;
    const [cluster, node] = String((await connection.readFile(`${stateFolder}/cluster`)) ?? "")
        .trim()
        .split(" ");
    if (!cluster || node === undefined || (cluster === call.cluster && node === call.node)) return undefined;
    return formatForeign(cluster, node);
}

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

/**
 * Deletes all our records on a machine that was reset: journal, cluster, agents of all releases. @throws STEP_FAILED
 */
export function forgetNode(connection: Connection): Promise<void> {
    return forget(connection, "");
}

async function forget(connection: Connection, id: string): Promise<void> {
    const { code, stdout, stderr } = await callAgent(connection, { verb: "forget", id });
    if (code === agentExit.ok) return;
    const cause = `the agent ended with exit code ${code}: ${(stderr || stdout).trim()}`;
    throw new NfvError({ code: "STEP_FAILED", step: "forget what was done", cause });
}
