import type { ClientRequest, IncomingHttpHeaders } from "node:http";
import { proxyFor, shownProxy } from "./proxy";

export interface HttpAnswer {
    status: number;
    headers: IncomingHttpHeaders;
    text: string;
}

/**
 * Reads the response of a request; call it before sending the request. Rejects if the request fails, breaks off, or its
 * answer is too large.
 */
export function answerTo(request: ClientRequest, mostBytes: number): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
        request.on("error", reject);
        request.on("response", response => {
            const chunks: Buffer[] = [];
            let size = 0;
            response.on("data", (chunk: Buffer) => {
                size += chunk.length;
                if (size > mostBytes) request.destroy(new Error("the answer is too large"));
                else chunks.push(chunk);
            });
            response.on("error", reject);
            response.on("end", () => {
                const { statusCode = 0, headers } = response;
                resolve({ status: statusCode, headers, text: Buffer.concat(chunks).toString() });
            });
        });
    });
}

/** A wrong certificate stays wrong, so such errors are not retried. */
export function isTlsError({ code = "" }: NodeJS.ErrnoException): boolean {
    return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|SSL|EPROTO/.test(code);
}

/** Describes, for a person, why a request had no answer. `url`: of the request, which may have gone through a proxy. */
export function whyNoAnswer(error: NodeJS.ErrnoException, url?: string): string {
    const timedOut = error.name === "AbortError" || error.name === "TimeoutError" || error.code === "ABORT_ERR";
    const why = timedOut ? "no answer in time" : error.message || (error.code ?? "");
    return url === undefined || /_PROXY/.test(why) ? why : why + throughProxy(url);
}

function throughProxy(url: string): string {
    try {
        const proxy = proxyFor(url);
        return proxy === undefined
            ? ""
            : `, through ${shownProxy(proxy)}; what is to be reached without it stands in NO_PROXY`;
    } catch (error) {
        return `; ${(error as Error).message}`;
    }
}
