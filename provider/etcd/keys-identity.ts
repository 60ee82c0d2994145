import { createHash } from "node:crypto";
import type { ControlPlaneKeys } from "../common/model";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * What lib/cluster-identity.sh prints on a control-plane node that has these keys: machines that are new have none yet, and a snapshot of other keys must be
 * refused before they get them. `encrypts`: Secrets are encrypted at rest.
 */
export function identityOfKeys(keys: ControlPlaneKeys, encrypts: boolean): string {
    const parts = {
        "ca.crt": keys.caCertificate,
        "etcd/ca.crt": keys.etcdCaCertificate,
        "front-proxy-ca.crt": keys.frontProxyCaCertificate,
        "sa.pub": keys.serviceAccountPublicKey,
    };
    const lines = Object.entries(parts).map(([path, text]) => `${path} ${sha256(text.replace(/[ \r\n]/g, ""))}`);
    const encryption = sha256(encrypts ? `${keys.encryptionKey}\n` : "");
    return sha256(`${[...lines, encryption].join("\n")}\n`).slice(0, 16);
}
