import { spawn } from "node:child_process";
import type { Lab } from "../../lab";

export interface HttpClient {
    /** How many requests there were since the last call, and what failed. */
    since(): { requests: number; failures: string[] };
    stop(): void;
}

/** Asks the URLs one after the other, ten times a second, each time through a new connection. Needs no file of its own in the lab. */
const program = `
    const http = require("node:http");
    const urls = process.argv.slice(1);
    const ask = url => new Promise(resolve => {
        const request = http.get(url, { agent: false, timeout: 2000 }, answer => {
            answer.resume().on("end", () => resolve(answer.statusCode < 500 ? "" : "HTTP " + answer.statusCode));
        });
        request.on("timeout", () => request.destroy(new Error("no answer in time")));
        request.on("error", error => resolve(error.message));
    });
    (async () => {
        for (let i = 0; ; i++) {
            const began = Date.now();
            const url = urls[i % urls.length];
            console.log(JSON.stringify({ url, failure: await ask(url) }));
            await new Promise(resolve => setTimeout(resolve, Math.max(0, 100 - (Date.now() - began))));
        }
    })();`;

export function startHttpClient(lab: Lab, urls: readonly string[]): HttpClient {
    const [command, ...words] = lab.enter([process.execPath, "-e", program, ...urls]);
    const child = spawn(command!, words, { stdio: ["ignore", "pipe", "inherit"] });
    let rest = "";
    let seen: { url: string; failure: string }[] = [];
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
            const failures = taken
                .filter(({ failure }) => failure !== "")
                .map(({ url, failure }) => `${url}: ${failure}`);
            return { requests: taken.length, failures };
        },
        stop: () => void child.kill(),
    };
}
