import type * as pulumi from "@pulumi/pulumi";

/** What users write about backups of a storage server; part of the schema like args.ts. */

/** Backups of exported folders by restic, made by the storage server itself. @change step: from the next backup on */
export interface BackupArgs {
    /**
     * Paths of the exports to save: `["/exports/data"]`. restic reads the files while clients write: software such as a database needs its own dump among
     * them.
     * @default all exports
     * @format path
     */
    exports?: string[];
    /** Where it is kept. @change step: a new repository is made; a previous one stays as it is. An existing one with another password is refused */
    repository: BackupRepositoryArgs;
    /**
     * restic encrypts all that it stores with it. Without it a backup cannot be read: keep it outside of this cluster, too.
     * @change step: a new repository is made; a previous one stays as it is. An existing one with another password is refused
     * @secret
     */
    password: pulumi.Input<string>;
    /**
     * When it is made, as systemd writes it: `"daily"`, `"*-*-* 02:30"`, `"Mon..Fri 22:00"`, in the server's time zone. One that was missed because the
     * server was off is made when it is back.
     * @default never by itself: see `run`
     * @format schedule
     */
    schedule?: string;
    /**
     * What stays after each backup.
     * @default { daily: 7, weekly: 4, monthly: 6 }
     */
    keep?: BackupKeepArgs;
    /**
     * A backup now: each new text makes one more, such as `"before-1.35"`. The run fails if the backup fails.
     * @change step: one more backup
     * @format word
     */
    run?: string;
}

/** Where backups are kept: exactly one of these. If there is no repository of restic yet, one is made. */
export interface BackupRepositoryArgs {
    /**
     * Folder of the machine that exists, on a disk that is neither the system's nor a volume: a mount of yours.
     * @format path
     */
    folder?: string;
    /** A server with SFTP. */
    sftp?: BackupSftpArgs;
    /** A service that speaks S3. */
    s3?: BackupS3Args;
}

/** A server with SFTP, which is every server with OpenSSH. */
export interface BackupSftpArgs {
    /**
     * Its name or address.
     * @format host
     */
    host: pulumi.Input<string>;
    /**
     * Port of its sshd.
     * @default 22
     */
    port?: number;
    /**
     * User who may log in with the key.
     * @format word
     */
    user: string;
    /**
     * Folder there, from /. The user must be able to write to it, or to make it.
     * @format path
     */
    folder: string;
    /**
     * Private key without passphrase: the text, not a path.
     * @secret
     * @format text
     */
    privateKey: pulumi.Input<string>;
    /**
     * Its host key, as ssh-keyscan prints it without the name: `"ssh-ed25519 AAAA…"`. No other one is accepted.
     * @format hostKey
     */
    hostKey: pulumi.Input<string>;
}

/** A bucket. */
export interface BackupS3Args {
    /**
     * `"https://s3.example.org/bucket/folder"`
     * @format bucket
     */
    url: string;
    /**
     * Access key.
     * @secret
     * @format key
     */
    accessKey: pulumi.Input<string>;
    /**
     * Secret key.
     * @secret
     * @format key
     */
    secretKey: pulumi.Input<string>;
    /**
     * Region.
     * @format word
     */
    region?: string;
    /**
     * Certificate of the authority that signed the service's, if the system does not know it.
     * @format text
     */
    caCertificate?: pulumi.Input<string>;
}

/** How many backups stay, for each kind of period: the newest one of each hour, day, week. */
export interface BackupKeepArgs {
    /** The newest ones, whenever they were made. */
    last?: number;
    /** Hours. */
    hourly?: number;
    /** Days. */
    daily?: number;
    /** Weeks. */
    weekly?: number;
    /** Months. */
    monthly?: number;
    /** Years. */
    yearly?: number;
}

/**
 * A folder that comes back from a backup, into a new folder of a volume; once: a restore that was done is not repeated, whatever happens to its folder. To
 * serve it, give its `folder` to an export, in the same run or later.
 * @change refused: of a restore that was done, while `up` runs: another one has another name
 */
export interface RestoreArgs {
    /**
     * Name of the backup in `backups`.
     * @format dnsLabel
     */
    backup: string;
    /**
     * Id of restic's snapshot, of this owner, backup and path, or `latest`.
     * @default "latest"
     * @format snapshotId
     */
    snapshot?: string;
    /**
     * Path of the export as it was when the backup was made.
     * @format path
     */
    path: string;
    /**
     * Volume that gets the folder.
     * @change step: the folder comes back on that volume, too
     * @format dnsLabel
     */
    volume: string;
    /**
     * Folder within the volume. It must not exist yet, or be empty.
     * @format folder
     */
    folder: string;
    /**
     * Owner of the storage server that made the backup, if it was another one: the output `owner` of its StorageServer, or the `clusterId` of its cluster.
     * @default this server's own id
     * @format dnsLabel
     */
    owner?: string;
}
