/** How to reach a machine by SSH. Secrets: privateKey, passphrase, password. */
export interface SshTarget {
    host: string;
    /** @default 22 */
    port?: number;
    /** @default "root" */
    user?: string;
    /** Private key in OpenSSH or PEM form (the text, not a path). */
    privateKey?: string;
    /** Passphrase of `privateKey`. */
    passphrase?: string;
    /** Used only if given; keys and agents come first. */
    password?: string;
    /** Path of an agent's socket; "env" takes SSH_AUTH_SOCK. */
    agent?: string;
    /**
     * Host key that the machine must show: "ssh-ed25519 AAAA…", or a fingerprint "SHA256:…". Without it, the first key
     * seen is recorded and expected from then on (see `Connection.hostKey`).
     */
    hostKey?: string;
    /**
     * Where `hostKey` comes from, for hints: the input's name, or `cloud` for a key that the program put on its server.
     */
    hostKeyFrom?: string;
    /** A jump host, with its own user, key and host key. */
    jump?: SshTarget;
    /** @default 15 */
    connectTimeoutSeconds?: number;
    /** Interval of keep-alive messages in seconds; three unanswered ones end the connection. @default 5 */
    keepAliveSeconds?: number;
}

export interface RunOptions {
    /** Sent to the command's standard input, which is then closed. Use it for secrets. */
    stdin?: string | Buffer;
    /**
     * Leaves standard input open until the command ends. If it ends earlier, the command knows that the operator's
     * process is gone.
     */
    keepStdinOpen?: boolean;
    /** Closes the channel and throws STEP_TIMEOUT. */
    timeoutSeconds?: number;
    /**
     * Called with each piece of output as it arrives. The result then has only the end (1 MiB) of standard output; of
     * standard error it always has only the end. Without this, output of more than 64 MiB is an error.
     */
    onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
    /** Longer standard output is an error. @default 64 MiB */
    maxBytes?: number;
    signal?: AbortSignal;
}

export interface CommandResult {
    /** Exit code; 128 + n if a signal ended it. */
    code: number;
    stdout: string;
    stderr: string;
}

export interface FileAttributes {
    /** @default 0o644 */
    mode?: number;
    /** "user" or "user:group". @default "root:root" */
    owner?: string;
}

export interface UploadOptions extends FileAttributes {
    /** SHA-256 of the whole file in hex, verified on the node before the file is renamed to its name. */
    sha256: string;
    onProgress?: (sentBytes: number, totalBytes: number) => void;
    signal?: AbortSignal;
}

/**
 * One connection to one machine. Commands run as root (through `sudo -n` if the user is not root). A dropped connection
 * is opened again at the next call; a running call fails with CONNECTION_LOST.
 */
export interface Connection {
    readonly target: SshTarget;
    /** "ssh-ed25519 AAAA…" as seen; undefined before the first connection. */
    readonly hostKey?: string;
    /** Makes the rest of the run expect the keys that this machine and its jump hosts have shown, or that were given. */
    recordHostKey(): void;
    /** The connection to the jump host, if there is one. */
    readonly jump?: Connection;
    /** Only this method quotes argv for the remote shell. An exit code never makes it throw. */
    exec(argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
    /** Writes a temporary file, whose mode and owner are set before it has content, then fsync and rename. */
    writeFile(path: string, content: string | Buffer, attributes?: FileAttributes): Promise<void>;
    /** Like writeFile, for large files: continues where an earlier attempt stopped. */
    upload(localPath: string, path: string, options: UploadOptions): Promise<void>;
    /** undefined if the file does not exist. */
    readFile(path: string): Promise<Buffer | undefined>;
    close(): Promise<void>;
}
