import type { ControlPlaneKeys, NodeSpec } from "../model";
import type { StepFactory, StepFile } from "../steps/types";
import { pkiFolder } from "./paths";

/**
 * Where kubeadm looks for existing keys. If they are there, init creates none and join needs no upload of certificates.
 */
const places: {
    key: Exclude<keyof ControlPlaneKeys, "encryptionKeyName" | "firstEncryption">;
    path: string;
    secret: boolean;
}[] = [
    { key: "caCertificate", path: "ca.crt", secret: false },
    { key: "caKey", path: "ca.key", secret: true },
    { key: "etcdCaCertificate", path: "etcd/ca.crt", secret: false },
    { key: "etcdCaKey", path: "etcd/ca.key", secret: true },
    { key: "frontProxyCaCertificate", path: "front-proxy-ca.crt", secret: false },
    { key: "frontProxyCaKey", path: "front-proxy-ca.key", secret: true },
    { key: "serviceAccountKey", path: "sa.key", secret: true },
    { key: "serviceAccountPublicKey", path: "sa.pub", secret: false },
];

export function keyFiles(keys: ControlPlaneKeys): StepFile[] {
    return places.map(({ key, path, secret }) => ({
        path: `${pkiFolder}/${path}`,
        content: keys[key],
        mode: secret ? 0o600 : 0o644,
        secret,
    }));
}

/** Writes the cluster's authorities and service-account key on each control-plane node, before init or join. */
export const placeKeys: StepFactory<NodeSpec> = spec =>
    spec.role === "controlPlane" && spec.keys
        ? {
              id: "node.keys",
              title: "place the cluster's keys",
              revision: 1,
              files: keyFiles(spec.keys),
              timeoutSeconds: 60,
          }
        : undefined;
