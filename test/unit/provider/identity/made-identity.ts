import type { ControlPlaneKeys, PublicIdentity } from "../../../../provider/common/model";
import {
    type Certificates,
    type ClusterId,
    caCertHash,
    controlPlaneKeys,
    newClusterId,
    newKeySet,
    type PrivateKeys,
} from "../../../../provider/identity";

/** Id and keys of a cluster in one object. */
export interface Identity extends ClusterId, Certificates, PrivateKeys {
    clusterName: string;
}

interface Wanted {
    clusterName: string;
    validDays?: number;
}

export async function createIdentity({ clusterName, validDays }: Wanted): Promise<Identity> {
    const { certificates, keys } = await newKeySet(validDays);
    return { clusterName, ...newClusterId(clusterName), ...certificates, ...keys };
}

let core: Promise<Identity> | undefined;

/** That of the cluster "core", made once in a process: keys take time. */
export function coreIdentity(): Promise<Identity> {
    core ??= createIdentity({ clusterName: "core" });
    return core;
}

export function publicIdentity({ clusterId, caCertificate, fingerprint }: Identity): PublicIdentity {
    return { clusterId, caCertHash: caCertHash(caCertificate), fingerprint };
}

/** What control-plane nodes get. */
export function clusterKeys(identity: Identity): ControlPlaneKeys {
    return controlPlaneKeys({ certificates: identity, keys: identity });
}

/** What the resources ClusterId and ClusterKeys have as outputs. */
export function outputsOf({ clusterName: _, clusterId, fingerprintKey, ...set }: Identity) {
    const { caKey, etcdCaKey, frontProxyCaKey, serviceAccountKey, encryptionKey, adminKey, ...certificates } = set;
    const current = { caKey, etcdCaKey, frontProxyCaKey, serviceAccountKey, encryptionKey, adminKey };
    return {
        ClusterId: { clusterId, fingerprintKey },
        ClusterKeys: { certificates: { current: certificates }, keys: current },
    };
}
