import type { IncomingHttpHeaders } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../provider/identity/certificates";
import { serverCertificate } from "./server-certificate";

interface Received {
    path: string;
    headers: IncomingHttpHeaders;
    body: any;
}

type Answer = { status: number; text?: string; headers?: Record<string, string> } | "silent";

/** A web server on 127.0.0.1 with TLS and an authority of its own, which gets credentials of workload clusters. */
export class Receiver {
    readonly received: Received[] = [];
    /** Next answers; 204 when there is none. */
    answers: Answer[] = [];
    /** Called when a request has arrived that gets no answer. */
    onSilence: () => void = () => {};
    /** Bytes of clients after TLS was set up. */
    bytes = 0;
    authority = "";
    private port = 0;
    private options: { cert: string; key: string } = { cert: "", key: "" };
    private server: Server | undefined;

    static async start(): Promise<Receiver> {
        const receiver = new Receiver();
        const authority = await createAuthority("receiver", 1);
        const { certificate: cert, key } = await serverCertificate(authority);
        receiver.authority = authority.certificate;
        receiver.options = { cert, key };
        await receiver.open();
        return receiver;
    }

    get url(): string {
        return `https://127.0.0.1:${this.port}/credentials`;
    }

    /** Listens again, at the same port. */
    async open(): Promise<void> {
        const server = createServer(this.options, (request, response) => {
            const chunks: Buffer[] = [];
            request.on("data", (chunk: Buffer) => chunks.push(chunk));
            request.on("end", () => {
                const body = JSON.parse(Buffer.concat(chunks).toString());
                this.received.push({ path: request.url ?? "", headers: request.headers, body });
                const answer = this.answers.shift() ?? { status: 204 };
                if (answer === "silent") return this.onSilence();
                response.writeHead(answer.status, answer.headers).end(answer.text);
            });
        });
        server.on("secureConnection", socket => socket.on("data", (chunk: Buffer) => (this.bytes += chunk.length)));
        this.server = server;
        await new Promise<void>(resolve => server.listen(this.port, "127.0.0.1", resolve));
        this.port = (server.address() as AddressInfo).port;
    }

    async close(): Promise<void> {
        const { server } = this;
        this.server = undefined;
        server?.closeAllConnections();
        await new Promise<void>(resolve => (server === undefined ? resolve() : server.close(() => resolve())));
    }
}
