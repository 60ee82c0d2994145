import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ServiceName } from "../../../../provider/openstack/auth";
import { CloudClient } from "../../../../provider/openstack/client";
import type { CloudConfig } from "../../../../provider/openstack/cloud-config";

export interface Answer {
    status?: number;
    headers?: Record<string, string>;
    body?: unknown;
}

export interface Call {
    method: string;
    /** "/compute/servers/detail", without the query. */
    path: string;
    query: URLSearchParams;
    body: any;
    headers: IncomingMessage["headers"];
}

/** An answer's body, or a function that returns an answer; undefined ends the connection. */
export type Route = object | ((call: Call, times: number) => Answer | undefined);

/** The answer of a service for something that does not exist. */
export function notFound(service: string, message = "it could not be found"): Answer {
    const bodies: Record<string, object> = {
        compute: { itemNotFound: { code: 404, message } },
        "block-storage": { itemNotFound: { code: 404, message } },
        network: { NeutronError: { type: "PortNotFound", message, detail: "" } },
        orchestration: { code: 404, title: "Not Found", error: { type: "EntityNotFound", message } },
        "load-balancer": { faultcode: "Client", faultstring: message },
    };
    return { status: 404, body: bodies[service] ?? { error: { message } } };
}

/** An OpenStack in one HTTP server: the first folder of the path is the service. */
export class FakeCloud {
    readonly calls: Call[] = [];
    private readonly times = new Map<string, number>();
    private server!: ReturnType<typeof createHttpServer>;
    routes: Record<string, Route> = {};
    services: ServiceName[] = ["compute", "network", "image", "block-storage", "orchestration"];
    regions = ["RegionOne"];
    tokens = 0;

    static async start(tls?: { cert: string; key: string }): Promise<FakeCloud> {
        const cloud = new FakeCloud();
        const answer = (request: IncomingMessage, response: ServerResponse) => void cloud.answer(request, response);
        cloud.server = tls === undefined ? createHttpServer(answer) : createHttpsServer(tls, answer);
        await new Promise<void>(resolve => cloud.server.listen(0, "127.0.0.1", resolve));
        cloud.scheme = tls === undefined ? "http" : "https";
        return cloud;
    }
    scheme = "http";

    get url(): string {
        return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    config(changes: Partial<CloudConfig> = {}): CloudConfig {
        return {
            source: "test",
            authUrl: `${this.url}/identity/v3`,
            credentials: { kind: "password", user: { name: "u", password: "Xy-secret-99" }, project: { name: "p" } },
            interface: "public",
            insecure: false,
            warnings: [],
            ...changes,
        };
    }

    client(changes: Partial<CloudConfig> = {}): CloudClient {
        return new CloudClient(this.config(changes), { pauseSeconds: 0.01, timeoutSeconds: 2 });
    }

    count(route: string): number {
        return this.times.get(route) ?? 0;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        await new Promise(resolve => this.server.close(resolve));
    }

    private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        const { pathname, searchParams } = new URL(request.url!, this.url);
        const body = text === "" ? undefined : JSON.parse(text);
        const call = { method: request.method!, path: pathname, query: searchParams, body, headers: request.headers };
        this.calls.push(call);
        const route = `${call.method} ${call.path}`;
        const times = this.count(route) + 1;
        this.times.set(route, times);
        const found = this.routes[route] ?? this.builtIn[route];
        const answer: Answer | undefined =
            found === undefined
                ? notFound(call.path.split("/")[1]!, `no ${route}`)
                : typeof found === "function"
                  ? (found as (call: Call, times: number) => Answer | undefined)(call, times)
                  : { body: found };
        if (answer === undefined) return void request.socket.destroy();
        response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
        response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
    }

    private readonly login = (): Answer => ({
        status: 201,
        headers: { "x-subject-token": `token-${++this.tokens}` },
        body: {
            token: { catalog: this.catalog(), project: { id: "p1", name: "demo" }, user: { id: "u1" }, roles: [] },
        },
    });

    /** Nova's list contains the servers that have a route of their own. */
    private readonly list = (): Answer => {
        const ids = Object.keys(this.routes).flatMap(
            route => /^GET \/compute\/servers\/([^/]+)$/.exec(route)?.[1] ?? [],
        );
        return { body: { servers: ids.filter(id => id !== "detail").map(id => ({ id })) } };
    };

    private readonly builtIn: Record<string, Route> = {
        "POST /identity/v3/auth/tokens": this.login,
        "GET /compute/servers": this.list,
    };

    private catalog() {
        return this.services.map(service => ({
            type: service === "block-storage" ? "volumev3" : service,
            endpoints: this.regions.flatMap(region => [
                { interface: "admin", region_id: region, url: `${this.url}/wrong` },
                { interface: "public", region_id: region, url: this.endpoint(service) },
            ]),
        }));
    }

    /** Catalogues list the endpoints of network and image without a version. */
    private endpoint(service: ServiceName): string {
        return `${this.url}/${service}/`;
    }
}
