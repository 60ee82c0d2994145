import type { Context } from "../../contract/types";
import { getKeyPair, type KeyPair } from "../../openstack/nova";
import { clear, type PartsOwner } from "./orphans";

/** A key pair that will be created. */
export interface WantedKeyPair {
    name: string;
    /** In OpenSSH form. */
    publicKey: string;
}

/**
 * A user has only one key pair of a name. Key pairs have no mark, but the key itself proves the owner: only this state
 * has it. Servers do not need the key pair after their creation.
 * @throws NOT_OURS
 */
export function clearTheKeyPair({ name, publicKey }: WantedKeyPair, owner: PartsOwner, context: Context) {
    return clear<KeyPair>(
        {
            find: async cloud => {
                const pair = await getKeyPair(cloud, name);
                return pair === undefined ? [] : [pair];
            },
            again: (_, cloud) => getKeyPair(cloud, name),
            isOrphan: pair => keyIn(pair.public_key) !== "" && keyIn(pair.public_key) === keyIn(publicKey),
            name: () => `the key pair "${name}"`,
            how: () => "exists already",
            remove: (_, cloud) => cloud.change("compute", "DELETE", `/os-keypairs/${encodeURIComponent(name)}`),
            hint: () =>
                "Choose another cluster name, or give a key pair that exists (keyPair). " +
                `If nobody needs it: openstack keypair delete ${name}, then run pulumi up again.`,
        },
        owner,
        context,
    );
}

/** Type and key, without the comment. */
function keyIn(publicKey: string | undefined): string {
    const [kind = "", key = ""] = (publicKey ?? "").trim().split(/\s+/);
    return key === "" ? "" : `${kind} ${key}`;
}
