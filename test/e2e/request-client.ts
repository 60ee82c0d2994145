import { spawn } from "node:child_process";
import type { Lab } from "../../lab";

export interface RequestClient {
    /** How many requests there were since the last call, and what failed. */
    since(): { requests: number; failures: string[] };
    stop(): void;
}

/** Starts a program in the lab's network that prints each request as a line `{ target, failure }`; an empty failure: it was answered. */
export function startRequests(lab: Pick<Lab, "enter">, argv: string[]): RequestClient {
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
