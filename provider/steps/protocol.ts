import { quoteWord } from "../shell/quote";
import type { CommandResult } from "../ssh/types";
import { agentPath } from "./agent";
import type { Fingerprints } from "./types";

/**
 * What runner and agent say to each other. This is the only place that encodes or decodes it; a fake node answers
 * with `decodeCall` and the `format…` functions.
 */

/** Exit codes of the agent itself. A step's own exit code comes in the `end` line of `run` and `wait`. */
export const agentExit = {
    ok: 0,
    usage: 64,
    /** The script on standard input was cut off on its way: nothing was done. */
    truncated: 65,
    /** The node lacks something that the agent needs; standard error says what. */
    unsupported: 69,
    /** `open`: another holder's lease is alive. Standard output: `busy HOLDER SECONDS`. */
    busy: 70,
    /** `open`: the machine is another cluster's, or another node of this one. Standard output: `foreign CLUSTER NODE`. */
    foreign: 71,
    /** `run`, `renew`, `done`: the lease is not (or no longer) this holder's. */
    leaseLost: 72,
    /** `wait`: no such step was started since the last boot, or it vanished without an exit code. */
    unknown: 73,
    /** `run`: another batch is running. Standard error: `running ID FINGERPRINT`. */
    otherRunning: 74,
} as const;

/** Exit code of a step that was ended at its deadline. */
export const deadlineExitCode = 124;

export type AgentCall =
    | { verb: "open"; cluster: string; node: string; holder: string; ttlSeconds: number }
    | { verb: "renew"; holder: string; ttlSeconds: number }
    | { verb: "close"; holder: string }
    /** Script on standard input, in the foreground; exit code of the call is the script's. */
    | { verb: "probe"; id: string; timeoutSeconds: number }
    /**
     * A batch of steps on standard input (batch.ts), `sizeBytes` long, started detached under the name of its first step, then as
     * `wait ID OFFSET`. The same one already running: attach. The same attempt of this holder, running or ended: its output and end
     * again, so the call can be repeated after a lost connection. Standard input stays open: once it ends, nobody waits any more,
     * and the batch ends behind the step that is running then.
     */
    | {
          verb: "run";
          /** Of the first step, as `fingerprint`. */
          id: string;
          fingerprint: string;
          /** Of all steps together. */
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
    /** Forgets one step; with an empty id all of them, and the cluster. */
    | { verb: "forget"; id: string };

/** Verb → names of its arguments, in order. */
const verbs: { [V in AgentCall["verb"]]: readonly Exclude<keyof Extract<AgentCall, { verb: V }>, "verb">[] } = {
    open: ["cluster", "node", "holder", "ttlSeconds"],
    renew: ["holder", "ttlSeconds"],
    close: ["holder"],
    probe: ["id", "timeoutSeconds"],
    run: ["id", "fingerprint", "timeoutSeconds", "holder", "attempt", "offset", "sizeBytes"],
    wait: ["id", "offset"],
    done: ["id", "fingerprint", "holder"],
    forget: ["id"],
};

const numbers = new Set(["ttlSeconds", "timeoutSeconds", "attempt", "offset", "sizeBytes"]);

export function encodeCall(call: AgentCall): string[] {
    const values = call as unknown as Record<string, string | number>;
    return [agentPath, call.verb, ...verbs[call.verb].map(name => String(values[name]))];
}

/** The other side of `encodeCall`; undefined: not a call of the agent. */
export function decodeCall(argv: readonly string[]): AgentCall | undefined {
    const [program, verb, ...args] = argv;
    if (!program || !/\/agent-[0-9a-f]+$/.test(program) || !verb || !(verb in verbs)) return undefined;
    const names = verbs[verb as AgentCall["verb"]] as readonly string[];
    if (args.length !== names.length) return undefined;
    const values = names.map((name, i) => [name, numbers.has(name) ? Number(args[i]) : args[i]]);
    return { verb, ...Object.fromEntries(values) } as AgentCall;
}

export interface Opened {
    /** The node's journal. */
    done: Fingerprints;
    /** What a former run left running, by its first step. */
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

/** Id of what is running instead. */
export const parseRunning = ({ stdout, stderr }: CommandResult) =>
    /^running (\S+) /m.exec(`${stderr}\n${stdout}`)?.[1] ?? "";

/** Last line of standard error of `run` and `wait`: the last step's exit code and the time of all. */
export const formatEnd = (exitCode: number, seconds = 0) => `end ${exitCode} ${seconds}\n`;

/** undefined: the call ended without the batch's end (the agent said why by its exit code). */
export function parseEnd(result: CommandResult): { code: number; seconds: number } | undefined {
    const end = /^end (\d+) ([\d.]+)$/m.exec(result.stderr);
    return result.code === agentExit.ok && end ? { code: Number(end[1]), seconds: Number(end[2]) } : undefined;
}

export interface ScriptParts {
    run: string;
    env?: Record<string, string>;
}

/** Last line of each script: without it the connection broke while it was sent, and the agent does not start it. */
export const scriptEnd = "# end of script";

/**
 * The text that goes to a shell's standard input. Values are assigned in a preamble, each quoted as a whole. The shell reads all of it
 * before it runs any of it, because of the braces: of a text that is cut on its way, nothing is run.
 */
export function encodeScript({ run, env = {} }: ScriptParts): string {
    return ["{", "set -eu", "umask 022", ...variableLines(env), run, "}", scriptEnd, ""].join("\n");
}

/**
 * Variables of the shell, not of its environment: the kernel takes at most 128 KiB for one value of an environment, and other users
 * may not see what `ps` shows of it. `secrets`: names that are checked, too.
 */
export function variableLines(env: Record<string, string>, secrets: readonly string[] = []): string[] {
    const names = [...Object.keys(env), ...secrets.map(name => name.replace(/[.-]/g, "_"))];
    const wrong = names.find(name => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
    if (wrong !== undefined) throw new Error(`"${wrong}" cannot be the name of a variable or secret file`);
    return Object.entries(env).map(([name, value]) => `${name}=${quoteWord(value)}`);
}

/** `printf` is the shell's own, so no secret is ever an argument of a process. */
export function secretLines(secrets: Record<string, string>): string[] {
    const files = Object.entries(secrets).map(([name, value]) => `printf %s ${quoteWord(value)} >"$SECRETS/${name}"`);
    return files.length === 0 ? [] : ["umask 077", 'mkdir -p "$SECRETS"', ...files, "umask 022"];
}

/** How `onControlPlane` runs on the other node: `encodeScript` on standard input, its standard output is the answer. */
export const controlPlaneArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-control-plane"];
