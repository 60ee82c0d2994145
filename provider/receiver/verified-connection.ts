import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { systemAuthorities } from "../system-authorities";

/**
 * Connects to the server of a URL. It resolves when the server's certificate has been verified: nothing can be written before that.
 * `ca`: PEM. @default the system's authorities
 */
export function verifiedConnection(url: URL, ca: string | undefined, signal: AbortSignal): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
        const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
        const socket = connect({
            host,
            port: Number(url.port || 443),
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
