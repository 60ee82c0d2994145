import * as fs from "node:fs";
import * as https from "node:https";
import * as path from "node:path";

/**
 * Asks etcd for its voters all the time, and whether each of them takes connections, and prints a line of JSON for each time.
 * Arguments: a folder with `ca.crt`, `client.crt`, `client.key`, and addresses of machines that may run etcd.
 */

const [, , folder, ...addresses] = process.argv;
const file = (name: string) => fs.readFileSync(path.join(folder!, name));
const access = { ca: file("ca.crt"), cert: file("client.crt"), key: file("client.key") };

const pauseMilliseconds = 300;
const answerMilliseconds = 1500;

interface Member {
    name?: string;
    isLearner?: boolean;
    clientURLs?: string[];
}

function ask(address: string, method: string, where: string, body?: object): Promise<string> {
    return new Promise((resolve, reject) => {
        const options = { ...access, method, agent: false };
        const request = https.request(`https://${address}:2379${where}`, options, response => {
            let said = "";
            response.on("data", data => (said += data));
            response.on("end", () =>
                response.statusCode === 200 ? resolve(said) : reject(new Error(`HTTP ${response.statusCode} ${said}`)),
            );
            response.on("error", reject);
        });
        const late = setTimeout(() => request.destroy(new Error("no answer in time")), answerMilliseconds);
        request.on("error", reject);
        request.on("close", () => clearTimeout(late));
        request.end(body && JSON.stringify(body));
    });
}

/** The voters: name → address. Only a leader with a majority answers, so what a removed member remembers does not count. */
async function voters(): Promise<Map<string, string>> {
    const problems: string[] = [];
    for (const address of addresses) {
        try {
            const said = await ask(address, "POST", "/v3/cluster/member/list", { linearizable: true });
            const { members = [] } = JSON.parse(said) as { members?: Member[] };
            const standing = members.filter(({ isLearner, clientURLs = [] }) => !isLearner && clientURLs.length > 0);
            return new Map(
                standing.map(({ name = "", clientURLs }) => [name, new URL(clientURLs![0]!).hostname] as const),
            );
        } catch (error) {
            problems.push(`${address}: ${(error as Error).message}`);
        }
    }
    throw new Error(problems.join("; "));
}

/** False: nothing listens there. One that is slow is there. */
const stands = (address: string) =>
    ask(address, "GET", "/version").then(
        () => true,
        error => (error as NodeJS.ErrnoException).code !== "ECONNREFUSED",
    );

async function look(): Promise<object> {
    const before = await voters();
    const standing = new Map(
        await Promise.all([...before].map(async ([name, at]) => [name, await stands(at)] as const)),
    );
    // One that left while we asked may have ended since.
    const after = await voters();
    const both = [...before.keys()].filter(name => after.has(name));
    return { voters: both, down: both.filter(name => !standing.get(name)) };
}

async function main(): Promise<void> {
    for (;;) {
        const seen = await look().catch(error => ({ problem: (error as Error).message }));
        process.stdout.write(`${JSON.stringify({ at: Date.now(), ...seen })}\n`);
        await new Promise(resolve => setTimeout(resolve, pauseMilliseconds));
    }
}

void main();
