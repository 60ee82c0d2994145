import { createHash } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../../../provider/identity/certificates";
import { serverCertificate } from "../../../support/server-certificate";

/** The part of a registry that the tests need, over TLS. */
export class FakeRegistry {
    readonly blobs = new Map<string, Buffer>();
    /** "repository:tag" → manifest. */
    readonly manifests = new Map<string, string>();
    readonly seen: string[] = [];
    /** Login that it requires. */
    login: "none" | "basic" | "token" = "none";

    private constructor(
        private readonly server: Server,
        readonly ca: string,
    ) {}

    static async start(): Promise<FakeRegistry> {
        const authority = await createAuthority("localhost", 1);
        const { certificate, key } = await serverCertificate(authority);
        let registry: FakeRegistry;
        const server = createServer({ cert: certificate, key }, (request, response) => {
            const chunks: Buffer[] = [];
            request.on("data", chunk => chunks.push(chunk));
            request.on("end", () => {
                const url = new URL(request.url!, "https://x");
                const [status, headers, body] = registry.answer(
                    request.method!,
                    url,
                    Buffer.concat(chunks),
                    request.headers.authorization ?? "",
                );
                response.writeHead(status, headers).end(body);
            });
        });
        registry = new FakeRegistry(server, authority.certificate);
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        return registry;
    }

    get address(): string {
        return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        await new Promise(resolve => this.server.close(resolve));
    }

    private answer(method: string, url: URL, body: Buffer, given: string): [number, Record<string, string>, string?] {
        const basic = `Basic ${Buffer.from("nfv:right").toString("base64")}`;
        if (url.pathname === "/token") {
            return given === basic ? [200, {}, '{"token":"t1"}'] : [401, {}, '{"errors":[{"code":"DENIED"}]}'];
        }
        const wanted = { none: given, basic, token: "Bearer t1" }[this.login];
        if (given !== wanted) {
            const token = `Bearer realm="https://${this.address}/token",service="fake",scope="repository:x:push"`;
            return [401, { "www-authenticate": this.login === "basic" ? 'Basic realm="fake"' : token }];
        }
        this.seen.push(`${method} ${url.pathname}`);
        const [, repository, kind, name] = /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(url.pathname) ?? [];
        if (kind === "manifests" && method === "PUT") {
            this.manifests.set(`${repository}:${name}`, body.toString());
            return [201, {}];
        }
        if (method === "HEAD") return [this.blobs.has(name!) ? 200 : 404, {}];
        if (method === "POST") return [202, { location: `/v2/${repository}/blobs/uploads/1?state=s` }];
        const digest = url.searchParams.get("digest")!;
        const right = digest === `sha256:${createHash("sha256").update(body).digest("hex")}`;
        if (!right || url.searchParams.get("state") !== "s") return [400, {}, '{"errors":[{"code":"DIGEST_INVALID"}]}'];
        this.blobs.set(digest, body);
        return [201, {}];
    }
}
