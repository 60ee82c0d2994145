import { existsSync, readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { rootCertificates } from "node:tls";
import { NfvError } from "../errors";

export interface HttpRequest {
    method: string;
    url: string;
    headers?: Record<string, string>;
    body?: unknown;
}

export interface HttpAnswer {
    status: number;
    headers: http.IncomingHttpHeaders;
    text: string;
}

export interface Patience {
    /** Of one attempt. @default 20 */
    timeoutSeconds?: number;
    /** @default 4 */
    attempts?: number;
    /** Pause before the second attempt, doubled from then on. @default 0.3 */
    pauseSeconds?: number;
}

/** Certificates that do not fit do not become better by waiting. */
const tlsErrors = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|SSL|EPROTO/;
/** The server did not get the request: repeating it is safe whatever it was. */
const notReached = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;
const busy = new Set([429, 503]);
const largestAnswer = 64 * 1024 * 1024;
const longestPauseSeconds = 5;

/** One API's worth of connections, kept open between requests. */
export class Http {
    private readonly agents: { "http:": http.Agent; "https:": https.Agent };
    private readonly patience: Required<Patience>;

    constructor(trust: { ca?: string; insecure?: boolean }, patience: Patience = {}) {
        const kept = { keepAlive: true, maxSockets: 16 };
        this.agents = {
            "http:": new http.Agent(kept),
            "https:": new https.Agent({
                ...kept,
                ca: trust.ca ?? systemAuthorities(),
                rejectUnauthorized: trust.insecure !== true,
            }),
        };
        this.patience = { timeoutSeconds: 20, attempts: 4, pauseSeconds: 0.3, ...patience };
    }

    /** Repeats what may be repeated: anything that did not reach the server or was put off by it, reads also after other faults. */
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
                const code = (error as NodeJS.ErrnoException).code ?? "";
                const again = !tlsErrors.test(code) && (repeatable || notReached.test(code));
                if (last || !again) throw unreachable(request.url, error as NodeJS.ErrnoException, attempt);
            }
            await new Promise(resolve => setTimeout(resolve, Math.min(pause, longestPauseSeconds) * 1000));
        }
    }

    close(): void {
        for (const agent of Object.values(this.agents)) agent.destroy();
    }

    private once({ method, url, headers, body }: HttpRequest): Promise<HttpAnswer> {
        const { protocol } = new URL(url);
        const send = protocol === "https:" ? https.request : http.request;
        const payload = body === undefined ? undefined : JSON.stringify(body);
        return new Promise((resolve, reject) => {
            const request = send(
                url,
                {
                    method,
                    agent: this.agents[protocol as "http:" | "https:"],
                    headers: {
                        accept: "application/json",
                        ...(payload !== undefined && {
                            "content-type": "application/json",
                            "content-length": Buffer.byteLength(payload),
                        }),
                        ...headers,
                    },
                    signal: AbortSignal.timeout(this.patience.timeoutSeconds * 1000),
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
                        resolve({
                            status: response.statusCode ?? 0,
                            headers: response.headers,
                            text: Buffer.concat(chunks).toString(),
                        }),
                    );
                    response.on("error", reject);
                },
            );
            request.on("error", reject);
            request.end(payload);
        });
    }
}

function unreachable(url: string, error: NodeJS.ErrnoException, attempts: number): NfvError {
    const timedOut = error.name === "AbortError" || error.name === "TimeoutError" || error.code === "ABORT_ERR";
    const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
    return new NfvError({
        code: "CLOUD_UNREACHABLE",
        cause: `${new URL(url).origin}: ${timedOut ? "no answer in time" : error.message || error.code}${tries}`,
        hint: tlsErrors.test(error.code ?? "")
            ? "The certificate does not fit. Give the cloud's authority: cacert in clouds.yaml, OS_CACERT, or caFile."
            : undefined,
    });
}

let authorities: string[] | undefined;

/** Node brings its own list; the system's, where a company's authority is installed, counts too, as for the OpenStack plugin. */
function systemAuthorities(): string[] {
    authorities ??= [
        ...rootCertificates,
        ...[process.env.SSL_CERT_FILE ?? "", "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
            .filter(path => path !== "" && existsSync(path))
            .slice(0, 1)
            .map(path => readFileSync(path, "utf8")),
    ];
    return authorities;
}
