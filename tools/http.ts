import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { proxyFor, shownProxy } from "../provider/common/proxy";
import { NotHere } from "./found";
import { megabytes, type Progress } from "./progress";

const answerSeconds = 30;
const stallSeconds = 60;

/** A small file as text. `isTrusted`: refuses the addresses, this one or one to which a server redirects, over which it may not come. */
export async function fetchText(url: URL, isTrusted: (url: URL) => boolean = () => true): Promise<string> {
    return (await accepted(url, await request(url, new AbortController(), isTrusted))).text();
}

/** Downloads a large file to `path`, with a line of progress every 10 s; gives up after a minute without data. */
export async function fetchFile(url: URL, path: string, progress: Progress): Promise<void> {
    const control = new AbortController();
    const response = await accepted(url, await request(url, control));
    const total = Number(response.headers.get("content-length")) || undefined;
    let received = 0;
    let lastLine = Date.now();
    let stall = setTimeout(() => control.abort(), stallSeconds * 1000);
    const count = new Transform({
        transform(chunk: Buffer, _encoding, done) {
            received += chunk.length;
            clearTimeout(stall);
            stall = setTimeout(() => control.abort(), stallSeconds * 1000);
            if (Date.now() - lastLine > 10_000) {
                lastLine = Date.now();
                progress(`${url.pathname}: ${megabytes(received)}${total ? ` of ${megabytes(total)}` : ""}`);
            }
            done(null, chunk);
        },
    });
    try {
        await pipeline(Readable.fromWeb(response.body as ReadableStream), count, createWriteStream(path));
    } catch (error) {
        throw new NotHere(`${shown(url)}: broken off after ${megabytes(received)}: ${(error as Error).message}`);
    } finally {
        clearTimeout(stall);
    }
    if (total !== undefined && received !== total) {
        throw new NotHere(`${shown(url)}: ${received} bytes came, ${total} were announced`);
    }
}

/** A URL without its login: for messages, and because fetch refuses a URL with one. */
export function shown(url: URL): string {
    const plain = new URL(url);
    plain.username = "";
    plain.password = "";
    return plain.href;
}

function login({ username, password }: URL): Record<string, string> {
    if (username === "") return {};
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function request(url: URL, control: AbortController, isTrusted = (_: URL) => true): Promise<Response> {
    const timer = setTimeout(() => control.abort(), answerSeconds * 1000);
    try {
        return await followed(url, control.signal, isTrusted);
    } catch (error) {
        if (error instanceof NotHere) throw error;
        const cause = (error as { cause?: Error }).cause ?? (error as Error);
        throw new NotHere(`${shown(url)}: ${cause.message}${withoutProxy(url)}`);
    } finally {
        clearTimeout(timer);
    }
}

const mostRedirects = 10;

/** Follows redirects itself: fetch would not say over which servers it went, and one of them without TLS can send it anywhere. */
async function followed(url: URL, signal: AbortSignal, isTrusted: (url: URL) => boolean): Promise<Response> {
    let at = url;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
        if (!isTrusted(at)) {
            const from = at === url ? "" : `, to which ${shown(url)} redirects,`;
            throw new NotHere(`refused: ${shown(at)}${from} is not protected by TLS`);
        }
        // Identity, because a checksum is for the published file, and the length must match it. The login is for this server only.
        const headers = { "accept-encoding": "identity", ...(at.origin === url.origin && login(url)) };
        const response = await fetch(shown(at), { signal, headers, redirect: "manual" });
        const location = [301, 302, 303, 307, 308].includes(response.status) && response.headers.get("location");
        if (!location) return response;
        await response.body?.cancel();
        at = new URL(location, at);
    }
    throw new NotHere(`${shown(url)}: more than ${mostRedirects} redirects`);
}

/** The variables of a proxy have no effect on these downloads. */
function withoutProxy(url: URL): string {
    const proxy = proxyFor(url);
    return proxy === undefined
        ? ""
        : ` (asked directly: downloads do not go through ${shownProxy(proxy)}; fill the mirror folder where there is a way)`;
}

async function accepted(url: URL, response: Response): Promise<Response> {
    if (!response.ok) {
        await response.body?.cancel();
        throw new NotHere(`${shown(url)}: the server answers ${response.status} ${response.statusText}`.trimEnd());
    }
    return response;
}
