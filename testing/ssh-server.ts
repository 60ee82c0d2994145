import { timingSafeEqual } from "node:crypto";
import { createServer, type Socket, type Server as TcpServer, connect as tcpConnect } from "node:net";
import type { Duplex, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuthContext, ParsedKey, Connection as ServerConnection } from "ssh2";
import { Server, utils } from "ssh2";
import type { FakeBehaviour } from "./types";

/** The channel of a command. It hides ssh2's types, so that users of this package need not install them. */
export interface CommandChannel extends Duplex {
    readonly stderr: Writable;
    /** Tells the client how the command ended: an exit code, or the name of a signal ("KILL"). */
    exit(end: number | string): void;
}

export interface ServerEvents {
    exec(user: string, line: string, channel: CommandChannel): void;
    connected(): void;
}

/** The SSH server of a fake node: a real one on 127.0.0.1 that tests can cut, freeze, silence and give another key. */
export class SshServer {
    private readonly sockets = new Set<Socket>();
    private tcp?: TcpServer;
    private ssh: Server;
    private chosenPort: number;
    private readonly clientKeys: ParsedKey[];

    constructor(
        private readonly behaviour: FakeBehaviour,
        /** Accepted keys, private or public, OpenSSH form. */
        authorizedKeys: string[],
        private hostKeys: string[],
        private readonly events: ServerEvents,
    ) {
        this.chosenPort = behaviour.listen?.port ?? 0;
        this.clientKeys = authorizedKeys.map(text => utils.parseKey(text) as ParsedKey);
        this.ssh = this.newServer();
    }

    get host(): string {
        return this.behaviour.listen?.host ?? "127.0.0.1";
    }

    get port(): number {
        return this.chosenPort;
    }

    /** Public host keys in the order in which they were given. */
    get publicHostKeys(): string[] {
        return this.hostKeys.map(text => publicText(utils.parseKey(text) as ParsedKey));
    }

    async listen(): Promise<void> {
        const tcp = createServer({ noDelay: true }, socket => {
            this.sockets.add(socket);
            socket.on("close", () => this.sockets.delete(socket));
            socket.on("error", () => {});
            this.ssh.injectSocket(socket);
        });
        this.chosenPort = await listenOn(tcp, this.chosenPort, this.host);
        this.tcp = tcp;
    }

    /** Stops listening: new connections are refused, existing ones go on. */
    async refuse(): Promise<void> {
        this.tcp?.close();
        this.tcp = undefined;
    }

    /** Drops all connections. */
    cut(): void {
        for (const socket of this.sockets) {
            socket.destroy();
        }
    }

    /** Like a pulled cable: reads no more input until `thaw`. */
    freeze(): void {
        for (const socket of this.sockets) {
            socket.pause();
        }
    }

    thaw(): void {
        for (const socket of this.sockets) {
            socket.resume();
        }
    }

    setHostKeys(keys: string[]): void {
        this.hostKeys = keys;
        this.ssh = this.newServer();
        this.cut();
    }

    async stop(): Promise<void> {
        await this.refuse();
        this.cut();
    }

    private newServer(): Server {
        return new Server({ hostKeys: this.hostKeys }, client => this.serve(client));
    }

    private serve(client: ServerConnection): void {
        let user = "";
        let sessions = 0;
        client.on("error", () => {});
        client.on("authentication", context => {
            user = context.username;
            this.authenticate(context);
        });
        client.on("ready", () => this.events.connected());
        client.on("session", (accept, reject) => {
            if (sessions >= (this.behaviour.maxSessions ?? 10)) {
                reject();
                return;
            }
            sessions++;
            const session = accept();
            session.on("close", () => sessions--);
            session.on("exec", (acceptExec, _reject, { command }) => {
                const channel = acceptExec();
                channel.on("error", () => {});
                session.on("signal", (acceptSignal, _rejectSignal, { name }) => {
                    acceptSignal?.();
                    channel.emit("signal", name);
                });
                this.events.exec(user, command, channel as unknown as CommandChannel);
            });
        });
        client.on("tcpip", (accept, reject, { destIP, destPort }) => {
            if (this.behaviour.forwarding === false) {
                reject();
                return;
            }
            const { forwarding } = this.behaviour;
            const inside = typeof forwarding === "object" ? forwarding[`${destIP}:${destPort}`] : undefined;
            const socket = inside === undefined ? tcpConnect(destPort, destIP) : tcpConnect(inside, "127.0.0.1");
            socket.once("error", () => reject());
            socket.once("connect", () => {
                const channel = accept();
                channel.on("error", () => socket.destroy());
                socket.on("error", () => channel.destroy());
                channel.pipe(socket).pipe(channel);
            });
        });
    }

    private authenticate(context: AuthContext): void {
        const { users, password, onlyKeyboardInteractive } = this.behaviour;
        const allowed = ["publickey"];
        if (password !== undefined) {
            allowed.push("keyboard-interactive", ...(onlyKeyboardInteractive ? [] : ["password"]));
        }
        const refuse = () => context.reject(allowed as never);
        if (users !== undefined && !users.includes(context.username)) {
            refuse();
        } else if (context.method === "publickey") {
            const { algo, data } = context.key;
            const key = this.clientKeys.find(each => same(each.getPublicSSH(), data));
            const proven =
                context.signature === undefined ||
                key?.verify(context.blob!, context.signature, context.hashAlgo) === true;
            if (key !== undefined && algo !== "" && proven) {
                context.accept();
            } else {
                refuse();
            }
        } else if (context.method === "password" && allowed.includes("password") && context.password === password) {
            context.accept();
        } else if (context.method === "keyboard-interactive" && password !== undefined) {
            context.prompt([{ prompt: "Password: ", echo: false }], answers =>
                answers[0] === password ? context.accept() : refuse(),
            );
        } else {
            refuse();
        }
    }
}

function same(a: Buffer, b: Buffer): boolean {
    return a.length === b.length && timingSafeEqual(a, b);
}

function publicText(key: ParsedKey): string {
    return `${key.type} ${key.getPublicSSH().toString("base64")}`;
}

/** Ports that servers of this process had: a run remembers host keys by port, and a kernel gives a free port again. */
const usedPorts = new Set<number>();

/** `port`: 0 takes one that no server of this process had. */
async function listenOn(tcp: TcpServer, port: number, host: string): Promise<number> {
    // While nothing listened, the kernel may have given the port to somebody's connection for a moment.
    for (const end = Date.now() + 20_000; ; await sleep(200)) {
        const failed = await tryListen(tcp, port, host);
        if (failed === undefined) break;
        if (failed.code !== "EADDRINUSE" || Date.now() > end) throw failed;
    }
    const given = (tcp.address() as { port: number }).port;
    if (port === 0 && usedPorts.has(given)) {
        await new Promise(resolve => tcp.close(resolve));
        return listenOn(tcp, 0, host);
    }
    usedPorts.add(given);
    return given;
}

/** The error; undefined: it listens. */
function tryListen(tcp: TcpServer, port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
    return new Promise(resolve => {
        tcp.once("error", resolve);
        tcp.listen(port, host, () => {
            tcp.off("error", resolve);
            resolve(undefined);
        });
    });
}
