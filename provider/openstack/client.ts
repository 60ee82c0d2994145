import { type ErrorCode, NfvError } from "../common/errors";
import type { HttpAnswer } from "../common/http-answer";
import { endpointOf, logIn, regionAsked, requireRegion, type ServiceName, type Session } from "./auth";
import { type CloudConfig, findCloud, type Surroundings } from "./cloud-config";
import { Http, type Patience } from "./http";
import { saysNotFound } from "./not-found";
import type { CloudSettings } from "./settings";

export interface CallOptions {
    body?: unknown;
    /** For example "compute 2.64". */
    microversion?: string;
}

/** The cloud answered with an error. */
export class CloudRefused extends NfvError {
    constructor(
        readonly status: number,
        cause: string,
        code: ErrorCode = "CLOUD_REFUSED",
    ) {
        super({ code, cause });
    }
}

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/** One project of one cloud. Logs in at the first request, and again when the token expires. */
export class CloudClient {
    private readonly http: Http;
    private login?: Promise<Session>;

    constructor(
        readonly config: CloudConfig,
        patience?: Patience,
    ) {
        this.http = new Http(config, patience);
    }

    /** @throws CLOUD_AUTH_FAILED, CLOUD_UNREACHABLE, CLOUD_CONFIG_INVALID */
    session(): Promise<Session> {
        this.login ??= logIn(this.http, this.config).then(session => {
            requireRegion(session.catalog, this.config);
            return session;
        });
        return this.login;
    }

    /** Id of the project. @throws CLOUD_AUTH_FAILED */
    async projectId(): Promise<string> {
        const { project } = await this.session();
        if (project !== undefined) return project.id;
        throw new NfvError({
            code: "CLOUD_AUTH_FAILED",
            cause: `${this.config.source}: the token is for no project`,
            hint: "Give project_name or project_id.",
        });
    }

    /** Undefined if the cloud names none. @throws CLOUD_AUTH_FAILED */
    async region(): Promise<string | undefined> {
        return regionAsked((await this.session()).catalog, this.config);
    }

    async has(service: ServiceName): Promise<boolean> {
        return endpointOf((await this.session()).catalog, service, this.config) !== undefined;
    }

    /**
     * Reads one thing; undefined if the service says that it does not exist. @throws CLOUD_UNREACHABLE for a 404 that
     * the service itself did not write
     */
    async get<T>(
        service: ServiceName,
        path: string,
        query: Query = {},
        options: CallOptions = {},
    ): Promise<T | undefined> {
        const answer = await this.call(service, "GET", withQuery(path, query), options);
        if (answer.status !== 404) return parsed<T>(answer);
        if (!saysNotFound(service, answer)) throw strangeNotFound("GET", service, path, answer);
        return undefined;
    }

    /** The same for the thing under this key. @throws CLOUD_UNREACHABLE for an answer without it, which a proxy may have written */
    async one<T>(service: ServiceName, path: string, key: string): Promise<T | undefined> {
        const answer = await this.get<Record<string, T>>(service, path);
        if (answer === undefined) return undefined;
        return answer[key] ?? strangeAnswer("GET", service, path, key);
    }

    /** For resources that not all clouds offer (versions, quotas): any 404 means that the cloud does not. */
    async getIfOffered<T>(service: ServiceName, path: string, query: Query = {}): Promise<T | undefined> {
        const answer = await this.call(service, "GET", withQuery(path, query), {});
        return answer.status === 404 ? undefined : parsed<T>(answer);
    }

    /** All pages of a list. `key`: the list's name in the answer. */
    async list<T>(
        service: ServiceName,
        path: string,
        key: string,
        query: Query = {},
        options: CallOptions = {},
    ): Promise<T[]> {
        const found: T[] = [];
        let next: string | undefined = withQuery(path, query);
        const seen = new Set<string>();
        while (next !== undefined && !seen.has(next)) {
            seen.add(next);
            const answer: HttpAnswer = await this.call(service, "GET", next, options);
            if (answer.status === 404) throw refused("GET", service, path, answer);
            const page = parsed<Record<string, unknown>>(answer);
            const list = page[key];
            if (!Array.isArray(list)) return strangeAnswer("GET", service, path, key);
            found.push(...list);
            next = nextPage(path, page, key);
        }
        return found;
    }

    /** Changes something. A DELETE also succeeds if the service says that the thing does not exist. */
    async change<T>(service: ServiceName, method: string, path: string, options: CallOptions = {}): Promise<T> {
        const answer = await this.call(service, method, path, options);
        if (answer.status !== 404) return parsed<T>(answer);
        if (!saysNotFound(service, answer)) throw strangeNotFound(method, service, path, answer);
        if (method !== "DELETE") throw refused(method, service, path, answer);
        return {} as T;
    }

    close(): void {
        this.http.close();
    }

    private async call(service: ServiceName, method: string, path: string, options: CallOptions): Promise<HttpAnswer> {
        const first = await this.try(service, method, path, options);
        if (first.status !== 401) return this.judged(method, service, path, first);
        this.login = undefined;
        return this.judged(method, service, path, await this.try(service, method, path, options));
    }

    private async try(service: ServiceName, method: string, path: string, options: CallOptions): Promise<HttpAnswer> {
        const { token, catalog } = await this.session();
        const endpoint = endpointOf(catalog, service, this.config);
        if (endpoint === undefined) {
            const { region, interface: wanted } = this.config;
            const where = region === undefined ? "" : ` in the region "${region}"`;
            throw new CloudRefused(404, `the cloud has no ${service} service with a ${wanted} endpoint${where}`);
        }
        const send = (url: string) =>
            this.http.send({
                method,
                url,
                headers: {
                    "x-auth-token": token,
                    ...(options.microversion !== undefined && { "openstack-api-version": options.microversion }),
                },
                body: options.body,
            });
        const answer = await send(endpoint + path);
        // Heat redirects from a stack's name to its id.
        const redirected = [301, 302, 307, 308].includes(answer.status) && answer.headers.location;
        return redirected ? await send(endpoint + pathBehind(endpoint, redirected)) : answer;
    }

    private judged(method: string, service: ServiceName, path: string, answer: HttpAnswer): HttpAnswer {
        if (answer.status < 300 || answer.status === 404) return answer;
        throw refused(method, service, path, answer);
    }
}

/** The project that the settings select, with the credentials of this machine's user. @throws CLOUD_CONFIG_INVALID */
export function openCloud(settings: CloudSettings, where?: Surroundings, patience?: Patience): CloudClient {
    return new CloudClient(findCloud(settings, where), patience);
}

function refused(method: string, service: ServiceName, path: string, { status, text }: HttpAnswer): CloudRefused {
    const code = status === 401 ? "CLOUD_AUTH_FAILED" : status >= 500 ? "CLOUD_UNREACHABLE" : "CLOUD_REFUSED";
    const call = `${method} ${path.split("?")[0]} of ${service}`;
    return new CloudRefused(status, `${call}: ${status} ${messageIn(text)}`.trim(), code);
}

function strangeAnswer(method: string, service: ServiceName, path: string, key: string): never {
    throw new CloudRefused(
        200,
        `${method} ${path.split("?")[0]} of ${service}: the answer has no "${key}": a proxy may have answered, or the catalogue's endpoint leads elsewhere`,
        "CLOUD_UNREACHABLE",
    );
}

function strangeNotFound(method: string, service: ServiceName, path: string, answer: HttpAnswer): CloudRefused {
    const { reason } = refused(method, service, path, answer);
    return new CloudRefused(
        404,
        `${reason}. This is not how ${service} says that something does not exist: a proxy may have answered, or the catalogue's endpoint leads elsewhere`,
        "CLOUD_UNREACHABLE",
    );
}

/**
 * Each service wraps its message differently: {"badRequest": {"message"}}, {"NeutronError": {"message"}}, {"error":
 * {"message"}}.
 */
function messageIn(text: string): string {
    try {
        return (firstMessage(JSON.parse(text)) ?? "").slice(0, 1000);
    } catch {
        return "";
    }
}

function firstMessage(value: unknown): string | undefined {
    if (value === null || typeof value !== "object") return undefined;
    const { message } = value as { message?: unknown };
    if (typeof message === "string") return message;
    return Object.values(value)
        .map(firstMessage)
        .find(text => text !== undefined);
}

function parsed<T>({ text }: HttpAnswer): T {
    return (text.trim() === "" ? {} : JSON.parse(text)) as T;
}

function withQuery(path: string, query: Query): string {
    const values = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [value].flat().map(each => [name, String(each)]),
    );
    return values.length === 0 ? path : `${path}?${new URLSearchParams(values)}`;
}

/** Only the query of the link is used: behind a proxy its scheme and host may be wrong. */
function nextPage(path: string, page: Record<string, unknown>, key: string): string | undefined {
    const links = (page[`${key}_links`] ?? page["links"]) as { rel: string; href: string }[] | undefined;
    const link = Array.isArray(links) ? links.find(({ rel }) => rel === "next")?.href : page["next"];
    return typeof link === "string" && link.includes("?") ? `${path}${link.slice(link.indexOf("?"))}` : undefined;
}

function pathBehind(endpoint: string, location: string): string {
    const root = new URL(endpoint).pathname;
    const { pathname, search } = new URL(location, endpoint);
    return (pathname.startsWith(root) ? pathname.slice(root.length) : pathname) + search;
}
