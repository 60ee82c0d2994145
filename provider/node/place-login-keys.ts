import { errorsFor } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import type { Act } from "../steps/types";

export interface LoginKeys {
    /** Who logs in. */
    user: string;
    /** Public keys that let this user in: "ssh-ed25519 AAAA…". */
    keys: readonly string[];
    /** Public keys that let no user in any more. */
    gone: readonly string[];
}

/** Which keys let somebody log in to a machine. Over a connection that was opened with one of `keys`, so what is left works. */
export function placeLoginKeys({ user, keys, gone }: LoginKeys): Act {
    return {
        id: "machine.login-keys",
        title: gone.length === 0 ? "let the new login key in" : "let the new login key in, and no former one",
        target: "self",
        run: script("node/place-login-keys.sh"),
        env: { LOGIN_USER: user, KEYS: keys.join("\n"), GONE: gone.join("\n") },
        timeoutSeconds: 60,
        errors: errorsFor("ROTATION_FAILED"),
    };
}
