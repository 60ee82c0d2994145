import { utils } from "ssh2";

/** Both in OpenSSH form. */
export interface KeyPair {
    private: string;
    public: string;
}

/**
 * A key pair for SSH, in OpenSSH form. ssh2 1.17 makes one in 200 Ed25519 keys malformed (neither it nor OpenSSH can read them), so
 * each key is read before it is returned.
 */
export function newKeyPair(type: "ed25519" | "rsa" | "ecdsa" = "ed25519", passphrase?: string): KeyPair {
    const locked = passphrase === undefined ? {} : { passphrase, cipher: "aes256-ctr", rounds: 4 };
    const options = { bits: type === "rsa" ? 2048 : 256, ...locked };
    for (;;) {
        const pair = utils.generateKeyPairSync(type as "ecdsa", options as { bits: 256 });
        if (!(utils.parseKey(pair.private, passphrase) instanceof Error)) {
            return pair;
        }
    }
}
