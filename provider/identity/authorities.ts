import { randomBytes } from "node:crypto";
import type { Authorities } from "../common/model";
import type { KeyPair } from "./certificates";
import { type Bridges, type Certificates, caCertHash, newAdministrator, type PrivateKeys } from "./identity";

/** kubelet asks for another certificate after 70 to 90 % of this time, as of one that the cluster has signed. */
const kubeletDays = 365;

type Current = { certificates: Certificates; keys: PrivateKeys };

/**
 * Other authorities for a running cluster, and an administrator of theirs. Each comes with a bridge, its certificate signed by the one before: so who still
 * trusts the former authority alone takes what the new one has signed. Names differ, because some programs look for an authority by its name alone.
 */
export async function withNewAuthorities(
    { certificates, keys }: Current,
    { validDays, seal }: { validDays: number; seal: (text: string) => string },
): Promise<Current> {
    const { createAuthority, createBridge } = require("./certificates") as typeof import("./certificates.js");
    const suffix = randomBytes(4).toString("hex");
    const [ca, etcdCa, frontProxyCa] = await Promise.all([
        createAuthority(`kubernetes-${suffix}`, validDays),
        createAuthority(`etcd-ca-${suffix}`, validDays),
        createAuthority(`front-proxy-ca-${suffix}`, validDays),
    ]);
    const bridge = (former: keyof Bridges, next: KeyPair) =>
        createBridge(
            { certificate: certificates[`${former}Certificate`], key: keys[`${former}Key`] },
            next.certificate,
        );
    const bridges: Bridges = {
        ca: await bridge("ca", ca),
        etcdCa: await bridge("etcdCa", etcdCa),
        frontProxyCa: await bridge("frontProxyCa", frontProxyCa),
    };
    const admin = await newAdministrator(ca, validDays);
    return {
        certificates: {
            ...certificates,
            caCertificate: ca.certificate,
            etcdCaCertificate: etcdCa.certificate,
            frontProxyCaCertificate: frontProxyCa.certificate,
            adminCertificate: admin.certificate + bridges.ca,
            exchanged: {
                name: nameOfAuthority(ca.certificate),
                bridges,
                former: certificates.caCertificate,
                first: certificates.exchanged?.first ?? sealed(certificates, keys, seal),
            },
        },
        keys: {
            ...keys,
            caKey: ca.key,
            etcdCaKey: etcdCa.key,
            frontProxyCaKey: frontProxyCa.key,
            adminKey: admin.key,
        },
    };
}

/** The first ten digits of the hash of its public key. */
export function nameOfAuthority(certificate: string): string {
    return caCertHash(certificate).slice("sha256:".length, "sha256:".length + 10);
}

/** kubelet's client certificate, with the bridge and its key, as kubelet has them in one file. Secret. */
export async function newKubeletClient(ca: KeyPair, bridge: string, node: string): Promise<string> {
    const { createClientCertificate } = require("./certificates") as typeof import("./certificates.js");
    const subject = { commonName: `system:node:${node}`, organization: "system:nodes", validDays: kubeletDays };
    const { certificate, key } = await createClientCertificate(ca, subject);
    return certificate + bridge + key;
}

/** Whom users trust: after a rotation, the former authority too until it has ended. */
export function trusted({ caCertificate, exchanged }: Certificates, hasEnded: boolean): string {
    return exchanged?.former === undefined || hasEnded ? caCertificate : caCertificate + exchanged.former;
}

function sealed(certificates: Certificates, keys: PrivateKeys, seal: (text: string) => string): Authorities {
    const { caCertificate, etcdCaCertificate, frontProxyCaCertificate } = certificates;
    const { caKey, etcdCaKey, frontProxyCaKey } = keys;
    return {
        ...{ caCertificate, etcdCaCertificate, frontProxyCaCertificate },
        ...{ caKey: seal(caKey), etcdCaKey: seal(etcdCaKey), frontProxyCaKey: seal(frontProxyCaKey) },
    };
}
