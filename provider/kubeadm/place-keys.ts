import type { ControlPlaneKeys, NodeSpec } from "../model";
import type { Act, StepBody, StepFactory, StepFile } from "../steps/types";
import type { Membership } from "./api-server-files";
import { kubeadmScript } from "./kubeadm-script";
import { pkiFolder } from "./paths";

/**
 * Where kubeadm looks for existing keys. If they are there, init creates none and join needs no upload of certificates.
 */
const places: {
    key: Exclude<keyof ControlPlaneKeys, "encryptionKeyName" | "serviceAccountKeyName" | `first${string}`>;
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

const printKeys: Act = {
    id: "node.print-service-account-keys",
    title: "get the service-account keys",
    target: "controlPlane",
    run: kubeadmScript("kubeadm/print-service-account-keys.sh"),
    timeoutSeconds: 60,
    answers: true,
};

const isServiceAccountKey = ({ path }: StepFile) => /\/sa\.(key|pub)$/.test(path);

/**
 * A service-account key that was never rotated is a file as any other. After that, those on the control-plane nodes are the truth: several may be valid, and
 * only a rotation changes them. The fingerprint stays the same.
 */
function kept(keys: ControlPlaneKeys, membership: Membership): Partial<StepBody> {
    const files = keyFiles(keys);
    if (keys.serviceAccountKeyName === undefined) return { files };
    const { firstServiceAccountKey: sealed, firstServiceAccountPublicKey: first } = keys;
    return {
        files: files.filter(file => !isServiceAccountKey(file)),
        declaredFiles: files.map(file =>
            !isServiceAccountKey(file)
                ? file
                : file.secret
                  ? { ...file, content: "", ...(sealed !== undefined && { sealed }) }
                  : { ...file, content: first ?? file.content },
        ),
        secrets: { key: keys.serviceAccountKey, public: keys.serviceAccountPublicKey },
        ...(membership === "join" && { preparation: printKeys }),
        run: kubeadmScript("kubeadm/keep-service-account-keys.sh"),
        observe: { script: kubeadmScript("kubeadm/observe-service-account-keys.sh") },
    };
}

/** Writes the cluster's authorities and service-account key on each control-plane node, before init or join. */
export const placeKeysBy =
    (membership: Membership): StepFactory<NodeSpec> =>
    spec =>
        spec.role === "controlPlane" && spec.keys
            ? {
                  id: "node.keys",
                  title: "place the cluster's keys",
                  revision: 1,
                  ...kept(spec.keys, membership),
                  timeoutSeconds: 180,
              }
            : undefined;
