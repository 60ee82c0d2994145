import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A real HTTP proxy on 127.0.0.1, behind which each name and address is this machine. */
export class HttpProxy {
    /** "CONNECT cloud.test:443", "GET http://cloud.test/". */
    readonly asked: string[] = [];
    readonly logins: (string | undefined)[] = [];
    /** Status of all answers; 200: it does what it is asked for. */
    status = 200;
    private readonly sockets = new Set<Socket>();

    private constructor(private readonly server: Server) {}

    /** `port`: where each server behind it listens. */
    static async start(port: () => number): Promise<HttpProxy> {
        const server = createServer();
        const proxy = new HttpProxy(server);
        const note = ({ method, url, headers }: IncomingMessage) => {
            proxy.asked.push(`${method} ${url}`);
            proxy.logins.push(headers["proxy-authorization"]);
        };
        server.on("connect", (asked, socket: Socket) => {
            note(asked);
            proxy.sockets.add(socket);
            socket.on("error", () => {});
            if (proxy.status !== 200) return void socket.end(`HTTP/1.1 ${proxy.status} no\r\n\r\n`);
            const behind = connect(port(), "127.0.0.1", () => {
                socket.write("HTTP/1.1 200 yes\r\n\r\n");
                socket.pipe(behind).pipe(socket);
            });
            behind.on("error", () => socket.destroy());
        });
        server.on("request", (asked, answer) => {
            note(asked);
            const { pathname, search } = new URL(asked.url!);
            const { method, headers } = asked;
            const sent = request({ host: "127.0.0.1", port: port(), path: pathname + search, method, headers }, got => {
                answer.writeHead(got.statusCode!, got.headers);
                got.pipe(answer);
            });
            asked.pipe(sent);
        });
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        return proxy;
    }

    get url(): string {
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    async stop(): Promise<void> {
        for (const socket of this.sockets) socket.destroy();
        this.server.closeAllConnections();
        await new Promise(resolve => this.server.close(resolve));
    }
}
