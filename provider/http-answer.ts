import type { ClientRequest, IncomingHttpHeaders } from "node:http";

export interface HttpAnswer {
    status: number;
    headers: IncomingHttpHeaders;
    text: string;
}

/** What comes back for a request; to be called before it is sent off. Rejects when it cannot be sent, breaks off or grows too large. */
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

/** Certificates that do not fit do not become better by waiting. */
export function isTlsError({ code = "" }: NodeJS.ErrnoException): boolean {
    return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS|SSL|EPROTO/.test(code);
}

/** What a person is told of a request without an answer. */
export function whyNoAnswer(error: NodeJS.ErrnoException): string {
    const timedOut = error.name === "AbortError" || error.name === "TimeoutError" || error.code === "ABORT_ERR";
    return timedOut ? "no answer in time" : error.message || (error.code ?? "");
}
