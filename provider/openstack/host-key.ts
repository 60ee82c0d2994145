import { createHash, createPrivateKey, createPublicKey, hkdfSync, randomBytes } from "node:crypto";

/** An Ed25519 key pair for SSH. */
export interface SshKeyPair {
    /** OpenSSH form. Secret. */
    privateKey: string;
    /** "ssh-ed25519 AAAA…", without a comment. */
    publicKey: string;
}

/** A new key pair. */
export function newSshKeyPair(comment: string): SshKeyPair {
    return keyPairFrom(randomBytes(32), comment);
}

/**
 * The host key of a server. It is derived from the cluster's seed and the server's name, so no resource per server has
 * to store it.
 */
export function hostKeyOf(seed: string, serverName: string): SshKeyPair {
    const secret = hkdfSync("sha256", Buffer.from(seed, "base64"), "pulumi-nfv", `ssh host key ${serverName}`, 32);
    return keyPairFrom(Buffer.from(secret), serverName);
}

/** Prefix of a PKCS #8 structure with an Ed25519 key of 32 bytes. */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

const type = "ssh-ed25519";

function keyPairFrom(secret: Buffer, comment: string): SshKeyPair {
    const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, secret]), format: "der", type: "pkcs8" });
    const point = Buffer.from(createPublicKey(key).export({ format: "jwk" }).x!, "base64url");
    const publicBlob = Buffer.concat([text(type), text(point)]);
    // OpenSSH expects two equal numbers here. They are derived from the key, so that the same key gives the same text.
    const check = createHash("sha256").update(secret).digest().subarray(0, 4);
    const open = Buffer.concat([check, check, publicBlob, text(Buffer.concat([secret, point])), text(comment)]);
    const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, (8 - (open.length % 8)) % 8);
    const whole = Buffer.concat([
        Buffer.from("openssh-key-v1\0"),
        text("none"), // cipher
        text("none"), // key derivation
        text(""),
        Buffer.from([0, 0, 0, 1]),
        text(publicBlob),
        text(Buffer.concat([open, padding])),
    ]);
    const lines = whole.toString("base64").match(/.{1,70}/g)!;
    return {
        privateKey: ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join(
            "\n",
        ),
        publicKey: `${type} ${publicBlob.toString("base64")}`,
    };
}

/** A string in SSH's wire format: its length, then its bytes. */
function text(value: string | Buffer): Buffer {
    const bytes = Buffer.from(value as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
}
