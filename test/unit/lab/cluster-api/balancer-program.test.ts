import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { extname, join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { createAuthority } from "../../../../provider/identity/certificates";
import { serverCertificate } from "../../../support/server-certificate";

const program = join(__dirname, `../../../../lab/cluster-api/balancer-program${extname(__filename)}`);
const [front, first, second] = ["127.0.7.9", "127.0.7.10", "127.0.7.11"];

describe("the load balancer of a workload cluster", () => {
    let child: ChildProcess;
    const servers: Server[] = [];
    const dead = new Set<string>();

    /** An API server that says who it is; a dead one answers nothing, and keeps its connections. */
    async function serve(address: string): Promise<void> {
        const { certificate: cert, key } = await serverCertificate(await createAuthority("test", 1), address);
        const server = createServer({ cert, key }, (_, answer) => {
            if (!dead.has(address)) answer.end(address);
        });
        server.keepAliveTimeout = 0;
        servers.push(server.listen(6443, address));
        await once(server, "listening");
    }

    before(async () => {
        await Promise.all([first, second].map(serve));
        child = spawn(process.execPath, ["--require", "tsx/cjs", program], { stdio: ["pipe", "ignore", "inherit"] });
        child.stdin!.write(`${JSON.stringify({ [front]: [first, second] })}\n`);
    });
    after(() => {
        child?.kill();
        for (const server of servers) server.close().closeAllConnections();
    });

    /** A client that is connected, and the server that it has. */
    async function client(): Promise<{ socket: TLSSocket; server: string }> {
        for (;;) {
            const socket = connect({ host: front, port: 6443, rejectUnauthorized: false });
            socket.on("error", () => {});
            socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            const text = await Promise.race([once(socket, "data").then(String), once(socket, "close")]).catch(() => "");
            const server = /127\.0\.7\.1[01]/.exec(String(text))?.[0];
            if (server !== undefined) return { socket, server };
            await new Promise(resolve => setTimeout(resolve, 200));
        }
    }

    it("leads clients of a node that is dead to another one, also those that wait in silence", async () => {
        const before = await client();
        assert.equal(before.server, first);
        // Idle for longer than any time-out of a connection.
        await new Promise(resolve => setTimeout(resolve, 6000));
        assert.equal(before.socket.destroyed, false);
        const closed = once(before.socket, "close");
        dead.add(first);
        await closed;
        const after = await client();
        assert.equal(after.server, second);
        after.socket.destroy();
    });
});
