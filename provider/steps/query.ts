import { type ErrorCode, NfvError } from "../common/errors";
import type { CommandResult, Connection } from "../ssh/types";
import { encodeScript, framed } from "./protocol";

export interface Query {
    /** POSIX sh, run under `set -eu`. It changes nothing, so it needs no lease and may be repeated. */
    script: string;
    /** The script holds other scripts, which have their values. @default false */
    holdsScripts?: boolean;
    /** Values for the script, as shell variables. Not secret. */
    env?: Record<string, string>;
    timeoutSeconds: number;
    /** For messages: "look at etcd's members". */
    step: string;
    /** For messages: the node that is asked about. */
    node?: string;
    /** @default "pulumi-nfv" */
    argv?: readonly string[];
    errors?: Record<number, ErrorCode>;
    signal?: AbortSignal;
}

/** How a query runs: the script on standard input. Fake nodes in tests recognise it. */
export const queryArgv: readonly string[] = ["sh", "-s", "pulumi-nfv"];

/** Lines of output in a message. */
const tailLines = 15;

/**
 * Asks a machine something: runs a short script that changes nothing, and returns its standard output. What changes
 * something is a step or an act. @throws STEP_FAILED or a code of `errors`
 */
export async function query(connection: Connection, asked: Query): Promise<string> {
    const { timeoutSeconds, argv = queryArgv, signal } = asked;
    const stdin = textOf(asked);
    const result = await connection.exec(argv, { stdin, timeoutSeconds, ...(signal && { signal }) });
    if (result.code === 0) return result.stdout;
    throw failureOf(asked, result, connection);
}

/** What the shell of a query reads. */
export const textOf = ({ script, env, holdsScripts }: Query): string =>
    (holdsScripts ? framed : encodeScript)({ run: script, env });

/** Of a query that ended with another code than 0. */
export function failureOf(
    { step, node, errors }: Query,
    { code, stdout, stderr }: CommandResult,
    connection: Connection,
): NfvError {
    const tail = (stderr.trim() || stdout.trim()).split("\n").slice(-tailLines).join("\n");
    const cause = `exit code ${code} on ${connection.target.host}${tail && `\n${tail}`}`;
    return new NfvError({ code: errors?.[code] ?? "STEP_FAILED", node, step, cause, output: stdout + stderr });
}
