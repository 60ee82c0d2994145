import { randomBytes } from "node:crypto";
import { quoteWord } from "../shell/quote";
import { declaredInputs } from "../shell/script-file";
import type { CommandResult } from "../ssh/types";
import { agentPath } from "./agent";
import type { Fingerprints } from "./types";

/**
 * The protocol between runner and agent. Only this file encodes or decodes it; fake nodes answer with `decodeCall` and
 * the `format…` functions.
 */

/** Exit codes of the agent itself. A step's own exit code comes in the `end` line of `run` and `wait`. */
export const agentExit = {
    ok: 0,
    usage: 64,
    /** The script on standard input was incomplete; nothing was done. */
    truncated: 65,
    /** The node lacks something that the agent needs; standard error names it. */
    unsupported: 69,
    /** `open`: another holder has a valid lease. Standard output: `busy HOLDER SECONDS`. */
    busy: 70,
    /**
     * `open`: the machine belongs to another cluster, or is another node of this one. Standard output: `foreign CLUSTER
     * NODE`.
     */
    foreign: 71,
    /** `run`, `renew`, `done`: the lease does not, or no longer, belong to this holder. */
    leaseLost: 72,
    /** `wait`: no such step was started since the last boot, or it vanished without an exit code. */
    unknown: 73,
    /** `run`: another batch is running. Standard error: `running ID FINGERPRINT`. */
    otherRunning: 74,
} as const;

/** Exit code of a step that was stopped at its deadline. */
export const deadlineExitCode = 124;

export type AgentCall = AgentVerb & {
    /** The node for which this machine acts. Undefined: for itself. */
    forNode?: string;
};

type AgentVerb =
    | { verb: "open"; cluster: string; node: string; holder: string; ttlSeconds: number }
    | { verb: "renew"; holder: string; ttlSeconds: number }
    | { verb: "close"; holder: string }
    /** Runs the script on standard input in the foreground; the call's exit code is the script's. */
    | { verb: "probe"; id: string; timeoutSeconds: number }
    /**
     * A batch of steps on standard input (batch.ts), `sizeBytes` long. It is started detached under the name of its
     * first step, and then followed like `wait ID OFFSET`. If the same batch is already running, the call attaches to
     * it. If the same attempt of this holder is running or has ended, the call returns its output and end again, so it
     * can be repeated after a lost connection. Standard input stays open: when it ends, the operator's process is gone,
     * and the batch ends after the step that is running then.
     */
    | {
          verb: "run";
          /** Id and fingerprint of the first step. */
          id: string;
          fingerprint: string;
          /** For all steps together. */
          timeoutSeconds: number;
          holder: string;
          attempt: number;
          offset: number;
          sizeBytes: number;
      }
    /** Streams a batch's output from a byte offset to standard output; ends with `end CODE SECONDS` on standard error. */
    | { verb: "wait"; id: string; offset: number }
    /** Records a step that had nothing to run. */
    | { verb: "done"; id: string; fingerprint: string; holder: string }
    /** Deletes one step from the journal; with an empty id all of them, and the cluster. */
    | { verb: "forget"; id: string }
    /** Ends a batch that may be stopped (`isStoppable`). Does nothing for others. */
    | { verb: "stop"; id: string; holder: string };

/** Verb → names of its arguments, in order. */
const verbs: { [V in AgentCall["verb"]]: readonly Exclude<keyof Extract<AgentVerb, { verb: V }>, "verb">[] } = {
    open: ["cluster", "node", "holder", "ttlSeconds"],
    renew: ["holder", "ttlSeconds"],
    close: ["holder"],
    probe: ["id", "timeoutSeconds"],
    run: ["id", "fingerprint", "timeoutSeconds", "holder", "attempt", "offset", "sizeBytes"],
    wait: ["id", "offset"],
    done: ["id", "fingerprint", "holder"],
    forget: ["id"],
    stop: ["id", "holder"],
};

const numbers = new Set(["ttlSeconds", "timeoutSeconds", "attempt", "offset", "sizeBytes"]);

export function encodeCall(call: AgentCall): string[] {
    const values = call as unknown as Record<string, string | number>;
    const before = call.forNode === undefined ? [] : ["for", call.forNode];
    return [agentPath, ...before, call.verb, ...verbs[call.verb].map(name => String(values[name]))];
}

/** Reverses `encodeCall`; undefined if it is not a call of the agent. */
export function decodeCall(argv: readonly string[]): AgentCall | undefined {
    const forNode = argv[1] === "for" ? argv[2] : undefined;
    const [program, verb, ...args] = forNode === undefined ? argv : [argv[0], ...argv.slice(3)];
    if (!program || !/\/agent-[0-9a-f]+$/.test(program) || !verb || !(verb in verbs)) return undefined;
    const names = verbs[verb as AgentCall["verb"]] as readonly string[];
    if (args.length !== names.length) return undefined;
    const values = names.map((name, i) => [name, numbers.has(name) ? Number(args[i]) : args[i]]);
    return { verb, ...Object.fromEntries(values), ...(forNode !== undefined && { forNode }) } as AgentCall;
}

/**
 * Fingerprint of an act. It differs each time, so that no act counts as done already, and the agent does not record it.
 * `stoppable`: the next run stops it instead of waiting for its end.
 */
export const actFingerprint = (stoppable: boolean) =>
    `${stoppable ? "stoppable" : "act"}-${randomBytes(6).toString("hex")}`;

export const isAct = (fingerprint: string) => /^(act|stoppable)-/.test(fingerprint);
export const isStoppable = (fingerprint: string) => fingerprint.startsWith("stoppable-");

export interface Opened {
    /** The node's journal. */
    done: Fingerprints;
    /** Id of the first step → fingerprint, for batches that a former run left running. */
    running: Fingerprints;
}

export function formatOpened({ done, running }: Opened): string {
    const lines = (word: string, map: Fingerprints) =>
        Object.entries(map).map(([id, print]) => `${word} ${id} ${print}\n`);
    return [...lines("done", done), ...lines("running", running)].join("");
}

export function parseOpened(stdout: string): Opened {
    const opened: Opened = { done: {}, running: {} };
    for (const line of stdout.split("\n")) {
        const [word, id, fingerprint] = line.split(" ");
        if (fingerprint && (word === "done" || word === "running")) opened[word][id] = fingerprint;
    }
    return opened;
}

/** `busy HOLDER SECONDS` */
export const formatBusy = (holder: string, secondsLeft: number) => `busy ${holder} ${secondsLeft}\n`;

export function parseBusy(stdout: string): { holder: string; secondsLeft: number } {
    const [, holder, seconds] = /^busy (\S+) (\d+)/m.exec(stdout) ?? [];
    return { holder: holder ?? "unknown", secondsLeft: Number(seconds ?? 0) };
}

/** `foreign CLUSTER NODE` */
export const formatForeign = (cluster: string, node: string) => `foreign ${cluster} ${node}\n`;

export function parseForeign(stdout: string): { cluster: string; node: string } {
    const [, cluster, node] = /^foreign (\S+) (\S+)/m.exec(stdout) ?? [];
    return { cluster: cluster ?? "unknown", node: node ?? "unknown" };
}

/** Id of the batch that is running instead. */
export const parseRunning = ({ stdout, stderr }: CommandResult) =>
    /^running (\S+) /m.exec(`${stderr}\n${stdout}`)?.[1] ?? "";

/** Last line of standard error of `run` and `wait`: the last step's exit code and the total time. */
export const formatEnd = (exitCode: number, seconds = 0) => `end ${exitCode} ${seconds}\n`;

/** Undefined if the call ended before the batch; then the agent's exit code says why. */
export function parseEnd(result: CommandResult): { code: number; seconds: number } | undefined {
    const end = /^end (\d+) ([\d.]+)$/m.exec(result.stderr);
    return result.code === agentExit.ok && end ? { code: Number(end[1]), seconds: Number(end[2]) } : undefined;
}

export interface ScriptParts {
    run: string;
    env?: Record<string, string>;
}

/**
 * Last line of each script. If it is missing, the connection broke during the transfer, and the agent does not start
 * the script.
 */
export const scriptEnd = "# end of script";

/**
 * The text for a shell's standard input. Values are assigned at the beginning, each quoted as a whole. Because of the
 * braces the shell reads everything before it runs anything, so it runs nothing of an incomplete text.
 */
export function encodeScript({ run, env = {} }: ScriptParts): string {
    checkInputs(run, env);
    return framed({ run, env });
}

/** The same for a text that holds other scripts: their inputs were checked when each of them was encoded. */
export function framed({ run, env = {} }: ScriptParts): string {
    return ["{", "set -eu", "umask 022", ...variableLines(env), run, "}", scriptEnd, ""].join("\n");
}

/** A missing value would stop the script on the node, in the middle of its work. */
export function checkInputs(text: string, env: Record<string, string>): void {
    const missing = declaredInputs(text).filter(name => env[name] === undefined);
    if (missing.length > 0) throw new Error(`a script gets no value for ${missing.join(", ")}`);
}

/**
 * Shell variables, not environment variables: the kernel limits one environment value to 128 KiB, and values must not
 * show up in the output of `ps`. `secrets`: names that are checked, too.
 */
export function variableLines(env: Record<string, string>, secrets: readonly string[] = []): string[] {
    const names = [...Object.keys(env), ...secrets.map(name => name.replace(/[.-]/g, "_"))];
    const wrong = names.find(name => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
    if (wrong !== undefined) throw new Error(`"${wrong}" cannot be the name of a variable or secret file`);
    return Object.entries(env).map(([name, value]) => `${name}=${quoteWord(value)}`);
}

/** `printf` is a shell built-in, so no secret is ever an argument of a process. */
export function secretLines(secrets: Record<string, string>): string[] {
    const files = Object.entries(secrets).map(([name, value]) => `printf %s ${quoteWord(value)} >"$SECRETS/${name}"`);
    return files.length === 0 ? [] : ["umask 077", 'mkdir -p "$SECRETS"', ...files, "umask 022"];
}
