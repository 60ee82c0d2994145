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
    /** Used only when given: keys and agents are preferred. */
    password?: string;
    /** Path of an agent's socket; "env" takes SSH_AUTH_SOCK. */
    agent?: string;
    /**
     * Host key that the machine must show: "ssh-ed25519 AAAA…", or a fingerprint "SHA256:…".
     * Without it the key seen first is pinned (and handed out as `Connection.hostKey`).
     */
    hostKey?: string;
    /** Where `hostKey` comes from, for hints: the input that gives it, or `cloud` for one that the program put on its server. */
    hostKeyFrom?: string;
    /** A machine in between, with an own target description (own user, key, host key). */
    jump?: SshTarget;
    /** @default 15 */
    connectTimeoutSeconds?: number;
    /** Interval of keep-alive messages in seconds; three unanswered ones end the connection. @default 5 */
    keepAliveSeconds?: number;
}

export interface RunOptions {
    /** Sent to the command's standard input, which is then closed. The way for secrets. */
    stdin?: string | Buffer;
    /** Leaves standard input open until the command ends: by its end the command then learns that nobody is there any more. */
    keepStdinOpen?: boolean;
    /** Ends the channel and throws STEP_TIMEOUT. */
    timeoutSeconds?: number;
    /**
     * Called with each piece of output as it comes. The result then has only the end of standard output (1 MiB), as of standard error in
     * any case. Without it an answer of more than 64 MiB is an error.
     */
    onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
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
    /** SHA-256 of the whole file in hex, verified on the node before the file gets its name. */
    sha256: string;
    onProgress?: (sentBytes: number, totalBytes: number) => void;
    signal?: AbortSignal;
}

/**
 * One connection to one machine. Commands run as root (through `sudo -n` if the user is not root).
 * A dropped connection is opened again at the next call; a call that was under way fails with CONNECTION_LOST.
 */
export interface Connection {
    readonly target: SshTarget;
    /** "ssh-ed25519 AAAA…" as seen; undefined before the first contact. */
    readonly hostKey?: string;
    /** The connection to the machine in between, if there is one. */
    readonly jump?: Connection;
    /** argv is quoted for the remote shell here and nowhere else. Never throws because of an exit code. */
    exec(argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
    /** Written to a temporary file with its mode and owner set before content is there, fsync, rename. */
    writeFile(path: string, content: string | Buffer, attributes?: FileAttributes): Promise<void>;
    /** Like writeFile, for large files: goes on where an earlier try stopped. */
    upload(localPath: string, path: string, options: UploadOptions): Promise<void>;
    /** undefined if there is no such file. */
    readFile(path: string): Promise<Buffer | undefined>;
    close(): Promise<void>;
}
