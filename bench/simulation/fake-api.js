"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.FakeApi = void 0;
require("reflect-metadata");
const node_crypto_1 = require("node:crypto");
const node_https_1 = require("node:https");
const node_net_1 = require("node:net");
const x509 = __importStar(require("@peculiar/x509"));
/** An API server that knows just what a Vim asks: version, rights, and objects that are applied and read back. */
class FakeApi {
    objects = new Map();
    https;
    server;
    /** `authority`: where to get the cluster's CA; asked when the first client comes, because the cluster makes it. */
    static async start(authority) {
        const api = new FakeApi();
        api.server = (0, node_net_1.createServer)(socket => {
            socket.on("error", () => { });
            api.https ??= serverCertificate(authority()).then(pair => api.listen(pair));
            api.https.then(https => https.emit("connection", socket), () => {
                api.https = undefined;
                socket.destroy();
            });
        });
        await new Promise(resolve => api.server.listen(0, "127.0.0.1", resolve));
        return api;
    }
    get port() {
        return this.server.address().port;
    }
    async stop() {
        const https = await this.https?.catch(() => undefined);
        https?.closeAllConnections();
        await new Promise(resolve => this.server.close(resolve));
    }
    listen({ certificate, key }) {
        return (0, node_https_1.createServer)({ cert: certificate, key }, (request, response) => {
            const chunks = [];
            request.on("data", (chunk) => chunks.push(chunk));
            request.on("end", () => {
                const path = (request.url ?? "").split("?")[0];
                const { status, body } = this.answer(request.method ?? "GET", path, Buffer.concat(chunks).toString());
                response.writeHead(status, { "content-type": "application/json", connection: "close" });
                response.end(JSON.stringify(body));
            });
        });
    }
    answer(method, path, text) {
        const fixed = {
            "/version": { gitVersion: "v1.34.4" },
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": { status: { allowed: true } },
            "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": { status: { resourceRules: [{}] } },
        };
        if (path in fixed) {
            return { status: 200, body: fixed[path] };
        }
        if (method === "PATCH") {
            const object = JSON.parse(text);
            const token = object["kind"] === "Secret" && { data: { token: Buffer.from("fake").toString("base64") } };
            this.objects.set(path, { ...object, ...token });
        }
        const object = this.objects.get(path);
        return object === undefined ? { status: 404, body: {} } : { status: 200, body: object };
    }
}
exports.FakeApi = FakeApi;
/** A certificate for 127.0.0.1 of the cluster's authority. */
async function serverCertificate(authority) {
    const curve = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    x509.cryptoProvider.set(node_crypto_1.webcrypto);
    const keys = (await node_crypto_1.webcrypto.subtle.generateKey(curve, true, ["sign", "verify"]));
    const der = (0, node_crypto_1.createPrivateKey)(authority.key).export({ type: "pkcs8", format: "der" });
    const issuer = new x509.X509Certificate(authority.certificate);
    const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: (0, node_crypto_1.randomBytes)(8).toString("hex"),
        subject: [{ CN: ["kube-apiserver"] }],
        issuer: issuer.subject,
        notBefore: new Date(Date.now() - 60_000),
        notAfter: issuer.notAfter,
        signingAlgorithm: curve,
        publicKey: keys.publicKey,
        signingKey: (await node_crypto_1.webcrypto.subtle.importKey("pkcs8", der, curve, false, ["sign"])),
        extensions: [
            new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
            new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
        ],
    });
    const key = Buffer.from(await node_crypto_1.webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
    return {
        certificate: certificate.toString("pem"),
        key: (0, node_crypto_1.createPrivateKey)({ key, format: "der", type: "pkcs8" }).export({ type: "pkcs8", format: "pem" }),
    };
}
//# sourceMappingURL=fake-api.js.map