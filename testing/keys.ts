import { utils } from "ssh2";

/** Both in OpenSSH form. */
export interface KeyPair {
    private: string;
    public: string;
}

/**
 * A key pair for SSH, in OpenSSH form. One in 200 of the Ed25519 keys that ssh2 1.17 makes is malformed (neither it nor OpenSSH reads
 * it), so each is read before it is given out.
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
