import "reflect-metadata";
import { createPrivateKey, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** Certificate and key, both PEM, of a TLS server at an address; valid since yesterday, for an hour. */
export async function serverCertificate(authority: { certificate: string; key: string }, address = "127.0.0.1") {
    const curve = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const keys = (await webcrypto.subtle.generateKey(curve, true, ["sign", "verify"])) as CryptoKeyPair;
    const pkcs8 = createPrivateKey(authority.key).export({ type: "pkcs8", format: "der" });
    const signingKey = (await webcrypto.subtle.importKey("pkcs8", pkcs8, curve, false, ["sign"])) as CryptoKey;
    const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: "01",
        subject: `CN=${address}`,
        issuer: new x509.X509Certificate(authority.certificate).subject,
        notBefore: new Date(Date.now() - 86_400_000),
        notAfter: new Date(Date.now() + 3_600_000),
        signingAlgorithm: curve,
        publicKey: keys.publicKey,
        signingKey,
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: "ip", value: address }])],
    });
    const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey as never));
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ type: "pkcs8", format: "pem" });
    return { certificate: certificate.toString("pem"), key: key as string };
}
