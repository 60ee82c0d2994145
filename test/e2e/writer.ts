import { spawn } from "node:child_process";
import { extname, join } from "node:path";
import type { Lab } from "../../lab";
import type { Fixture } from "./cluster-fixture";

/** One attempt of the client. */
export interface Write {
    /** End of the attempt, in milliseconds since 1970. */
    at: number;
    /** Which attempt it is, from 0; with `eachOwn` part of the object's name. */
    count: number;
    /** The server that took the write; undefined: none. */
    by?: string;
    problems: string[];
}

export interface Writer {
    /** Sets the servers; the first that answers takes the write. */
    know(...servers: string[]): void;
    /** Attempts since the last call. */
    since(): Write[];
    stop(): void;
}

/** A client of the cluster that writes four times a second; see writer-program.ts. `eachOwn`: each write makes an object of its own. */
export function startWriter(lab: Pick<Lab, "enter">, kubeconfig: string, { eachOwn = false } = {}): Writer {
    const program = join(__dirname, `writer-program${extname(__filename)}`);
    const options = eachOwn ? ["each"] : [];
    const [command, ...words] = lab.enter([process.execPath, "--require", "tsx/cjs", program, kubeconfig, ...options]);
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
            // Keep the last successful one: the next gap begins there.
            writes = taken.filter(({ by }) => by !== undefined).slice(-1);
            return taken;
        },
        stop: () => void child.kill(),
    };
}

/** Longest time between two successful writes, in seconds. */
export function longestGap(writes: readonly Write[]): number {
    const good = writes.filter(({ by }) => by !== undefined).map(({ at }) => at);
    return Math.max(0, ...good.slice(1).map((at, i) => at - good[i]!)) / 1000;
}

/** Numbers of the writes that a server took. */
export const acknowledgedOf = (writes: readonly Write[]) =>
    writes.filter(({ by }) => by !== undefined).map(({ count }) => count);

/** Those acknowledged writes of a writer with `eachOwn` that the cluster does not have. */
export async function lostWrites({ kubectl }: Fixture, acknowledged: readonly number[]): Promise<number[]> {
    const get = ["-n", "default", "get", "configmaps", "-l", "written-by=writer", "-o", "name"];
    const stored = new Set((await kubectl(...get)).split("\n"));
    console.log(`      ${new Set(acknowledged).size} acknowledged writes, ${stored.size - 1} stored`);
    return acknowledged.filter(count => !stored.has(`configmap/written-${count}`));
}
