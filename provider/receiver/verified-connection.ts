import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { proxyFor, tunnel } from "../common/proxy";
import { systemAuthorities } from "../common/system-authorities";

/**
 * Connects to the server of a URL. It resolves when the server's certificate has been verified: nothing can be written before that.
 * `ca`: PEM. @default the system's authorities
 */
export async function verifiedConnection(url: URL, ca: string | undefined, signal: AbortSignal): Promise<TLSSocket> {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = Number(url.port || 443);
    const proxy = proxyFor(url);
    const through = proxy && { socket: await tunnel(proxy, host, port, signal) };
    return new Promise((resolve, reject) => {
        const socket = connect({
            host,
            port,
            ...through,
            ca: ca ?? systemAuthorities(),
            rejectUnauthorized: true,
            minVersion: "TLSv1.2",
            // TLS has no server names that are addresses.
            ...(isIP(host) === 0 && { servername: host }),
        });
        const stop = () => socket.destroy(signal.reason as Error);
        signal.addEventListener("abort", stop, { once: true });
        const settled = () => signal.removeEventListener("abort", stop);
        socket.once("error", error => {
            settled();
            reject(error);
        });
        socket.once("secureConnect", () => {
            settled();
            resolve(socket);
        });
        if (signal.aborted) stop();
    });
}
