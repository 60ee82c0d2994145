import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../../../provider/identity/certificates";
import { serverCertificate } from "../../../support/server-certificate";

interface Seen {
    method: string;
    path: string;
    query: string;
    authorization?: string;
    body: string;
}

/** The part of a Kubernetes API that the tests need, over TLS: stores objects, reviews rights, fills secrets with tokens. */
export class FakeApi {
    readonly objects = new Map<string, Record<string, unknown>>();
    readonly seen: Seen[] = [];
    /** Accepted tokens. */
    readonly tokens = new Set(["admin-token"]);
    /** Refused rights: "verb resource". */
    readonly refused = new Set<string>();
    /** apiVersions whose own API server does not answer: "shop.example/v1". */
    readonly dead = new Set<string>();
    /** Token that the OpenID provider returns. */
    idToken = "admin-token";
    /** How often each token except the operator's is refused: an API server behind the endpoint may not know it yet. */
    unheardOf = 0;
    /** Age of new tokens, in seconds. */
    tokenAge = 0;
    private made = 0;
    /** Tokens by the secret to which they are bound. */
    private readonly bound = new Map<string, string[]>();
    /** Uid of kube-system. Undefined: it is not shown. */
    clusterUid: string | undefined = "cluster-1";
    /** What it says to a request that stores nothing: status and message. */
    dryRun: (seen: Seen) => [number, string] = () => [201, ""];
    /** What it says to each request for this path. */
    refuses?: { path: string; status: number; message: string };
    /** How often it answers with 503 before it works. */
    notYet = 0;
    /** Cuts the connection at the first request of each kind, like a load balancer that drops an API server. */
    cutsFirst = false;
    private readonly cut = new Set<string>();
    /** Carries out the first request that changes this path, then does not answer until `speakAgain`; the client is killed meanwhile. */
    silentAt?: { path: RegExp; reached: () => void };
    private silent = false;

    private constructor(
        private readonly server: Server,
        readonly ca: string,
    ) {}

    static async start(): Promise<FakeApi> {
        const authority = await createAuthority("localhost", 1);
        const { certificate, key } = await serverCertificate(authority);
        let api: FakeApi;
        const server = createServer({ cert: certificate, key }, (request, response) => {
            const chunks: Buffer[] = [];
            request.on("data", chunk => chunks.push(chunk));
            request.on("end", () => {
                if (api.silent) return;
                const { authorization } = request.headers;
                const body = Buffer.concat(chunks).toString();
                const [path, query = ""] = request.url!.split("?") as [string, string?];
                const seen = { method: request.method!, path, query, authorization, body };
                api.seen.push(seen);
                const kind = `${seen.method} ${seen.path}`;
                if (api.cutsFirst && !api.cut.has(kind)) {
                    api.cut.add(kind);
                    request.socket.destroy();
                    return;
                }
                const [status, answer] = query.includes("dryRun=All") ? said(api.dryRun(seen)) : api.answer(seen);
                if (seen.method !== "GET" && api.silentAt?.path.test(seen.path)) {
                    api.silentAt.reached();
                    api.silentAt = undefined;
                    api.silent = true;
                    return;
                }
                response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
            });
        });
        api = new FakeApi(server, authority.certificate);
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        return api;
    }

    get endpoint(): string {
        return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    /** Closes the connections of killed clients, because their unread requests would be carried out now. */
    speakAgain(): void {
        this.server.closeAllConnections();
        this.silent = false;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        await new Promise(resolve => this.server.close(resolve));
    }

    private answer({ method, path, authorization, body }: Seen): [number, object] {
        if (path === "/token") {
            const right = new URLSearchParams(body).get("password") === "right";
            return right ? [200, { id_token: this.idToken }] : [401, { error_description: "wrong password" }];
        }
        if (path === "/.well-known/openid-configuration") {
            return [200, { token_endpoint: `${this.endpoint}/token` }];
        }
        if (this.refuses?.path === path) return said([this.refuses.status, this.refuses.message]);
        if (this.notYet-- > 0) return [503, { message: "starting" }];
        if (!this.tokens.has(authorization?.replace("Bearer ", "") ?? "")) return [401, { message: "Unauthorized" }];
        if (authorization !== "Bearer admin-token" && this.unheardOf-- > 0) return [401, { message: "Unauthorized" }];
        if (path === "/version") return [200, { gitVersion: "v1.34.4" }];
        if (path.endsWith("selfsubjectaccessreviews")) {
            const { verb, resource } = JSON.parse(body).spec.resourceAttributes;
            return [201, { status: { allowed: !this.refused.has(`${verb} ${resource}`) } }];
        }
        if (path.endsWith("selfsubjectrulesreviews")) return [201, { status: { resourceRules: [{}] } }];
        if (path === "/api/v1/namespaces/kube-system") {
            return [200, { metadata: { name: "kube-system", uid: this.clusterUid } }];
        }
        if (path === "/apis") {
            const versions = ["apps/v1", ...this.dead];
            const groups = versions.map(groupVersion => ({ preferredVersion: { groupVersion } }));
            const older = ["monitoring.example/v1", "monitoring.example/v1alpha1"].map(groupVersion => ({
                groupVersion,
            }));
            return [200, { groups: [...groups, { versions: older, preferredVersion: older[0] }] }];
        }
        if (this.dead.has(path.replace("/apis/", ""))) return [503, { message: "service unavailable" }];
        const kinds = served[path];
        if (kinds !== undefined) return [200, { resources: kinds }];
        if (method === "POST") return this.make(path, JSON.parse(body));
        const list = method === "GET" && /\/namespaces\/[^/]+\/[a-z]+$/.test(path);
        const plural = path.split("/").at(-1)!;
        if (method === "GET" && everywhere.has(plural)) {
            if (this.refused.has(`list ${plural}`)) return [403, { message: `cannot list ${plural}` }];
            const root = path.slice(0, -plural.length);
            const isOne = (each: string) =>
                each.startsWith(root) &&
                new RegExp(`^(namespaces/[^/]+/)?${plural}/[^/]+$`).test(each.slice(root.length));
            return [200, { items: [...this.objects].filter(([each]) => isOne(each)).map(([, object]) => object) }];
        }
        if (list) {
            const items = [...this.objects].filter(([each]) => each.startsWith(`${path}/`)).map(([, object]) => object);
            return [200, { items }];
        }
        if (method === "PATCH") {
            const uid = (this.objects.get(path)?.["metadata"] as { uid?: string } | undefined)?.uid ?? this.newUid();
            const object = JSON.parse(body);
            object.metadata.uid = uid;
            if (object.type === "kubernetes.io/service-account-token") {
                const token = `token-of-${object.metadata.name}`;
                this.tokens.add(token);
                object.data = { token: Buffer.from(token).toString("base64") };
            }
            this.objects.set(path, object);
            return [200, object];
        }
        const object = this.objects.get(path);
        if (object === undefined) return [404, { message: "not found" }];
        if (method === "DELETE") {
            const secret = path.split("/").at(-1)!;
            for (const token of [`token-of-${secret}`, ...(this.bound.get(secret) ?? [])]) this.tokens.delete(token);
            this.objects.delete(path);
        }
        return [200, object];
    }

    private make(path: string, object: any): [number, object] {
        if (path.endsWith("/token")) {
            const { expirationSeconds, boundObjectRef } = object.spec;
            const issued = Math.floor(Date.now() / 1000) - this.tokenAge;
            const token = jwt({ iat: issued, exp: issued + expirationSeconds, n: ++this.made });
            this.tokens.add(token);
            this.bound.set(boundObjectRef.name, [...(this.bound.get(boundObjectRef.name) ?? []), token]);
            return [201, { status: { token } }];
        }
        const place = `${path}/${object.metadata.name}`;
        if (this.objects.has(place)) return [409, { message: "already exists" }];
        object.metadata.uid = this.newUid();
        this.objects.set(place, object);
        return [201, object];
    }

    private newUid(): string {
        return `uid-${++this.made}`;
    }
}

const namespaced = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ["get", "list"] });

const said = ([status, message]: [number, string]): [number, object] => [status, { message }];

/** Kinds that it lists for all namespaces. */
const everywhere = new Set(["clusterrolebindings", "rolebindings", "clusterroles", "secrets", "serviceaccounts"]);

/** The kinds of the few apiVersions that it serves. */
const served: Record<string, object[]> = {
    "/api/v1": [
        namespaced("configmaps", "ConfigMap"),
        namespaced("persistentvolumeclaims", "PersistentVolumeClaim"),
        namespaced("events", "Event"),
        namespaced("secrets", "Secret"),
        namespaced("serviceaccounts", "ServiceAccount"),
        { name: "pods/exec", kind: "PodExecOptions", namespaced: true, verbs: ["create"] },
        { name: "namespaces", kind: "Namespace", namespaced: false, verbs: ["get", "list"] },
    ],
    "/apis/monitoring.example/v1": [namespaced("monitors", "Monitor")],
    "/apis/monitoring.example/v1alpha1": [namespaced("monitors", "Monitor"), namespaced("alerts", "Alert")],
    "/apis/admissionregistration.k8s.io/v1": [
        {
            name: "validatingwebhookconfigurations",
            kind: "ValidatingWebhookConfiguration",
            namespaced: false,
            verbs: ["get", "list"],
        },
    ],
    "/apis/clusterctl.cluster.x-k8s.io/v1alpha3": [namespaced("providers", "Provider")],
    "/apis/apps/v1": [namespaced("deployments", "Deployment")],
    "/apis/apiextensions.k8s.io/v1": [
        {
            name: "customresourcedefinitions",
            kind: "CustomResourceDefinition",
            namespaced: false,
            verbs: ["get", "list"],
        },
    ],
};

/** A token with its time of issue and its end. */
export function jwt(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${part({})}.${part(claims)}.signature`;
}
