import "reflect-metadata";
import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import * as x509 from "@peculiar/x509";
import type { KubeObject } from "../provider/vim/api";

/** The cluster's CA as PEM texts. */
export interface Authority {
    certificate: string;
    key: string;
}

/** An API server with just what a Vim needs: version, rights, objects that are created, applied, read and deleted, tokens. */
export class FakeApi {
    private readonly objects = new Map<string, KubeObject>();
    private https?: Promise<HttpsServer>;
    private server!: Server;

    /** `authority`: returns the cluster's CA. It is called when a client connects, because the cluster makes the CA; until it no longer throws, connections end. */
    static async start(authority: () => Authority | Promise<Authority>): Promise<FakeApi> {
        const api = new FakeApi();
        api.server = createServer(socket => {
            socket.on("error", () => {});
            api.https ??= Promise.resolve()
                .then(authority)
                .then(serverCertificate)
                .then(pair => api.listen(pair));
            api.https.then(
                https => https.emit("connection", socket),
                () => {
                    api.https = undefined;
                    socket.destroy();
                },
            );
        });
        await new Promise<void>(resolve => api.server.listen(0, "127.0.0.1", resolve));
        return api;
    }

    get port(): number {
        return (this.server.address() as AddressInfo).port;
    }

    async stop(): Promise<void> {
        const https = await this.https?.catch(() => undefined);
        https?.closeAllConnections();
        await new Promise(resolve => this.server.close(resolve));
    }

    private listen({ certificate, key }: Authority): HttpsServer {
        return createHttpsServer({ cert: certificate, key }, (request, response) => {
            const chunks: Buffer[] = [];
            request.on("data", (chunk: Buffer) => chunks.push(chunk));
            request.on("end", () => {
                const [path = "", query = ""] = (request.url ?? "").split("?");
                const text = Buffer.concat(chunks).toString();
                const { status, body } = query.includes("dryRun=All")
                    ? { status: 200, body: JSON.parse(text) }
                    : this.answer(request.method ?? "GET", path, text);
                response.writeHead(status, { "content-type": "application/json", connection: "close" });
                response.end(JSON.stringify(body));
            });
        });
    }

    answer(method: string, path: string, text: string): { status: number; body: unknown } {
        const fixed: Record<string, unknown> = {
            "/version": { gitVersion: "v1.36.3" },
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": { status: { allowed: true } },
            "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": { status: { resourceRules: [{}] } },
        };
        if (path in fixed) {
            return { status: 200, body: fixed[path] };
        }
        const object = this.objects.get(path);
        if (method === "DELETE") this.objects.delete(path);
        if (method === "PATCH") return { status: 200, body: this.keep(path, JSON.parse(text)) };
        if (method === "POST" && path.endsWith("/token")) return { status: 201, body: { status: { token: "fake" } } };
        if (method === "POST") {
            const made = JSON.parse(text) as KubeObject;
            const place = `${path}/${made.metadata.name}`;
            return this.objects.has(place)
                ? { status: 409, body: { message: `${place} already exists` } }
                : { status: 201, body: this.keep(place, made) };
        }
        return object === undefined ? { status: 404, body: {} } : { status: 200, body: object };
    }

    private keep(path: string, object: KubeObject): KubeObject {
        const token = object.kind === "Secret" && { data: { token: Buffer.from("fake").toString("base64") } };
        const kept = { ...object, ...token };
        this.objects.set(path, kept);
        return kept;
    }
}

/** A certificate for 127.0.0.1, signed by the cluster's authority. */
async function serverCertificate(authority: Authority): Promise<Authority> {
    const curve = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    x509.cryptoProvider.set(webcrypto as Crypto);
    const keys = (await webcrypto.subtle.generateKey(curve, true, ["sign", "verify"])) as CryptoKeyPair;
    const der = createPrivateKey(authority.key).export({ type: "pkcs8", format: "der" });
    const issuer = new x509.X509Certificate(authority.certificate);
    const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: randomBytes(8).toString("hex"),
        subject: [{ CN: ["kube-apiserver"] }],
        issuer: issuer.subject,
        notBefore: new Date(Date.now() - 86_400_000),
        notAfter: issuer.notAfter,
        signingAlgorithm: curve,
        publicKey: keys.publicKey,
        signingKey: (await webcrypto.subtle.importKey("pkcs8", der, curve, false, ["sign"])) as CryptoKey,
        extensions: [
            new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
            new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
        ],
    });
    const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey as webcrypto.CryptoKey));
    return {
        certificate: certificate.toString("pem"),
        key: createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ type: "pkcs8", format: "pem" }) as string,
    };
}
