import { spawn } from "node:child_process";
import { extname, join } from "node:path";
import type { Lab } from "../../lab";

export interface BalancedClient {
    /** How many requests there were since the last call, and what failed. */
    since(): { requests: number; failures: string[] };
    stop(): void;
}

/** A client of a NodePort that asks workers which can answer; see balanced-client-program.ts. */
export function startBalancedClient(lab: Lab, kubeconfig: string, port: number): BalancedClient {
    const program = join(__dirname, `balanced-client-program${extname(__filename)}`);
    const argv = [process.execPath, "--require", "tsx/cjs", program, kubeconfig, `${port}`];
    const [command, ...words] = lab.enter(argv);
    const child = spawn(command!, words, { stdio: ["ignore", "pipe", "inherit"] });
    let rest = "";
    let seen: { target: string; failure: string }[] = [];
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        seen.push(...lines.map(line => JSON.parse(line)));
    });
    return {
        since: () => {
            const taken = seen;
            seen = [];
            const failed = taken.filter(({ failure }) => failure !== "");
            return { requests: taken.length, failures: failed.map(({ target, failure }) => `${target}: ${failure}`) };
        },
        stop: () => void child.kill(),
    };
}
