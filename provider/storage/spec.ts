import type { ProxySettings } from "../common/model";

/** What a storage server keeps and serves. Plain data, stored as input of a resource. */
export interface StorageSpec {
    /** Owner of all that is on the server: the id of its cluster, or of the StorageServer. Called so because the runner's journal has it. */
    clusterId: string;
    /** Name of the machine. */
    name: string;
    /** Where clients reach it. */
    address: string;
    /** By name. */
    volumes: Record<string, VolumeSpec>;
    /** Names of volumes whose disk is lost: they are made again, empty. */
    recreate: string[];
    /** By path, as clients mount it. */
    exports: Record<string, ExportSpec>;
    /** Threads of the NFS server. */
    threads: number;
    /** Version 3 of NFS besides 4. */
    nfs3: boolean;
    /** By name. Secret: passwords and keys. */
    backups?: Record<string, BackupSpec>;
    /** Folders that are brought back from backups, by name. Each is done once. */
    restores?: Record<string, RestoreSpec>;
    /** Addresses of registered clients by name, for a machine that takes the place of a former one. In no fingerprint. */
    clients?: Record<string, readonly string[]>;
    /** For packages. Secret. */
    proxy?: ProxySettings;
}

/** What the steps of backups need. */
export type BackupsSpec = Pick<StorageSpec, "clusterId" | "name" | "backups">;

export const fileSystems = ["ext4", "xfs"] as const;
export type FileSystem = (typeof fileSystems)[number];

export interface VolumeSpec {
    /** "/dev/disk/by-id/…": names like /dev/vdb may mean another disk after a reboot. Or "cinder:ID", a volume of the cloud. */
    disk: string;
    fileSystem: FileSystem;
    /** The disk has at least this size. Undefined: any. */
    sizeGiB?: number;
    /** A former owner from whom the volume was taken over; "": the server itself. Its mark stays as it was. */
    owner: string;
    /** Id of the cloud's snapshot from which the disk is made, where the cloud makes it: it has a copy of a volume then. */
    snapshotId?: string;
}

/** Whether it is a volume of the cloud. */
export function isOfCloud(disk: string): boolean {
    return disk.startsWith("cinder:");
}

export const squashes = ["all", "root", "none"] as const;
export type Squash = (typeof squashes)[number];

export interface ExportSpec {
    volume: string;
    /** Within the volume. */
    folder: string;
    /** Addresses and networks. */
    clients: string[];
    /** Besides `clients`: all machines that a StorageClient has registered. */
    registeredClients: boolean;
    readOnly: boolean;
    /** The server answers a write when it is on the disk. */
    sync: boolean;
    squash: Squash;
    uid: number;
    gid: number;
    /** "0770" */
    mode: string;
    /** Further options of exports(5). */
    options: string[];
}

/** A backup of exported folders by restic. */
export interface BackupSpec {
    /** Paths of exports. */
    exports: string[];
    repository: BackupRepository;
    /** restic encrypts the repository with it. */
    password: string;
    /** As systemd's OnCalendar has it. Undefined: only when it is asked for. */
    schedule?: string;
    /** How many of the newest stay, for each kind of period. */
    keep: Partial<Record<KeepPeriod, number>>;
    /** Each new value makes one more backup. */
    run?: string;
}

export const keepPeriods = ["last", "hourly", "daily", "weekly", "monthly", "yearly"] as const;
export type KeepPeriod = (typeof keepPeriods)[number];

/** Where a backup is kept: one of these. */
export interface BackupRepository {
    /** On the storage server, on a disk that is neither the system's nor a volume. */
    folder?: string;
    sftp?: { host: string; port: number; user: string; folder: string; privateKey: string; hostKey: string };
    s3?: {
        /** "https://s3.example.org/bucket/folder" */
        url: string;
        accessKey: string;
        secretKey: string;
        region?: string;
        caCertificate?: string;
    };
}

/** A folder that comes back from a backup into a new folder of a volume. */
export interface RestoreSpec {
    backup: string;
    /** Id of a snapshot, or "latest". */
    snapshot: string;
    /** The export whose folder comes back. */
    path: string;
    volume: string;
    /** Within the volume. */
    folder: string;
    /** Owner of the server that made the backup; "": this server. */
    owner: string;
}

/** Where volumes are mounted. Not below our state folder: that is deleted when a machine is given back. */
export const volumesFolder = "/srv/pulumi-nfv";

export function mountPathOf(volume: string): string {
    return `${volumesFolder}/${volume}`;
}

/** Whose mark a volume carries. */
export function ownerOf({ clusterId }: Pick<StorageSpec, "clusterId">, { owner }: Pick<VolumeSpec, "owner">): string {
    return owner === "" ? clusterId : owner;
}

/** The entries of a map in the order of their names, which is also the order on the machine. */
export function inOrder<T>(map: Record<string, T>): [name: string, value: T][] {
    return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}
