import * as http from "node:http";
import * as https from "node:https";
import { NfvError } from "../common/errors";
import { answerTo, type HttpAnswer, isTlsError, whyNoAnswer } from "../common/http-answer";
import { httpOptions, httpsAgent } from "../common/proxy";
import { systemAuthorities } from "../common/system-authorities";

export interface HttpRequest {
    method: string;
    url: string;
    headers?: Record<string, string>;
    body?: unknown;
}

export interface Patience {
    /** Timeout of one attempt. @default 20 */
    timeoutSeconds?: number;
    /** @default 4 */
    attempts?: number;
    /** Pause before the second attempt; it doubles before each further one. @default 0.3 */
    pauseSeconds?: number;
}

/** The request did not reach the server, so repeating it is safe. */
const notReached = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;
const busy = new Set([429, 503]);
const largestAnswer = 64 * 1024 * 1024;
const longestPauseSeconds = 5;

const kept = { keepAlive: true, maxSockets: 16 };

/** Kept-open connections to one API. */
export class Http {
    private readonly plain = new http.Agent(kept);
    /** By origin: one may be behind a proxy, and another one not. */
    private readonly secure = new Map<string, https.Agent>();
    private readonly trust: https.AgentOptions;
    private readonly patience: Required<Patience>;

    constructor(trust: { ca?: string; insecure?: boolean }, patience: Patience = {}) {
        this.trust = { ca: trust.ca ?? systemAuthorities(), rejectUnauthorized: trust.insecure !== true };
        this.patience = { timeoutSeconds: 20, attempts: 4, pauseSeconds: 0.3, ...patience };
    }

    /**
     * Retries if that is safe: any request that did not reach the server or that it refused as too busy; reads also
     * after other errors.
     */
    async send(request: HttpRequest): Promise<HttpAnswer> {
        const { attempts, pauseSeconds } = this.patience;
        const repeatable = ["GET", "HEAD", "DELETE"].includes(request.method) || request.url.endsWith("/auth/tokens");
        for (let attempt = 1; ; attempt++) {
            const last = attempt >= attempts;
            let pause = pauseSeconds * 2 ** (attempt - 1);
            try {
                const answer = await this.once(request);
                if (last || !(busy.has(answer.status) || (repeatable && answer.status >= 500))) return answer;
                pause = Math.max(pause, Number(answer.headers["retry-after"]) || 0);
            } catch (error) {
                const fault = error as NodeJS.ErrnoException;
                const again = !isTlsError(fault) && (repeatable || notReached.test(fault.code ?? ""));
                if (last || !again) throw unreachable(request.url, fault, attempt);
            }
            await new Promise(resolve => setTimeout(resolve, Math.min(pause, longestPauseSeconds) * 1000));
        }
    }

    close(): void {
        for (const agent of [this.plain, ...this.secure.values()]) agent.destroy();
    }

    private secureAgent(origin: string): https.Agent {
        const agent = this.secure.get(origin) ?? httpsAgent(origin, { ...kept, ...this.trust });
        this.secure.set(origin, agent);
        return agent;
    }

    private once({ method, url, headers, body }: HttpRequest): Promise<HttpAnswer> {
        const { protocol, origin } = new URL(url);
        const isSecure = protocol === "https:";
        const way = isSecure ? { agent: this.secureAgent(origin) } : { agent: this.plain, ...httpOptions(url) };
        const payload = body === undefined ? undefined : JSON.stringify(body);
        const request = (isSecure ? https.request : http.request)(url, {
            method,
            ...way,
            headers: {
                ...(way as http.RequestOptions).headers,
                accept: "application/json",
                ...(payload !== undefined && {
                    "content-type": "application/json",
                    "content-length": Buffer.byteLength(payload),
                }),
                ...headers,
            },
            signal: AbortSignal.timeout(this.patience.timeoutSeconds * 1000),
        });
        const answer = answerTo(request, largestAnswer);
        request.end(payload);
        return answer;
    }
}

function unreachable(url: string, error: NodeJS.ErrnoException, attempts: number): NfvError {
    const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
    return new NfvError({
        code: "CLOUD_UNREACHABLE",
        cause: `${new URL(url).origin}: ${whyNoAnswer(error, url)}${tries}`,
        hint: isTlsError(error)
            ? "The certificate does not fit. Give the cloud's authority: cacert in clouds.yaml, OS_CACERT, or caFile."
            : undefined,
    });
}
