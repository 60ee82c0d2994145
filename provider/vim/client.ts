import { request as httpsRequest } from "node:https";
import { rootCertificates } from "node:tls";
import { NfvError } from "../errors";

export interface HttpOptions {
    method?: string;
    url: string;
    /** PEM. Default: the authorities of the system. */
    ca?: string;
    /** The server's certificate is not verified. */
    insecure?: boolean;
    /** PEM. */
    cert?: string;
    key?: string;
    headers?: Record<string, string>;
    body?: string;
    /** @default 10 */
    timeoutSeconds?: number;
}

export interface HttpAnswer {
    status: number;
    text: string;
}

/** An API that may answer a moment later: refused connections, overload, restarts. */
export class NotYet extends NfvError {}

/** Certificates that do not fit do not become better by waiting. */
const tlsErrors = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|SSL|EPROTO/;

const largestAnswer = 16 * 1024 * 1024;

/** One request over TLS. @throws API_UNREACHABLE */
export function send(options: HttpOptions): Promise<HttpAnswer> {
    const { method = "GET", url, ca, insecure, cert, key, headers = {}, body, timeoutSeconds = 10 } = options;
    return new Promise((resolve, reject) => {
        const fail = (error: NodeJS.ErrnoException) => reject(unreachable(url, error));
        const request = httpsRequest(
            url,
            {
                method,
                ca: ca ?? [...rootCertificates],
                rejectUnauthorized: insecure !== true,
                cert,
                key,
                agent: false,
                headers: { ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) },
                timeout: timeoutSeconds * 1000,
                signal: AbortSignal.timeout(timeoutSeconds * 1000),
            },
            response => {
                const chunks: Buffer[] = [];
                let size = 0;
                response.on("data", (chunk: Buffer) => {
                    size += chunk.length;
                    if (size > largestAnswer) request.destroy(new Error("the answer is too large"));
                    else chunks.push(chunk);
                });
                response.on("end", () =>
                    resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
                );
                response.on("error", fail);
            },
        );
        request.on("error", fail);
        request.end(body);
    });
}

function unreachable(url: string, error: NodeJS.ErrnoException): NfvError {
    const { origin } = new URL(url);
    const timedOut = error.name === "AbortError" || error.name === "TimeoutError" || error.code === "ABORT_ERR";
    const cause = `${origin}: ${timedOut ? "no answer in time" : error.message}`;
    return tlsErrors.test(error.code ?? "")
        ? new NfvError({
              code: "API_UNREACHABLE",
              cause,
              hint: "The server's certificate does not fit the authority given, or its name. Check caCertificate and endpoint.",
          })
        : new NotYet({ code: "API_UNREACHABLE", cause });
}

/** Repeats what fails with NotYet until the time is up. */
export async function settle<T>(seconds: number, work: () => Promise<T>): Promise<T> {
    const end = Date.now() + seconds * 1000;
    for (let pause = 200; ; pause = Math.min(pause * 2, 3000)) {
        try {
            return await work();
        } catch (error) {
            if (!(error instanceof NotYet) || Date.now() + pause > end) throw error;
            await new Promise(resolve => setTimeout(resolve, pause));
        }
    }
}
