import type * as pulumi from "@pulumi/pulumi";

/** How a machine is reached by SSH. @change nothing */
export interface SshArgs {
    /**
     * Name or address to connect to.
     * @default the machine's address
     * @change nothing: must lead to the same machine; the machine's journal proves it
     * @format host
     */
    host?: pulumi.Input<string>;
    /**
     * Port of sshd.
     * @default 22
     */
    port?: pulumi.Input<number>;
    /**
     * root, or a user who may use sudo without a password.
     * @default "root"
     * @format userName
     */
    user?: pulumi.Input<string>;
    /**
     * Private key in OpenSSH or PEM form: the text, not a path.
     * @secret
     * @format text
     */
    privateKey?: pulumi.Input<string>;
    /**
     * Passphrase of `privateKey`.
     * @secret
     */
    passphrase?: pulumi.Input<string>;
    /**
     * Password for the login; keys and agents are better.
     * @secret
     */
    password?: pulumi.Input<string>;
    /**
     * Path of an SSH agent's socket; `"env"` takes the path in SSH_AUTH_SOCK.
     * @default `"env"` if neither `privateKey` nor `password` is given, otherwise no agent
     */
    agent?: pulumi.Input<string>;
    /**
     * Host key that the machine must show: `"ssh-ed25519 AAAA…"`, or its fingerprint `"SHA256:…"`.
     * Give it with `password`: without it, the first connection would send the password to any machine that answers. For a jump host that was
     * rebuilt, give its new key.
     * @default the key seen first is pinned, and a changed one is an error
     * @change nothing: checked at once on each machine; a machine with another key is an error
     */
    hostKey?: pulumi.Input<string>;
    /** A jump host, with settings of its own; its `host` is required. @change nothing */
    jump?: SshArgs;
    /**
     * How long to retry a machine that does not answer or refuses the connection, in seconds.
     * @default 15
     */
    connectTimeoutSeconds?: pulumi.Input<number>;
    /**
     * Interval of keep-alive messages in seconds; three unanswered ones end the connection.
     * @default 5
     */
    keepAliveSeconds?: pulumi.Input<number>;
}
