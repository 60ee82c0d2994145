import { errorsFor } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import type { Act } from "../steps/types";

/** Where cloud-init has written our key, and sshd looks for it. */
export const hostKeyPath = "/etc/ssh/ssh_host_ed25519_key";

/** The private key must be there before: an act has no secrets. */
export const newHostKeyPath = `${hostKeyPath}.nfv-new`;

/** The key at `newHostKeyPath` becomes the one that the machine shows. `publicKey`: "ssh-ed25519 AAAA…". */
export function placeHostKey(publicKey: string, title: string): Act {
    return {
        id: "machine.host-key",
        title,
        target: "self",
        run: script("node/place-host-key.sh"),
        env: { HOST_KEY: hostKeyPath, PUBLIC_KEY: publicKey },
        timeoutSeconds: 60,
        errors: errorsFor("ROTATION_FAILED"),
    };
}
