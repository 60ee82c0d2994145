import { connect } from "node:net";

const known = new Map<string, Promise<string | undefined>>();

/**
 * Undefined if a server can be reached, else the reason. Each server is tried once per process, for 3 s at most, so a closed network
 * costs little time.
 */
export function unreachable(url: URL, timeoutSeconds = 3): Promise<string | undefined> {
    const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
    const key = `${url.hostname}:${port}`;
    const attempt = known.get(key) ?? probe(url.hostname, port, timeoutSeconds);
    known.set(key, attempt);
    return attempt;
}

function probe(host: string, port: number, timeoutSeconds: number): Promise<string | undefined> {
    return new Promise(resolve => {
        const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port });
        const end = (reason?: string) => {
            clearTimeout(timer);
            socket.destroy();
            resolve(reason && `${host}:${port} cannot be reached: ${reason}`);
        };
        // The socket's own time-out does not cover a name server that does not answer.
        const timer = setTimeout(() => end(`no answer in ${timeoutSeconds} s`), timeoutSeconds * 1000);
        socket.once("connect", () => end());
        socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    });
}

/** For tests: forgets all results. */
export function forgetServers(): void {
    known.clear();
}
