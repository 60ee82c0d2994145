import type { Row } from "./effects";

/** Rows of storage; `at`: where it stands, with a dot at its end. */
export function storageRows(at: string): Row[] {
    const inputs = (names: string) =>
        names
            .split(" ")
            .map(name => `${at}${name}`)
            .join(" ");
    return [
        [
            "again",
            inputs("server.address"),
            "refused while exports are used, because clients do not follow; otherwise the former server is given back, and its volumes keep their data",
        ],
        [
            "step",
            inputs("volumes"),
            "a new volume is made or taken over; a removed one is unmounted and keeps its data",
        ],
        [
            "step",
            inputs("volumes.NAME.disk"),
            "the same volume on another path; another disk without its mark is refused",
        ],
        [
            "refused",
            inputs("volumes.NAME.fileSystem volumes.NAME.owner"),
            "a volume of another name takes another value",
        ],
        ["step", inputs("volumes.NAME.sizeGiB"), "the file system grows while it is in use; a smaller size is refused"],
        [
            "step",
            inputs("exports"),
            "clients of other exports notice nothing; refused for an export that claims or pods use, unless `force` names it",
        ],
        [
            "step",
            inputs("exports.NAME.volume exports.NAME.folder"),
            "another folder is served at this path; refused while claims or pods use it, unless `force` names it",
        ],
        [
            "step",
            inputs("exports.NAME.{clients,readOnly,sync,squash,options}"),
            "mounts go on with the new settings; refused while a client that loses access is connected, unless `force` names the export",
        ],
        ["step", inputs("exports.NAME.{uid,gid,mode}"), "of the folder itself; files in it stay as they are"],
        ["restart", inputs("threads nfs3"), "the NFS server; clients pause"],
        [
            "step",
            inputs("recreate"),
            "an empty volume is made on an empty disk where one was lost; nothing while the volume is there",
        ],
        [
            "step",
            inputs("backups"),
            "clients notice nothing; one that is removed is made no more, and what it has stored stays",
        ],
        [
            "step",
            inputs("backups.NAME.{exports,schedule} backups.NAME.keep.{last,hourly,daily,weekly,monthly,yearly}"),
            "from the next backup on",
        ],
        [
            "step",
            inputs(
                "backups.NAME.password backups.NAME.repository.folder backups.NAME.repository.sftp.{host,port,user,folder,privateKey,hostKey} backups.NAME.repository.s3.{url,accessKey,secretKey,region,caCertificate}",
            ),
            "a new repository is made; a former one stays as it is. An existing one with another password is refused",
        ],
        ["step", inputs("backups.NAME.run"), "one more backup"],
        ["step", inputs("restores"), "the folder comes back, once; nothing when an entry is removed"],
        ["step", inputs("restores.NAME.volume"), "the folder comes back on that volume, too"],
        [
            "refused",
            inputs("restores.NAME.{backup,snapshot,path,folder,owner}"),
            "of a restore that was done, while `up` runs: another one has another name",
        ],
        ["nothing", inputs("force")],
    ];
}

/** Of a storage server in a cloud; `at` as above. */
function madeRows(at: string): Row[] {
    return [
        [
            "nothing",
            `${at}server.{flavor,image,availabilityZone,bootVolume} ${at}volumes.NAME.{type,snapshotId}`,
            "a server and a volume keep what they were made with and from; a server that you replace by name takes the new value",
        ],
        ["nothing", `${at}server.fixedAddress`, "a port that exists keeps its address, because clients know it"],
        ["cloud", `${at}server.securityGroups`],
        ["step", `${at}volumes.NAME.volumeId`, "the same volume by its id; another one is refused"],
        [
            "cloud",
            `${at}snapshots ${at}snapshots.NAME.run`,
            "one more snapshot, at the end of the run; of an entry that is removed, all snapshots stay",
        ],
        ["nothing", `${at}snapshots.NAME.{volume,keep}`, "used with the next word of `run`"],
    ];
}

export const cloudStorage: Row[] = madeRows("storage.");

/** Of a StorageServer of its own in a cloud. */
export const ownCloudStorage: Row[] = [
    ...madeRows(""),
    ["refused", "serverName"],
    ["nothing", "server.bootVolume.{sizeGiB,type}", "a server that you replace by name takes the new value"],
    [
        "nothing",
        "infrastructure.nova.cloud",
        "for another name of the same cloud; another cloud has none of the resources",
    ],
    ["refused", "infrastructure.nova.{region,keyPair} infrastructure.nova.network.{network,subnet,cidr}"],
    [
        "nothing",
        "infrastructure.nova.image",
        "a server that exists stays as it is; one that you replace by name uses it",
    ],
    [
        "again",
        "infrastructure.nova.externalNetwork",
        "the router's gateway. The floating IP stays, and Neutron refuses another gateway while it exists",
    ],
    ["again", "infrastructure.nova.network.router", "the external route is interrupted for a moment"],
    ["cloud", "infrastructure.nova.network.{dnsServers,mtu}", "servers get it when they renew their DHCP lease"],
    [
        "cloud",
        "infrastructure.nova.access.floatingIps",
        "the address from outside is added or removed; clients in the network notice nothing",
    ],
    [
        "nothing",
        "infrastructure.nova.access.jumpServer.{flavor,image}",
        "a jump server that you replace by name takes the new value",
    ],
    ["cloud", "infrastructure.nova.access.sshCidrs infrastructure.nova.metadata"],
    ["nothing", "infrastructure.nova.{deleteProtection,bootTimeoutSeconds}"],
    [
        "nothing",
        "infrastructure.nova.ssh.{port,user,privateKey,passphrase,password,agent,connectTimeoutSeconds,keepAliveSeconds}",
    ],
    ["nothing", "infrastructure.nova.ssh.host", "must lead to the same machine; the machine's journal proves it"],
    ["nothing", "infrastructure.nova.ssh.hostKey", "a machine with another key is an error"],
];

export const persistentVolumes: Row[] = [
    ["again", "vim", "if it is another cluster, the volumes are made there, and removed here"],
    ["step", "server", "refused for volumes that are used, unless `force` names them"],
    [
        "step",
        "volumes manifests",
        "a removed one goes, its data stays; refused while it is used, unless `force` names it",
    ],
    ["again", "volumes.NAME.{path,server}", "Kubernetes cannot change the source; refused while it is used"],
    [
        "step",
        "volumes.NAME.{capacityGiB,accessModes,reclaimPolicy,storageClassName,mountOptions,claim,labels}",
        "mounts keep their options until pods start again",
    ],
    ["nothing", "timeoutSeconds force"],
];

/** Rows of storage classes; `classes`: where they stand, `at`: where the driver stands, with a dot at its end. */
function storageClassRows(classes: string, at: string): Row[] {
    return [
        [
            "step",
            `${classes} ${classes}.NAME.isDefault`,
            "refused for a class that is removed and used, unless `force` names it",
        ],
        ["step", `${classes}.NAME.mountOptions`, "volumes keep the options that they were made with"],
        [
            "again",
            `${classes}.NAME.{export,reclaimPolicy,onDelete,mode}`,
            "the class; volumes keep what it said when they were made",
        ],
        [
            "step",
            `${at}nfsCsi.enabled`,
            "the driver is installed, or removed after its last volume; refused while claims use it, unless `force` names a class or the driver",
        ],
        ["step", `${at}nfsCsi.imageRepository`, "the driver's pods are replaced; mounts stay"],
        ...snapshotClassRows(`${at}snapshotClasses`),
    ];
}

/** Rows of snapshot classes. */
export function snapshotClassRows(classes: string): Row[] {
    return [
        [
            "step",
            classes,
            "with the first one the driver's controller starts again, to make snapshots; without the last one it makes none: refused while there are snapshots",
        ],
        [
            "step",
            `${classes}.NAME.{deletionPolicy,isDefault}`,
            "snapshots keep what their class said when they were made",
        ],
    ];
}

/** Rows of what snapshots need whatever the driver. */
export const snapshotControllerRows: Row[] = [
    [
        "step",
        "snapshotController.enabled",
        "the kinds of snapshots and their controller are installed or removed; refused while there are snapshots",
    ],
    ["step", "snapshotController.imageRepository", "the controller's pod is replaced"],
];

export const clusterStorageClasses: Row[] = storageClassRows("storage.storageClasses", "storage.");

export const ownStorageClasses: Row[] = [
    ["again", "vim", "if it is another cluster, the classes and the driver are made there, and removed here"],
    ["again", "server", "the classes; volumes stay on the former server"],
    ...storageClassRows("classes", ""),
    ...snapshotControllerRows,
    ["nothing", "timeoutSeconds force"],
];
