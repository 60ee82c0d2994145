import * as fs from "node:fs";
import * as https from "node:https";
import { createInterface } from "node:readline";
import { parse } from "yaml";

/**
 * Writes to one ConfigMap of the cluster of KUBECONFIG all the time, each time through a new connection, and prints a line of JSON for each
 * attempt. A line on standard input sets the servers: the first that answers takes the write, like a client that has a new address and
 * still knows the old one.
 */

const { clusters, users } = parse(fs.readFileSync(process.argv[2]!, "utf8"));
const text = (data: string) => Buffer.from(data, "base64").toString();
const access = {
    ca: text(clusters[0].cluster["certificate-authority-data"]),
    cert: text(users[0].user["client-certificate-data"]),
    key: text(users[0].user["client-key-data"]),
};
let servers: string[] = [clusters[0].cluster.server];

const pauseMilliseconds = 250;
const answerMilliseconds = 2000;

/** Undefined: it was written; otherwise the reason why not. */
function write(server: string, value: string): Promise<string | undefined> {
    return new Promise(resolve => {
        const url = `${server}/api/v1/namespaces/default/configmaps/writer`;
        const headers = { "content-type": "application/merge-patch+json" };
        const options = { ...access, headers, method: "PATCH", agent: false, timeout: answerMilliseconds };
        const request = https.request(url, options, response => {
            response.resume();
            response.on("end", () => resolve(response.statusCode === 200 ? undefined : `HTTP ${response.statusCode}`));
            response.on("error", error => resolve(error.message));
        });
        const late = setTimeout(() => request.destroy(new Error("no answer in time")), answerMilliseconds);
        request.on("error", error => resolve(error.message));
        request.on("close", () => clearTimeout(late));
        request.end(JSON.stringify({ data: { value } }));
    });
}

async function main(): Promise<void> {
    createInterface({ input: process.stdin }).on("line", line => {
        servers = JSON.parse(line);
    });
    for (let count = 0; ; count++) {
        const problems: string[] = [];
        let by: string | undefined;
        for (const server of servers) {
            const problem = await write(server, String(count));
            if (problem === undefined) by = server;
            else problems.push(`${server}: ${problem}`);
            if (by !== undefined) break;
        }
        process.stdout.write(`${JSON.stringify({ at: Date.now(), by, problems })}\n`);
        await new Promise(resolve => setTimeout(resolve, pauseMilliseconds));
    }
}

void main();
