import { request as httpsRequest } from "node:https";
import { NfvError } from "../errors";
import { answerTo, type HttpAnswer, isTlsError, whyNoAnswer } from "../http-answer";
import { httpsAgent } from "../proxy";

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
    const cause = `${origin}: ${whyNoAnswer(error, url)}`;
    return isTlsError(error)
        ? new NfvError({
              code: "API_UNREACHABLE",
              cause,
              hint: "The server's certificate does not fit the authority given, or its name. Check caCertificate and endpoint.",
          })
        : new NotYet({ code: "API_UNREACHABLE", cause });
}

/** Retries while the work fails with NotYet, until the time is up. */
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
