import { createHash, X509Certificate } from "node:crypto";

/** SHA-256 of a CA's public key, as `kubeadm join` wants it: "sha256:…". */
export function caCertHash(pem: string): string {
    const spki = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
    return `sha256:${createHash("sha256").update(spki).digest("hex")}`;
}
