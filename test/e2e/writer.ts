import { spawn } from "node:child_process";
import { extname, join } from "node:path";
import type { Lab } from "../../lab";

/** One try of the client. */
export interface Write {
    /** Milliseconds since the epoch, at its end. */
    at: number;
    /** The server that took it; undefined: none did. */
    by?: string;
    problems: string[];
}

export interface Writer {
    /** From now on it knows these servers; the first that answers takes the write. */
    know(...servers: string[]): void;
    /** Tries since the last question. */
    since(): Write[];
    stop(): void;
}

/** A client of the cluster that writes four times a second; see writer-program.ts. */
export function startWriter(lab: Lab, kubeconfig: string): Writer {
    const program = join(__dirname, `writer-program${extname(__filename)}`);
    const [command, ...words] = lab.enter([process.execPath, "--require", "tsx/cjs", program, kubeconfig]);
    const child = spawn(command!, words, { stdio: ["pipe", "pipe", "inherit"] });
    let rest = "";
    let writes: Write[] = [];
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        writes.push(...lines.map(line => JSON.parse(line) as Write));
    });
    return {
        know: (...servers) => void child.stdin.write(`${JSON.stringify(servers)}\n`),
        since: () => {
            const taken = writes;
            // The last good one is where the next gap begins.
            writes = taken.filter(({ by }) => by !== undefined).slice(-1);
            return taken;
        },
        stop: () => void child.kill(),
    };
}

/** Longest time between two writes that went through, in seconds. */
export function longestGap(writes: readonly Write[]): number {
    const good = writes.filter(({ by }) => by !== undefined).map(({ at }) => at);
    return Math.max(0, ...good.slice(1).map((at, i) => at - good[i]!)) / 1000;
}
