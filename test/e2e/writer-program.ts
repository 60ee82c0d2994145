import * as fs from "node:fs";
import * as https from "node:https";
import { createInterface } from "node:readline";
import { parse } from "yaml";

/**
 * Writes to the cluster of KUBECONFIG all the time, each time through a new connection, and prints a line of JSON for each attempt: to one
 * ConfigMap, or with a second argument `each` a new one for each write, so that a lost write can be found. A line on standard input sets the
 * servers: the first that answers takes the write, like a client that has a new address and still knows the old one.
 */

const [, , kubeconfig, mode] = process.argv;
const { clusters, users } = parse(fs.readFileSync(kubeconfig!, "utf8"));
const text = (data: string) => Buffer.from(data, "base64").toString();
const access = {
    ca: text(clusters[0].cluster["certificate-authority-data"]),
    cert: text(users[0].user["client-certificate-data"]),
    key: text(users[0].user["client-key-data"]),
};
let servers: string[] = [clusters[0].cluster.server];

const pauseMilliseconds = 250;
const answerMilliseconds = 2000;
const folder = "/api/v1/namespaces/default/configmaps";

/** How a write is sent, and the status codes that say that it is stored. */
const kinds = {
    one: (value: string) => ({
        ...{ method: "PATCH", path: `${folder}/writer`, type: "application/merge-patch+json", stored: [200] },
        body: { data: { value } },
    }),
    // 409: an attempt without an answer has stored it.
    each: (value: string) => ({
        ...{ method: "POST", path: folder, type: "application/json", stored: [201, 409] },
        body: { metadata: { name: `written-${value}`, labels: { "written-by": "writer" } } },
    }),
};
const kind = mode === "each" ? kinds.each : kinds.one;

/** Undefined: it was written; otherwise the reason why not. */
function write(server: string, value: string): Promise<string | undefined> {
    return new Promise(resolve => {
        const { method, path, type, stored, body } = kind(value);
        const options = { ...access, headers: { "content-type": type }, method, agent: false };
        const request = https.request(`${server}${path}`, { ...options, timeout: answerMilliseconds }, response => {
            response.resume();
            const isStored = stored.includes(response.statusCode ?? 0);
            response.on("end", () => resolve(isStored ? undefined : `HTTP ${response.statusCode}`));
            response.on("error", error => resolve(error.message));
        });
        const late = setTimeout(() => request.destroy(new Error("no answer in time")), answerMilliseconds);
        request.on("error", error => resolve(error.message));
        request.on("close", () => clearTimeout(late));
        request.end(JSON.stringify(body));
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
        process.stdout.write(`${JSON.stringify({ at: Date.now(), count, by, problems })}\n`);
        await new Promise(resolve => setTimeout(resolve, pauseMilliseconds));
    }
}

void main();
