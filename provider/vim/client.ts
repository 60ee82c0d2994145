import { request as httpsRequest } from "node:https";
import { NfvError } from "../common/errors";
import { answerTo, type HttpAnswer, isTlsError } from "../common/http-answer";
import { httpsAgent } from "../common/proxy";
import { whyUnreachable } from "./unreachable";

export interface HttpOptions {
    method?: string;
    url: string;
    /** PEM. @default the system's authorities */
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

/** An error that may go away soon: refused connections, overload, restarts. */
export class NotYet extends NfvError {}

/** No server has answered. */
export class NoAnswer extends NotYet {}

const largestAnswer = 16 * 1024 * 1024;

/** One request over TLS. @throws API_UNREACHABLE */
export async function send(options: HttpOptions): Promise<HttpAnswer> {
    const { method = "GET", url, ca, insecure, cert, key, headers = {}, body, timeoutSeconds = 10 } = options;
    try {
        const request = httpsRequest(url, {
            method,
            ca,
            rejectUnauthorized: insecure !== true,
            cert,
            key,
            agent: httpsAgent(url),
            headers: { ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) },
            timeout: timeoutSeconds * 1000,
            signal: AbortSignal.timeout(timeoutSeconds * 1000),
        });
        const answer = answerTo(request, largestAnswer);
        request.end(body);
        return await answer;
    } catch (error) {
        throw unreachable(url, error as NodeJS.ErrnoException);
    }
}

function unreachable(url: string, error: NodeJS.ErrnoException): NfvError {
    const { origin } = new URL(url);
    const { reason, hint } = whyUnreachable(error, url);
    const details = { code: "API_UNREACHABLE" as const, cause: `${origin}: ${reason}`, hint };
    return isTlsError(error) ? new NfvError(details) : new NoAnswer(details);
}

/** Retries while the work fails with NotYet, until the time is up; where nothing answers at all, for `silentSeconds`. */
export async function settle<T>(seconds: number, work: () => Promise<T>, silentSeconds = seconds): Promise<T> {
    const began = Date.now();
    for (let pause = 200; ; pause = Math.min(pause * 2, 3000)) {
        try {
            return await work();
        } catch (error) {
            if (!(error instanceof NotYet)) throw error;
            const patience = error instanceof NoAnswer ? Math.min(seconds, silentSeconds) : seconds;
            if (Date.now() + pause > began + patience * 1000) throw error;
            await new Promise(resolve => setTimeout(resolve, pause));
        }
    }
}
