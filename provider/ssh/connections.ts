import { createHash } from "node:crypto";
import { SshConnection } from "./connection";
import type { Connection, SshTarget } from "./types";

/** The connections of one run, and the host keys that the run expects of its machines. */
export class Connections {
    private readonly pool = new Map<string, SshConnection>();
    private readonly hostKeys = new Map<string, string>();

    /**
     * The connection to a machine: the same object for the same target, opened at its first use. `close()` only closes
     * what is open; the next call opens it again.
     */
    to(target: SshTarget): Connection {
        return this.pooled(target);
    }

    /** The key that this run has recorded for the machine. */
    hostKeyOf(target: SshTarget): string | undefined {
        return this.hostKeys.get(placeOf(target));
    }

    /**
     * The keys by which earlier runs know machines, by place: expected from now on, unless this run already knows another one.
     */
    expect(keys: Readonly<Record<string, string>>): void {
        for (const [place, key] of Object.entries(keys)) {
            if (!this.hostKeys.has(place)) this.hostKeys.set(place, key);
        }
    }

    /** Closes every connection now; running commands fail with CONNECTION_LOST. Recorded host keys stay. */
    async close(): Promise<void> {
        // Those behind a jump host first: their streams end with its connection.
        const connections = [...this.pool.values()].reverse();
        this.pool.clear();
        await Promise.all(connections.map(connection => connection.closeNow()));
    }

    /**
     * Closes the connection to a machine and forgets its host key. For a machine that was replaced on purpose by another
     * one with the same address.
     */
    async forget(target: SshTarget): Promise<void> {
        this.hostKeys.delete(placeOf(target));
        const key = poolKey(target);
        const connection = this.pool.get(key);
        this.pool.delete(key);
        await connection?.closeNow();
    }

    private pooled(target: SshTarget): SshConnection {
        const key = poolKey(target);
        let connection = this.pool.get(key);
        if (connection === undefined) {
            const record = (hostKey: string) => void this.hostKeys.set(placeOf(target), hostKey);
            connection = new SshConnection(target, target.jump && this.pooled(target.jump), record);
            this.pool.set(key, connection);
        }
        return connection;
    }
}

/** Includes the jump hosts: behind two of them the same private address is two machines. */
export function placeOf({ host, port = 22, jump }: SshTarget): string {
    return `${host}:${port}${jump === undefined ? "" : ` via ${placeOf(jump)}`}`;
}

/** The place in plain text, the credentials hashed: keys of a map may appear in a log. */
export function poolKey(target: SshTarget): string {
    const { host, port = 22, user = "root", jump, hostKeyFrom: _, ...rest } = target;
    const sorted = Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
    const hash = createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 16);
    return `${user}@${host}:${port}#${hash}${jump === undefined ? "" : ` via ${poolKey(jump)}`}`;
}
