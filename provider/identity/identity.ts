import { createHash, generateKeyPair, randomBytes, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { NfvError } from "../errors";
import type { ClusterKeys, PublicIdentity } from "../model";

/** Ten years, like kubeadm's own authorities. */
export const defaultValidDays = 3650;

export interface IdentityOptions {
    /** DNS label of at most 50 characters. */
    clusterName: string;
    /** Validity of the authorities and of the administrators' certificate, in days. @default 3650 */
    validDays?: number;
}

/** All keys of a cluster, created before its first node. Secret, except clusterId, certificates and fingerprint. */
export interface Identity extends ClusterKeys {
    clusterId: string;
    clusterName: string;
    /** Client certificate of group kubeadm:cluster-admins, which `kubeadm init` binds to cluster-admin. */
    adminCertificate: string;
    adminKey: string;
    /** Key of the hashes that represent secrets in fingerprints. */
    fingerprintKey: string;
    /** Hash of all public fields. */
    fingerprint: string;
}

const clusterNamePattern = /^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/;

/** What is wrong with a cluster's name; undefined if nothing is. */
export function clusterNameProblem(name: unknown): string | undefined {
    if (typeof name === "string" && clusterNamePattern.test(name)) {
        return undefined;
    }
    return `must be a DNS label of at most 50 characters (a-z, 0-9, -), begun by a letter; got ${JSON.stringify(name)}`;
}

export async function createIdentity(options: IdentityOptions): Promise<Identity> {
    const problem = clusterNameProblem(options.clusterName);
    if (problem !== undefined) {
        throw new NfvError({ code: "INVALID_INPUT", cause: `clusterName ${problem}` });
    }
    // Loaded on demand: loading the certificate library takes longer than a whole preview should.
    const { createAuthority, createClientCertificate } =
        require("./certificates") as typeof import("./certificates.js");
    const validDays = options.validDays ?? defaultValidDays;
    const [ca, etcdCa, frontProxyCa, serviceAccount] = await Promise.all([
        createAuthority("kubernetes", validDays),
        createAuthority("etcd-ca", validDays),
        createAuthority("front-proxy-ca", validDays),
        createServiceAccountKeys(),
    ]);
    const admin = await createClientCertificate(ca, {
        commonName: "kubernetes-admin",
        organization: "kubeadm:cluster-admins",
        validDays,
    });
    const certificates = {
        caCertificate: ca.certificate,
        etcdCaCertificate: etcdCa.certificate,
        frontProxyCaCertificate: frontProxyCa.certificate,
        serviceAccountPublicKey: serviceAccount.publicKey,
    };
    return {
        clusterId: `${options.clusterName}-${randomBytes(4).toString("hex")}`,
        clusterName: options.clusterName,
        ...certificates,
        caKey: ca.key,
        etcdCaKey: etcdCa.key,
        frontProxyCaKey: frontProxyCa.key,
        serviceAccountKey: serviceAccount.privateKey,
        encryptionKey: randomBytes(32).toString("base64"),
        adminCertificate: admin.certificate,
        adminKey: admin.key,
        fingerprintKey: randomBytes(32).toString("base64"),
        fingerprint: createHash("sha256").update(Object.values(certificates).join("")).digest("hex").slice(0, 12),
    };
}

/** The public fields of an identity, which each node's spec contains. */
export function publicIdentity(identity: Identity): PublicIdentity {
    const { clusterId, caCertificate, fingerprint } = identity;
    return { clusterId, caCertHash: caCertHash(caCertificate), fingerprint };
}

/** The keys that control-plane nodes get. Secret. */
export function clusterKeys(identity: ClusterKeys): ClusterKeys {
    return {
        caCertificate: identity.caCertificate,
        caKey: identity.caKey,
        etcdCaCertificate: identity.etcdCaCertificate,
        etcdCaKey: identity.etcdCaKey,
        frontProxyCaCertificate: identity.frontProxyCaCertificate,
        frontProxyCaKey: identity.frontProxyCaKey,
        serviceAccountKey: identity.serviceAccountKey,
        serviceAccountPublicKey: identity.serviceAccountPublicKey,
        encryptionKey: identity.encryptionKey,
    };
}

/** `sha256:…` of the authority's public key, by which a joining node verifies the cluster. */
export function caCertHash(caCertificate: string): string {
    const publicKey = new X509Certificate(caCertificate).publicKey.export({ type: "spki", format: "der" });
    return "sha256:" + createHash("sha256").update(publicKey).digest("hex");
}

function createServiceAccountKeys(): Promise<{ publicKey: string; privateKey: string }> {
    return promisify(generateKeyPair)("rsa", {
        modulusLength: 2048,
        publicKeyEncoding: { type: "spki", format: "pem" },
        privateKeyEncoding: { type: "pkcs1", format: "pem" },
    });
}
