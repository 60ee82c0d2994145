import { same } from "../contract/values";
import type { Peer } from "../machine/machine";
import type { SshTarget } from "../ssh";

/** How another machine is reached, as far as that differs from one whose login is stored beside it. Null: that one has it, this one has not. */
export interface KeptLogin {
    name: string;
    connection: { [Key in keyof SshTarget]?: SshTarget[Key] | null };
}

/** Most machines differ by host and host key only. `own`: the machine in whose state this is stored. */
export function keptLogins(peers: readonly Peer[], name: string, own: SshTarget): KeptLogin[] {
    return peers
        .filter(peer => peer.name !== name)
        .map(peer => {
            const [theirs, ours] = [peer.connection, own] as unknown as Record<string, unknown>[];
            const differing = Object.keys({ ...ours, ...theirs }).filter(key => !same(theirs![key], ours![key]));
            const connection = Object.fromEntries(differing.map(key => [key, theirs![key] ?? null]));
            return { name: peer.name, connection: connection as KeptLogin["connection"] };
        });
}

/** The whole login again. */
export function loginLike(own: SshTarget, { connection }: KeptLogin): SshTarget {
    const entries = Object.entries({ ...own, ...connection }).filter(([, value]) => value !== null);
    return Object.fromEntries(entries) as unknown as SshTarget;
}
