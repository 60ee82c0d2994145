import { createHash, createPublicKey, generateKeyPair, randomBytes, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { NfvError } from "../common/errors";
import type { Authorities, ControlPlaneKeys } from "../common/model";
import type { KeyPair } from "./certificates";

/** Ten years, like kubeadm's own authorities. */
export const defaultValidDays = 3650;

/** What identifies a cluster for its whole life. */
export interface ClusterId {
    clusterId: string;
    /** Key of the hashes that represent secrets in fingerprints. Secret. */
    fingerprintKey: string;
}

/** The public halves of a cluster's keys. PEM. */
export interface Certificates {
    caCertificate: string;
    etcdCaCertificate: string;
    frontProxyCaCertificate: string;
    serviceAccountPublicKey: string;
    /** Client certificate of group kubeadm:cluster-admins, which `kubeadm init` binds to cluster-admin. */
    adminCertificate: string;
    /** Hash of what nodes get of these. */
    fingerprint: string;
    /** After a rotation of the authorities. */
    exchanged?: Exchanged;
}

/** What a rotation of the authorities needs, and leaves. */
export interface Exchanged {
    /** Name of the authorities: a part of the hash of the cluster's one. */
    name: string;
    /** By authority: its certificate, signed by the one before. */
    bridges: Bridges;
    /** Certificate of the cluster's authority before; undefined when it has ended and the program no longer asks for the rotation. */
    former?: string;
    /** With which the cluster was made. Of their private keys the keyed hashes. */
    first: Authorities;
}

export type Bridges = Record<"ca" | "etcdCa" | "frontProxyCa", string>;

/** The private halves. Secret. */
export interface PrivateKeys extends Omit<ControlPlaneKeys, keyof Certificates | "firstAuthorities"> {
    adminKey: string;
}

/** All keys of a cluster, created before its first node. */
export interface KeySet {
    certificates: Certificates;
    keys: PrivateKeys;
}

const clusterNamePattern = /^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/;

/** What is wrong with a cluster's name; undefined if nothing is. */
export function clusterNameProblem(name: unknown): string | undefined {
    if (typeof name === "string" && clusterNamePattern.test(name)) {
        return undefined;
    }
    return `must be a DNS label of at most 50 characters (a-z, 0-9, -), begun by a letter; got ${JSON.stringify(name)}`;
}

/** @throws INVALID_INPUT for a name that is no cluster's name */
export function newClusterId(clusterName: string): ClusterId {
    const problem = clusterNameProblem(clusterName);
    if (problem !== undefined) {
        throw new NfvError({ code: "INVALID_INPUT", cause: `clusterName ${problem}` });
    }
    return {
        clusterId: `${clusterName}-${randomBytes(4).toString("hex")}`,
        fingerprintKey: randomBytes(32).toString("base64"),
    };
}

/** `validDays`: validity of the authorities and of the administrators' certificate, in days. */
export async function newKeySet(validDays = defaultValidDays): Promise<KeySet> {
    // Loaded on demand: loading the certificate library takes longer than a whole preview should.
    const { createAuthority } = require("./certificates") as typeof import("./certificates.js");
    const [ca, etcdCa, frontProxyCa, serviceAccount] = await Promise.all([
        createAuthority("kubernetes", validDays),
        createAuthority("etcd-ca", validDays),
        createAuthority("front-proxy-ca", validDays),
        createServiceAccountKeys(),
    ]);
    const admin = await newAdministrator(ca, validDays);
    const onNodes = {
        caCertificate: ca.certificate,
        etcdCaCertificate: etcdCa.certificate,
        frontProxyCaCertificate: frontProxyCa.certificate,
        serviceAccountPublicKey: serviceAccount.publicKey,
    };
    return {
        certificates: {
            ...onNodes,
            adminCertificate: admin.certificate,
            fingerprint: createHash("sha256").update(Object.values(onNodes).join("")).digest("hex").slice(0, 12),
        },
        keys: {
            caKey: ca.key,
            etcdCaKey: etcdCa.key,
            frontProxyCaKey: frontProxyCa.key,
            serviceAccountKey: serviceAccount.privateKey,
            encryptionKey: randomBytes(32).toString("base64"),
            adminKey: admin.key,
        },
    };
}

export function newAdministrator(ca: KeyPair, validDays: number): Promise<KeyPair> {
    const { createClientCertificate } = require("./certificates") as typeof import("./certificates.js");
    return createClientCertificate(ca, {
        commonName: "kubernetes-admin",
        organization: "kubeadm:cluster-admins",
        validDays,
    });
}

/** Another key for Secrets, and the name by which etcd's data refers to it: each key has its own. */
export function newEncryptionKey(): Pick<ControlPlaneKeys, "encryptionKey"> & { encryptionKeyName: string } {
    const key = randomBytes(32);
    // The length matters: see rewrite-secrets.sh.
    const id = createHash("sha256").update("pulumi-nfv").update(key).digest("hex").slice(0, 10);
    return { encryptionKey: key.toString("base64"), encryptionKeyName: `key-${id}` };
}

/** Another key for the tokens of service accounts, and its name: what an API server writes as `kid` into a token's header. */
export async function newServiceAccountKey() {
    const { publicKey, privateKey } = await createServiceAccountKeys();
    const der = createPublicKey(publicKey).export({ type: "spki", format: "der" });
    const name = createHash("sha256").update(der).digest("base64url");
    return { serviceAccountKey: privateKey, serviceAccountPublicKey: publicKey, serviceAccountKeyName: name };
}

/** The keys that control-plane nodes get. Secret. */
export function controlPlaneKeys({ certificates, keys }: KeySet): ControlPlaneKeys {
    return {
        caCertificate: certificates.caCertificate,
        caKey: keys.caKey,
        etcdCaCertificate: certificates.etcdCaCertificate,
        etcdCaKey: keys.etcdCaKey,
        frontProxyCaCertificate: certificates.frontProxyCaCertificate,
        frontProxyCaKey: keys.frontProxyCaKey,
        serviceAccountKey: keys.serviceAccountKey,
        serviceAccountPublicKey: certificates.serviceAccountPublicKey,
        encryptionKey: keys.encryptionKey,
        ...(keys.encryptionKeyName !== undefined && {
            encryptionKeyName: keys.encryptionKeyName,
            firstEncryption: keys.firstEncryption,
        }),
        ...(keys.serviceAccountKeyName !== undefined && {
            serviceAccountKeyName: keys.serviceAccountKeyName,
            firstServiceAccountKey: keys.firstServiceAccountKey,
            firstServiceAccountPublicKey: keys.firstServiceAccountPublicKey,
        }),
        ...(certificates.exchanged !== undefined && { firstAuthorities: certificates.exchanged.first }),
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
