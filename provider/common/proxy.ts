import * as http from "node:http";
import * as https from "node:https";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";
import { contains, parseCidr } from "./cidr";

/*
 * The proxy of this machine, by the same variables and rules as Pulumi's plugins beside us (Go's httpproxy), so that all requests of a run go the
 * same way: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case. Loopback addresses never go through a proxy.
 */

type Environment = Readonly<Record<string, string | undefined>>;

const variableIn = (env: Environment, name: string) => env[name] || env[name.toLowerCase()] || "";

export interface Proxy {
    url: URL;
    /** The variable that names it. */
    variable: string;
}

/** The proxy for a URL. Undefined: the server is asked directly. @throws if the variable names none that we can use */
export function proxyFor(target: URL | string, env: Environment = process.env): Proxy | undefined {
    const url = new URL(target);
    const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
    const given = variableIn(env, variable).trim();
    if (given === "" || isExcepted(url, variableIn(env, "NO_PROXY"))) return undefined;
    const text = given.includes("://") ? given : `http://${given}`;
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
        throw new Error(`${variable} names no HTTP proxy: give it like http://proxy.example:3128`);
    return { url: new URL(text), variable };
}

/** For messages: without the login. */
export const shownProxy = ({ url, variable }: Proxy) => `the proxy ${url.host} (${variable})`;

const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();

const portOf = (url: URL) => Number(url.port || (url.protocol === "https:" ? 443 : 80));

function isExcepted(url: URL, exceptions: string): boolean {
    const host = hostOf(url);
    if (host === "localhost" || /^127\./.test(host) || host === "::1") return true;
    return exceptions
        .split(/[\s,]+/)
        .filter(entry => entry !== "")
        .some(entry => fits(entry.toLowerCase(), host, portOf(url)));
}

function fits(entry: string, host: string, port: number): boolean {
    if (entry === "*") return true;
    const network = parseCidr(entry);
    if (network !== undefined) return contains(network, host);
    const [, name = entry, wanted] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry)!;
    if (wanted !== undefined && Number(wanted) !== port) return false;
    if (isIP(name) !== 0 || isIP(host) !== 0) return name === host;
    const domain = name.replace(/^\*?\./, "");
    return host.endsWith(`.${domain}`) || (name === domain && host === domain);
}

const authorization = ({ username, password }: URL): Record<string, string> =>
    username === ""
        ? {}
        : {
              "proxy-authorization": `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`,
          };

const toProxy = (url: URL) => ({
    host: hostOf(url),
    // it counts more than host, and the URL of a request has one
    hostname: hostOf(url),
    port: portOf(url),
    agent: false as const,
    ...(url.protocol === "https:" && { servername: isIP(hostOf(url)) === 0 ? hostOf(url) : "" }),
});

const requestOf = (url: URL) => (url.protocol === "https:" ? https.request : http.request);

/** A byte stream to a server, through a proxy. It does not show whether the server answers. */
export function tunnel(proxy: Proxy, host: string, port: number, signal?: AbortSignal): Promise<Socket> {
    const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    return new Promise((resolve, reject) => {
        const failed = (why: string) => reject(new Error(`${shownProxy(proxy)} ${why}`));
        const headers = { host: place, ...authorization(proxy.url) };
        const asked = requestOf(proxy.url)({
            ...{ method: "CONNECT", path: place, headers, ...toProxy(proxy.url) },
            signal: signal ?? AbortSignal.timeout(30_000),
        });
        asked.once("connect", ({ statusCode = 0 }, socket) => {
            if (statusCode === 200) return resolve(socket);
            socket.destroy();
            failed(`answers ${statusCode} to a connection to ${place}`);
        });
        asked.once("response", ({ statusCode = 0 }) => {
            asked.destroy();
            failed(`answers ${statusCode} to a connection to ${place}`);
        });
        asked.once("error", error => failed(`cannot be used: ${error.message}`));
        asked.end();
    });
}

/** Connects through the proxy that the URL of each request asks for. */
class TunnelAgent extends https.Agent {
    constructor(
        private readonly proxy: Proxy,
        options: https.AgentOptions,
    ) {
        super(options);
    }

    override createConnection(
        options: https.RequestOptions,
        done: (error: Error | null, stream: Duplex) => void = () => {},
    ): undefined {
        tunnel(this.proxy, String(options.host), Number(options.port)).then(
            socket => done(null, connect({ ...(options as ConnectionOptions), socket })),
            (error: Error) => done(error, undefined as never),
        );
    }
}

/** The agent for requests to an HTTPS server: through its proxy, if it has one. */
export function httpsAgent(url: URL | string, options: https.AgentOptions = {}): https.Agent {
    const proxy = proxyFor(url);
    return proxy === undefined ? new https.Agent(options) : new TunnelAgent(proxy, options);
}

/** How a request to an HTTP server is sent: to the proxy with the whole URL, if there is one. */
export function httpOptions(url: URL | string): http.RequestOptions {
    const proxy = proxyFor(url);
    const { host, href } = new URL(url);
    return proxy === undefined
        ? {}
        : { ...toProxy(proxy.url), path: href, headers: { host, ...authorization(proxy.url) } };
}
