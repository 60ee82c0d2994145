import type * as pulumi from "@pulumi/pulumi";

/** How a machine is reached by SSH. */
export interface SshArgs {
    /**
     * Name or address to connect to.
     * @default the machine's address
     */
    host?: pulumi.Input<string>;
    /**
     * Port of sshd.
     * @default 22
     */
    port?: pulumi.Input<number>;
    /**
     * root, or a user who may run sudo without a password.
     * @default "root"
     */
    user?: pulumi.Input<string>;
    /**
     * Private key in OpenSSH or PEM form: the text, not a path.
     * @secret
     */
    privateKey?: pulumi.Input<string>;
    /**
     * Passphrase of `privateKey`.
     * @secret
     */
    passphrase?: pulumi.Input<string>;
    /**
     * Used only when given; keys and agents are better.
     * @secret
     */
    password?: pulumi.Input<string>;
    /** Path of an SSH agent's socket; `"env"` takes SSH_AUTH_SOCK. */
    agent?: pulumi.Input<string>;
    /**
     * Host key that the machine must show: `"ssh-ed25519 AAAA…"`, or its fingerprint `"SHA256:…"`.
     * Give it with `password`: at the first contact this would go to whoever answers. For a jump host that was rebuilt, give its new key.
     * @default the key seen first is pinned, and a changed one is an error
     */
    hostKey?: pulumi.Input<string>;
    /** A machine in between, with settings of its own; its `host` is required. */
    jump?: SshArgs;
    /**
     * How long a machine that is silent or refuses is tried again, in seconds.
     * @default 15
     */
    connectTimeoutSeconds?: pulumi.Input<number>;
    /**
     * Interval of keep-alive messages in seconds; three unanswered ones end the connection.
     * @default 5
     */
    keepAliveSeconds?: pulumi.Input<number>;
}
