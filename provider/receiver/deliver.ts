import { request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../common/errors";
import { answerTo, type HttpAnswer, isTlsError, whyNoAnswer } from "../common/http-answer";
import { mentions } from "./secret-words";
import { verifiedConnection } from "./verified-connection";

/** What is sent to a server of the user's. */
export interface Delivery {
    /** With https. */
    url: string;
    /** Bearer token. Secret. */
    token?: string;
    /** PEM certificate of the authority that signed the server's. @default the system's authorities */
    caCertificate?: string;
    /** The same for each attempt: the server recognizes what it has received already. */
    idempotencyKey: string;
    /** May contain secrets. */
    body: object;
    /** Secrets of the body: an answer that repeats one is not shown. */
    secrets: readonly string[];
    /** How long it is tried, in seconds. */
    timeoutSeconds: number;
}

export const deliveryPauses = { firstSeconds: 1, longestSeconds: 15, attemptSeconds: 20 };

/** A server that is busy, or still works on the first request with this key, answers otherwise later. */
const passing = new Set([408, 409, 425, 429]);
const largestAnswer = 1024 * 1024;
const shownLength = 500;

interface Failed {
    error: NfvError;
    again: boolean;
    /** What the server asks for, in seconds. */
    pause?: number;
}

/**
 * POSTs the body as JSON until the server has accepted it, or the time is over.
 * @throws RECEIVER_UNREACHABLE, RECEIVER_REFUSED; none contains a secret
 */
export async function deliver(delivery: Delivery, report: (text: string) => void, signal?: AbortSignal): Promise<void> {
    const end = Date.now() + delivery.timeoutSeconds * 1000;
    const { firstSeconds, longestSeconds } = deliveryPauses;
    for (let pause = firstSeconds; ; pause = Math.min(pause * 2, longestSeconds)) {
        const failed = await attempt(delivery, end, signal);
        if (failed === undefined) return;
        signal?.throwIfAborted();
        const seconds = Math.max(pause, failed.pause ?? 0);
        if (!failed.again || Date.now() + seconds * 1000 > end) throw failed.error;
        report(`${failed.error.reason}; next attempt in ${seconds} s`);
        await sleep(seconds * 1000, undefined, { signal });
    }
}

async function attempt(delivery: Delivery, end: number, stop?: AbortSignal): Promise<Failed | undefined> {
    const milliseconds = Math.min(deliveryPauses.attemptSeconds * 1000, Math.max(end - Date.now(), 1000));
    const timeout = AbortSignal.timeout(milliseconds);
    try {
        const answer = await post(delivery, stop ? AbortSignal.any([timeout, stop]) : timeout);
        return refusal(delivery, answer);
    } catch (error) {
        return unreachable(delivery, error as NodeJS.ErrnoException);
    }
}

async function post(delivery: Delivery, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(delivery.url);
    const socket = await verifiedConnection(url, delivery.caCertificate, signal);
    try {
        const payload = JSON.stringify(delivery.body);
        const request = httpsRequest(url, {
            method: "POST",
            createConnection: () => socket,
            headers: {
                "content-type": "application/json",
                "content-length": Buffer.byteLength(payload),
                "idempotency-key": delivery.idempotencyKey,
                accept: "application/json, text/plain",
                ...(delivery.token !== undefined && { authorization: `Bearer ${delivery.token}` }),
            },
            signal,
        });
        const answer = answerTo(request, largestAnswer);
        request.end(payload);
        return await answer;
    } finally {
        socket.destroy();
    }
}

/** URL without what may be secret in it. */
export const shownUrl = (url: string) => {
    const { origin, pathname } = new URL(url);
    return origin + pathname;
};

function refusal(delivery: Delivery, answer: HttpAnswer): Failed | undefined {
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return undefined;
    const again = status >= 500 || passing.has(status);
    const isRedirect = status >= 300 && status < 400;
    const pause = Number(headers["retry-after"]);
    return {
        again,
        ...(pause > 0 && { pause }),
        error: new NfvError({
            code: again ? "RECEIVER_UNREACHABLE" : "RECEIVER_REFUSED",
            cause: `${shownUrl(delivery.url)} answered ${status}${wordsOf(delivery, answer)}`,
            ...(isRedirect && {
                hint: "Redirects are not followed, as another server may get the credentials. Give the URL that it leads to.",
            }),
        }),
    };
}

/** The server's words, unless they repeat a secret. */
function wordsOf({ secrets, token }: Delivery, { text, headers }: HttpAnswer): string {
    const said = `${headers.location ?? ""} ${text}`;
    if (mentions(said, token === undefined ? secrets : [...secrets, token]))
        return ": its answer repeats a part of the credentials and is not shown";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they could change what a terminal shows
    const plain = said.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ").trim();
    return plain === "" ? "" : `: ${plain.slice(0, shownLength)}`;
}

function unreachable({ url, caCertificate }: Delivery, error: NodeJS.ErrnoException): Failed {
    const isTls = isTlsError(error);
    const authority = caCertificate === undefined ? "the system's authorities" : "the given authority";
    return {
        again: !isTls,
        error: new NfvError({
            code: "RECEIVER_UNREACHABLE",
            cause: `${shownUrl(url)}: ${whyNoAnswer(error, url)}`,
            ...(isTls && {
                hint: `Its certificate does not fit ${authority}, or its name. Check caCertificate and url.`,
            }),
        }),
    };
}
