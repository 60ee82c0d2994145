import type * as pulumi from "@pulumi/pulumi";
import type { BackupArgs, RestoreArgs } from "./backup-args";
import type { BootVolumeArgs, StorageCloudArgs } from "./infrastructure-args";
import type { SnapshotClassArgs } from "./snapshot-args";
import type { SshArgs } from "./ssh-args";

/** What users write about storage; part of the schema like args.ts. */

/** A machine that serves volumes over NFS, to several clusters or to other machines. */
export interface StorageServerArgs {
    /**
     * Name under which server, network and volumes are made in a cloud, and of which the `owner` is made: a DNS label of at most 50 characters, in a cloud of
     * at most 41. Where the resource gets another name, give the previous one here, and as an alias. Cannot be changed.
     * @default the resource's name
     * @change refused
     * @format dnsLabel
     */
    serverName?: string;
    /**
     * The cloud in which the server is made, with `server.flavor`.
     * @default the machine exists: `server.address`
     */
    infrastructure?: StorageInfrastructureArgs;
    /** The machine that serves. */
    server: StorageMachineArgs;
    /**
     * Volumes by name. A volume that is removed here is unmounted; its data stays on its disk.
     * @change step: a new volume is made or taken over; a removed one is unmounted and keeps its data
     * @keys dnsLabel
     */
    volumes: Record<string, StorageVolumeArgs>;
    /**
     * Folders of volumes by the path at which clients mount them: `"/exports/data"`.
     * @change step: clients of other exports notice nothing; refused for an export that claims or pods use, unless `force` names it
     * @keys path
     */
    exports: Record<string, ExportArgs>;
    /**
     * Threads of the NFS server: requests that it works on at the same time.
     * @default 8
     * @change restart: the NFS server; clients pause
     */
    threads?: number;
    /**
     * Serve version 3 of NFS besides version 4.
     * @default false
     * @change restart: the NFS server; clients pause
     */
    nfs3?: boolean;
    /**
     * Backups of exported folders by restic, by name. A backup that is removed here is made no more; what it has stored stays.
     * @change step: clients notice nothing; one that is removed is made no more, and what it has stored stays
     * @keys dnsLabel
     */
    backups?: Record<string, BackupArgs>;
    /**
     * Folders that come back from backups, by name; each once.
     * @change step: the folder comes back, once; nothing when an entry is removed
     * @keys dnsLabel
     */
    restores?: Record<string, RestoreArgs>;
    /**
     * Snapshots of the cloud's volumes (Cinder), by name. They stay in the cloud when an entry is removed here, and when the server is destroyed.
     * @change cloud: one more snapshot, at the end of the run; of an entry that is removed, all snapshots stay
     * @keys dnsLabel
     */
    snapshots?: Record<string, VolumeSnapshotArgs>;
    /**
     * Names of volumes whose disk is lost and was replaced by an empty one: they are made again, without data. Remove it after that.
     * @change step: an empty volume is made on an empty disk where one was lost; nothing while the volume is there
     * @format dnsLabel
     */
    recreate?: string[];
    /** Names of volumes and paths of exports that may go, or lose a client, although claims or pods use them: `["data"]`. @change nothing */
    force?: string[];
}

/** Where the server is made. */
export interface StorageInfrastructureArgs {
    /** A server of an OpenStack cloud. Its network, security group and key pair get the name `serverName`. */
    nova: StorageCloudArgs;
}

/**
 * The machine that serves: an existing one, with `address`; or, with `flavor`, a server that is made in the cloud (of a cluster: with `heat` or `nova`; of a
 * StorageServer of its own: with `infrastructure.nova`), with volumes of the cloud. It must not be a node of a cluster.
 * @change nothing: a server keeps what it was made with and from; one that you replace by name takes the new value
 */
export interface StorageMachineArgs {
    /**
     * IP address at which clients mount, of a machine that exists already.
     * @change again: refused while exports are used, because clients do not follow; otherwise the previous server is given back, and its volumes keep their
     * data
     * @format address
     */
    address?: pulumi.Input<string>;
    /**
     * How an existing machine is reached.
     * @default with a cluster on `hosts` the settings of all its machines; otherwise the address, user root, the keys of the SSH agent
     */
    ssh?: SshArgs;
    /** Flavor of the server to make, by name or id. A server keeps the flavor that it was made with. */
    flavor?: string;
    /**
     * Its image, by name or id. A server keeps the image that it was made from.
     * @default the `image` of the cloud's settings; with a Heat template of yours, the one that all its nodes are made from
     */
    image?: string;
    /** It boots from a new volume instead of the flavor's disk. */
    bootVolume?: BootVolumeArgs;
    /** Its availability zone. The cloud's volumes must be usable there. */
    availabilityZone?: string;
    /**
     * Its IPv4 address in the network. It takes effect when the server's port is made: clients know the server by its address, so a port
     * that exists keeps it, also when the server is replaced.
     * @default Neutron chooses
     * @change nothing: a port that exists keeps its address, because clients know it
     * @format ipv4
     */
    fixedAddress?: string;
    /**
     * Existing security groups to add to our own, by name or id. A cluster's group lets its nodes in: other clients need one that lets them reach port
     * 2049. That of a StorageServer of its own lets in the `clients` of its exports. With a Heat template of yours the server has the groups of the first
     * control-plane node's port, and these.
     * @change cloud
     */
    securityGroups?: string[];
}

/** A volume: a disk of an existing machine, or a volume of the cloud, with a file system of ours. */
export interface StorageVolumeArgs {
    /**
     * On an existing machine: path of the whole disk below /dev/disk/by-id. Names like /dev/vdb may mean another disk after a reboot and are refused.
     * A disk is formatted only when it is proven empty; a disk with anything else on it is an error that says what it is.
     * @change step: the same volume on another path; another disk without its mark is refused
     * @format disk
     */
    disk?: string;
    /**
     * ext4 or xfs.
     * @default "ext4"
     * @change refused: a volume of another name takes another value
     * @format choice
     */
    fileSystem?: string;
    /**
     * Size in GiB: required for a volume that is made in the cloud, and at least this for others. Raise it, and the volume and its file system grow
     * while they are in use; a disk of an existing machine must have grown before.
     * @default any size
     * @change step: the file system grows while it is in use; a smaller size is refused
     */
    sizeGiB?: number;
    /** Volume type of the cloud. A volume keeps its type. @change nothing: a volume keeps what it was made with and from */
    type?: string;
    /**
     * Id of an existing volume of the cloud that is attached instead of a new one, such as one that an earlier `pulumi destroy` kept.
     * @change step: the same volume by its id; another one is refused
     * @format cloudId
     */
    volumeId?: string;
    /**
     * Id of a snapshot of the cloud from which a new volume is made, with its data. `sizeGiB` is at least that of the snapshot's volume. A volume that exists
     * keeps its data, whatever stands here.
     * @change nothing: a volume keeps what it was made with and from
     * @format cloudId
     */
    snapshotId?: string;
    /**
     * Owner of a previous volume of this name, which is taken over with its data: the output `owner` of its StorageServer, or the `clusterId` of its
     * cluster. The error for a volume with somebody else's mark names it.
     * @default this server's own id
     * @change refused: a volume of another name takes another value
     * @format dnsLabel
     */
    owner?: string;
}

/**
 * A folder of a volume that is served.
 * @change step: mounts go on with the new settings; refused while a client that loses access is connected, unless `force` names the export
 */
export interface ExportArgs {
    /**
     * Name of its volume.
     * @change step: another folder is served at this path; refused while claims or pods use it, unless `force` names it
     * @format dnsLabel
     */
    volume: string;
    /**
     * Folder within the volume; it is made if it is missing.
     * @default the export's path
     * @change step: another folder is served at this path; refused while claims or pods use it, unless `force` names it
     * @format folder
     */
    folder?: string;
    /**
     * Addresses and networks that may mount it: `["10.0.0.0/24"]`. Required for a StorageServer of its own.
     * @default the nodes of the cluster, and no others
     * @format addressOrCidr
     */
    clients?: pulumi.Input<string>[];
    /**
     * Clients may only read.
     * @default false
     */
    readOnly?: boolean;
    /**
     * The server acknowledges a write when it is on the disk. Without it a power failure loses acknowledged data.
     * @default true
     */
    sync?: boolean;
    /**
     * Which users of a client become `uid` and `gid`: `all`, `root` (it becomes nobody), or `none`. Software that gives files to other users,
     * such as databases that start as root, needs `none`.
     * @default "all"
     * @format choice
     */
    squash?: string;
    /**
     * Owner of the folder.
     * @default 65534 (nobody)
     * @change step: of the folder itself; files in it stay as they are
     */
    uid?: number;
    /**
     * Group of the folder.
     * @default 65534 (nogroup)
     * @change step: of the folder itself; files in it stay as they are
     */
    gid?: number;
    /**
     * Mode of the folder, in octal.
     * @default "0770"
     * @change step: of the folder itself; files in it stay as they are
     * @format mode
     */
    mode?: string;
    /**
     * Further options of exports(5): `["insecure"]`.
     * @format option
     */
    options?: string[];
}

/** Storage of a cluster. All nodes, also later ones, get the NFS client. */
export interface StorageArgs {
    /** The machine that serves. Required with `volumes` or `exports`. */
    server?: StorageMachineArgs;
    /**
     * Volumes by name. A volume that is removed here is unmounted; its data stays on its disk.
     * @change step: a new volume is made or taken over; a removed one is unmounted and keeps its data
     * @keys dnsLabel
     */
    volumes?: Record<string, StorageVolumeArgs>;
    /**
     * Folders of volumes by the path at which nodes mount them: `"/exports/data"`.
     * @change step: clients of other exports notice nothing; refused for an export that claims or pods use, unless `force` names it
     * @keys path
     */
    exports?: Record<string, ExportArgs>;
    /**
     * Threads of the NFS server: requests that it works on at the same time.
     * @default 8
     * @change restart: the NFS server; clients pause
     */
    threads?: number;
    /**
     * Serve version 3 of NFS besides version 4.
     * @default false
     * @change restart: the NFS server; clients pause
     */
    nfs3?: boolean;
    /**
     * PersistentVolumes by name, made in the cluster.
     * @change step: refused for a PersistentVolume that is removed and used, unless `force` names it
     * @keys dnsSubdomain
     */
    persistentVolumes?: Record<string, PersistentVolumeArgs>;
    /**
     * PersistentVolumes as manifests: paths of YAML files and of folders of such files, or YAML texts.
     * @change step: refused for a PersistentVolume that is removed and used, unless `force` names it
     * @format text
     */
    persistentVolumeManifests?: string[];
    /**
     * Storage classes by name: each claim of one gets a folder of an export.
     * @change step: refused for a class that is removed and used, unless `force` names it
     * @keys dnsSubdomain
     */
    storageClasses?: Record<string, NfsStorageClassArgs>;
    /** The NFS CSI driver, which makes the folders. It is installed only where there are storage classes. */
    nfsCsi?: NfsCsiArgs;
    /**
     * Classes of snapshots of these claims, by name; with the first one the driver makes snapshots. With `nfsCsi.enabled: false` the driver must make them
     * already.
     * @change step: with the first one the driver's controller starts again, to make snapshots; without the last one it makes none: refused while there are
     * snapshots
     * @keys dnsSubdomain
     */
    snapshotClasses?: Record<string, SnapshotClassArgs>;
    /**
     * Backups of exported folders by restic, by name. A backup that is removed here is made no more; what it has stored stays.
     * @change step: clients notice nothing; one that is removed is made no more, and what it has stored stays
     * @keys dnsLabel
     */
    backups?: Record<string, BackupArgs>;
    /**
     * Folders that come back from backups, by name; each once.
     * @change step: the folder comes back, once; nothing when an entry is removed
     * @keys dnsLabel
     */
    restores?: Record<string, RestoreArgs>;
    /**
     * Snapshots of the cloud's volumes (Cinder), by name, where the cloud makes the storage server. They stay in the cloud when an entry is removed here, and
     * when the cluster is destroyed.
     * @change cloud: one more snapshot, at the end of the run; of an entry that is removed, all snapshots stay
     * @keys dnsLabel
     */
    snapshots?: Record<string, VolumeSnapshotArgs>;
    /**
     * Names of volumes whose disk is lost and was replaced by an empty one: they are made again, without data. Remove it after that.
     * @change step: an empty volume is made on an empty disk where one was lost; nothing while the volume is there
     * @format dnsLabel
     */
    recreate?: string[];
    /** Names of volumes, exports, PersistentVolumes and storage classes that may go although claims or pods use them: `["data"]`. @change nothing */
    force?: string[];
}

/**
 * Snapshots of one volume of the cloud, as it is after a power cut: all that the NFS server has acknowledged is in it.
 * @change nothing: used with the next word of `run`
 */
export interface VolumeSnapshotArgs {
    /**
     * Name of the volume.
     * @format dnsLabel
     */
    volume: string;
    /**
     * A word of 1 to 100 letters, digits, dots, `-` and `_`: `"before-1.36"`. A new entry makes a snapshot, and each change of this word one more, at the
     * end of the run. The run fails if the snapshot fails.
     * @change cloud: one more snapshot, at the end of the run; of an entry that is removed, all snapshots stay
     * @format word
     */
    run: string;
    /**
     * How many snapshots stay: after a new one the oldest of this entry and volume are deleted. Those of a previous volume stay and do not count.
     * @default 3
     */
    keep?: number;
}

/** A PersistentVolume over an export. @change step: mounts keep their options until pods start again */
export interface PersistentVolumeArgs {
    /**
     * Path of the export, or of a folder below it.
     * @change again: Kubernetes cannot change the source; refused while it is used
     * @format path
     */
    path: string;
    /**
     * Address of its server.
     * @default the storage server's
     * @change again: Kubernetes cannot change the source; refused while it is used
     * @format host
     */
    server?: pulumi.Input<string>;
    /** Size in GiB. NFS does not limit what a claim uses: it is what claims are compared with. */
    capacityGiB: number;
    /**
     * ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.
     * @default ["ReadWriteMany"]
     * @format choice
     */
    accessModes?: string[];
    /**
     * What happens when its claim is deleted: `Retain` keeps data and volume, `Recycle` deletes all files.
     * @default "Retain"
     * @format choice
     */
    reclaimPolicy?: string;
    /** Claims with this class can bind to it. */
    storageClassName?: string;
    /**
     * Options of mount.
     * @default ["hard", "nfsvers=4.1"], with `nfs3` of the cluster's storage ["hard", "nfsvers=3"]
     * @format option
     */
    mountOptions?: string[];
    /**
     * The only claim that may bind it: `"nfv/data"`, its namespace and its name. Not required that it exists.
     * @default any claim of any namespace, whichever comes first
     * @format claim
     */
    claim?: string;
    /**
     * Labels of the object.
     * @keys labelKey
     * @format labelValue
     */
    labels?: Record<string, string>;
}

/**
 * A storage class over an export. A volume keeps what its class said when the volume was made.
 * @change again: the class; volumes keep what it said when they were made
 */
export interface NfsStorageClassArgs {
    /**
     * Path of the export that holds the folders of its claims, named NAMESPACE-CLAIM-VOLUME. Better one of its own.
     * @format path
     */
    export: string;
    /**
     * What happens to a volume whose claim is deleted: `Delete` deletes it, and `onDelete` says what happens to its folder; `Retain` keeps volume and
     * folder.
     * @default "Delete"
     * @format choice
     */
    reclaimPolicy?: string;
    /**
     * What happens to the folder of a volume that is deleted: `archive` renames it to archived-NAME and keeps the data; `delete` deletes the data;
     * `retain` leaves it.
     * @default "archive"
     * @format choice
     */
    onDelete?: string;
    /**
     * Claims that name no class use this one.
     * @default false
     * @change step: refused for a class that is removed and used, unless `force` names it
     */
    isDefault?: boolean;
    /**
     * Options of mount.
     * @default ["hard", "nfsvers=4.1"]
     * @change step: volumes keep the options that they were made with
     * @format option
     */
    mountOptions?: string[];
    /**
     * Mode of the folders in octal, set again at each mount: `"0777"` where `squash` of the export is `root` or `none` and pods run as other users.
     * @default as the driver makes them: 0755, owned by the export's `uid`, or by root with `squash` `none`
     * @format mode
     */
    mode?: string;
}

/** The NFS CSI driver (csi-driver-nfs). */
export interface NfsCsiArgs {
    /**
     * `false` installs none: the storage classes use one that the cluster has from somebody else.
     * @default true
     * @change step: the driver is installed, or removed after its last volume; refused while claims use it, unless `force` names a class or the driver
     */
    enabled?: boolean;
    /**
     * Registry and path that replace registry.k8s.io in the images' names.
     * @default "registry.k8s.io"
     * @change step: the driver's pods are replaced; mounts stay
     * @format repository
     */
    imageRepository?: string;
}
