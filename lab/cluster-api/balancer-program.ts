/**
 * A load balancer for the APIs of workload clusters, as a cloud has one. Runs in the lab's network. Each line of its input is
 * `{ "10.99.0.251": ["10.99.0.101"] }`: where it listens, and control-plane nodes behind that.
 */
import { get } from "node:https";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

const port = 6443;
let fronts: Record<string, string[]> = {};
const servers = new Map<string, Server>();
let ready = new Set<string>();
/** Connections by backend. */
const open = new Map<string, Set<Socket>>();

function isReady(address: string): Promise<boolean> {
    return new Promise(resolve => {
        // Which authority signed is of no interest: clients check it.
        const asked = get({
            host: address,
            port,
            path: "/readyz",
            rejectUnauthorized: false,
            timeout: 2000,
            agent: false,
        });
        asked.on("response", answer => {
            answer.resume();
            resolve(answer.statusCode === 200);
        });
        asked.on("timeout", () => asked.destroy(new Error("late")));
        asked.on("error", () => resolve(false));
    });
}

function pass(client: Socket, backends: readonly string[]): void {
    const [first] = backends.filter(each => ready.has(each)).concat(backends);
    if (first === undefined) return void client.destroy();
    const server = connect(port, first);
    const others = open.get(first) ?? new Set();
    open.set(first, others.add(server));
    server.on("close", () => others.delete(server));
    client.pipe(server).pipe(client);
    for (const [one, other] of [
        [client, server],
        [server, client],
    ] as const) {
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
    }
}

function listen(address: string): Server {
    const server = createServer(client => pass(client, fronts[address] ?? []));
    server.on("error", error => console.error(`${address}: ${error.message}`));
    return server.listen(port, address);
}

createInterface({ input: process.stdin })
    .on("line", line => {
        fronts = JSON.parse(line);
        for (const address of Object.keys(fronts)) {
            if (!servers.has(address)) servers.set(address, listen(address));
        }
        for (const [address, server] of servers) {
            if (address in fronts) continue;
            server.close();
            servers.delete(address);
        }
    })
    .on("close", () => process.exit(0));

setInterval(async () => {
    const all = [...new Set(Object.values(fronts).flat())];
    const answers = await Promise.all(all.map(isReady));
    ready = new Set(all.filter((_, i) => answers[i]));
    // A node whose plug was pulled answers nothing, not even a refusal: its clients begin again with another one.
    for (const backends of Object.values(fronts)) {
        if (!backends.some(each => ready.has(each))) continue;
        for (const gone of backends.filter(each => !ready.has(each))) {
            for (const socket of open.get(gone) ?? []) socket.destroy();
        }
    }
}, 1000);
