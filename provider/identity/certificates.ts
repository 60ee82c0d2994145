import "reflect-metadata";
import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

const curve = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** The clocks of nodes may be behind the operator's when the cluster is created. */
const clockSkewSeconds = 3600;
const usage = x509.KeyUsageFlags;

x509.cryptoProvider.set(webcrypto as Crypto);

/** A certificate and its key, both PEM (the key as PKCS #8). */
export interface KeyPair {
    certificate: string;
    key: string;
}

/** A self-signed certificate authority on P-256. */
export async function createAuthority(commonName: string, validDays: number): Promise<KeyPair> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
        serialNumber: serialNumber(),
        name: [{ CN: [commonName] }],
        ...validity(validDays),
        signingAlgorithm: curve,
        keys,
        extensions: await authorityExtensions(keys.publicKey),
    });
    return pem(certificate, keys.privateKey);
}

/**
 * The authority `next`, vouched for by `former`: who trusts the former one alone takes what the next one has signed, if this certificate comes along. It ends
 * with either of them.
 */
export async function createBridge(former: KeyPair, next: string): Promise<string> {
    const [issuer, subject] = [new x509.X509Certificate(former.certificate), new x509.X509Certificate(next)];
    const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: subject.subject,
        issuer: issuer.subject,
        notBefore: subject.notBefore,
        notAfter: subject.notAfter < issuer.notAfter ? subject.notAfter : issuer.notAfter,
        signingAlgorithm: curve,
        publicKey: await subject.publicKey.export(),
        signingKey: await importKey(former.key),
        extensions: [
            ...(await authorityExtensions(subject.publicKey)),
            await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
        ],
    });
    return pemOf(certificate);
}

async function authorityExtensions(key: x509.PublicKeyType): Promise<x509.Extension[]> {
    return [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(usage.digitalSignature | usage.keyEncipherment | usage.keyCertSign, true),
        await x509.SubjectKeyIdentifierExtension.create(key),
    ];
}

export interface ClientCertificateOptions {
    commonName: string;
    /** The user's groups: Kubernetes reads them from the certificate's organization. */
    organization: string;
    validDays: number;
}

/** A client certificate signed by the authority. */
export function createClientCertificate(authority: KeyPair, options: ClientCertificateOptions): Promise<KeyPair> {
    return createCertificate(authority, {
        subject: [{ O: [options.organization] }, { CN: [options.commonName] }],
        validDays: options.validDays,
        extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
    });
}

export interface ServerCertificateOptions {
    /** At most 64 characters; clients compare the DNS names only. */
    commonName: string;
    dnsNames: string[];
    validDays: number;
}

/** A server's certificate signed by the authority. */
export function createServerCertificate(authority: KeyPair, options: ServerCertificateOptions): Promise<KeyPair> {
    return createCertificate(authority, {
        subject: [{ CN: [options.commonName] }],
        validDays: options.validDays,
        extensions: [
            new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
            new x509.SubjectAlternativeNameExtension(options.dnsNames.map(value => ({ type: "dns" as const, value }))),
        ],
    });
}

interface CertificateOptions {
    subject: x509.JsonName;
    validDays: number;
    extensions: x509.Extension[];
}

/** Ends with the authority's certificate if `validDays` is longer. */
async function createCertificate(authority: KeyPair, options: CertificateOptions): Promise<KeyPair> {
    const issuer = new x509.X509Certificate(authority.certificate);
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: options.subject,
        issuer: issuer.subject,
        ...validity(options.validDays, issuer.notAfter),
        signingAlgorithm: curve,
        publicKey: keys.publicKey,
        signingKey: await importKey(authority.key),
        extensions: [
            new x509.BasicConstraintsExtension(false, undefined, true),
            new x509.KeyUsagesExtension(usage.digitalSignature, true),
            ...options.extensions,
            await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
        ],
    });
    return pem(certificate, keys.privateKey);
}

function generateKeys(): Promise<CryptoKeyPair> {
    return webcrypto.subtle.generateKey(curve, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

function importKey(key: string): Promise<CryptoKey> {
    const der = createPrivateKey(key).export({ type: "pkcs8", format: "der" });
    return webcrypto.subtle.importKey("pkcs8", der, curve, false, ["sign"]) as Promise<CryptoKey>;
}

async function pem(certificate: x509.X509Certificate, key: CryptoKey): Promise<KeyPair> {
    const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key as webcrypto.CryptoKey));
    const object = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    return {
        certificate: pemOf(certificate),
        key: object.export({ type: "pkcs8", format: "pem" }) as string,
    };
}

function pemOf(certificate: x509.X509Certificate): string {
    return `${certificate.toString("pem").trimEnd()}\n`;
}

/** The first bit makes the number positive, so that all readers see the same number. */
function serialNumber(): string {
    const bytes = randomBytes(16);
    bytes[0] = (bytes[0] & 0x3f) | 0x40;
    return bytes.toString("hex");
}

function validity(days: number, limit?: Date): { notBefore: Date; notAfter: Date } {
    const now = Math.floor(Date.now() / 1000);
    const end = new Date((now + days * 86_400) * 1000);
    return {
        notBefore: new Date((now - clockSkewSeconds) * 1000),
        notAfter: limit !== undefined && limit < end ? limit : end,
    };
}
