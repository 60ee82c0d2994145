import { createHash } from "node:crypto";
import { SshConnection } from "./connection";
import type { Connection, SshTarget } from "./types";

export { quote, unquote } from "../shell/quote";
export { describeHostKey, parseHostKey } from "./host-keys";
export type { CommandResult, Connection, FileAttributes, RunOptions, SshTarget, UploadOptions } from "./types";

const pool = new Map<string, SshConnection>();

/**
 * The connection to a machine: the same object for the same target, opened at its first use. `close()` and `closeAll()`
 * only close what is open; the next call opens it again.
 */
export function connect(target: SshTarget): Connection {
    return pooled(target);
}

/** Closes every connection now; running commands fail with CONNECTION_LOST. */
export async function closeAll(): Promise<void> {
    // Those behind a jump host first: their streams end with its connection.
    const connections = [...pool.values()].reverse();
    pool.clear();
    await Promise.all(connections.map(connection => connection.closeNow()));
}

/**
 * Closes the connection to a machine and forgets its recorded host key. For a machine that was replaced on purpose by
 * another one with the same address.
 */
export async function forget(target: SshTarget): Promise<void> {
    const key = poolKey(target);
    const connection = pool.get(key);
    pool.delete(key);
    await connection?.closeNow();
}

function pooled(target: SshTarget): SshConnection {
    const key = poolKey(target);
    let connection = pool.get(key);
    if (connection === undefined) {
        connection = new SshConnection(target, target.jump && pooled(target.jump));
        pool.set(key, connection);
    }
    return connection;
}

/** The place in plain text, the credentials hashed: keys of a map may appear in a log. */
export function poolKey(target: SshTarget): string {
    const { host, port = 22, user = "root", jump, hostKeyFrom: _, ...rest } = target;
    const sorted = Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
    const hash = createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 16);
    return `${user}@${host}:${port}#${hash}${jump === undefined ? "" : ` via ${poolKey(jump)}`}`;
}
