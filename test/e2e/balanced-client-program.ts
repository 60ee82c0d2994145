import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";

/**
 * Asks a NodePort ten times a second, each time through a new connection, and prints a line of JSON for each request. Like a cloud's load balancer it
 * asks workers that are Ready and not cordoned, and it learns from the API which these are.
 */

const [, , kubeconfig, port] = process.argv;
const { clusters, users } = parse(readFileSync(kubeconfig!, "utf8"));
const text = (data: string) => Buffer.from(data, "base64").toString();
const access = {
    ca: text(clusters[0].cluster["certificate-authority-data"]),
    cert: text(users[0].user["client-certificate-data"]),
    key: text(users[0].user["client-key-data"]),
};
let targets: string[] = [];

interface Node {
    metadata: { labels: Record<string, string> };
    spec: { unschedulable?: boolean };
    status: { addresses: Record<"type" | "address", string>[]; conditions: Record<"type" | "status", string>[] };
}

const takesRequests = ({ metadata, spec, status }: Node) =>
    !("node.kubernetes.io/exclude-from-external-load-balancers" in metadata.labels) &&
    spec.unschedulable !== true &&
    status.conditions.some(({ type, status: said }) => type === "Ready" && said === "True");

function ask(module: typeof http | typeof https, url: string, options = {}): Promise<string> {
    return new Promise((resolve, reject) => {
        const request = module.get(url, { ...options, agent: false, timeout: 2000 }, answer => {
            let body = "";
            answer.setEncoding("utf8").on("data", part => (body += part));
            answer.on("end", () =>
                answer.statusCode === 200 ? resolve(body) : reject(new Error(`HTTP ${answer.statusCode}`)),
            );
            answer.on("error", reject);
        });
        request.on("timeout", () => request.destroy(new Error("no answer in time")));
        request.on("error", reject);
    });
}

async function learn(): Promise<void> {
    for (;;) {
        const list = await ask(https, `${clusters[0].cluster.server}/api/v1/nodes`, access).catch(() => undefined);
        // While the API does not answer, the former targets stay.
        if (list !== undefined)
            targets = (JSON.parse(list).items as Node[])
                .filter(takesRequests)
                .map(({ status }) => status.addresses.find(({ type }) => type === "InternalIP")!.address);
        await sleep(500);
    }
}

async function main(): Promise<void> {
    void learn();
    for (let i = 0; ; i++) {
        const target = targets[i % targets.length];
        if (target !== undefined) {
            const failure = await ask(http, `http://${target}:${port}/`).then(
                () => "",
                (error: Error) => error.message,
            );
            process.stdout.write(`${JSON.stringify({ target, failure })}\n`);
        }
        await sleep(100);
    }
}

void main();
