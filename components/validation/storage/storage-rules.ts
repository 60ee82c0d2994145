import { isIP } from "node:net";
import type * as pulumi from "@pulumi/pulumi";
import { parseCidr } from "../../../provider/common/cidr";
import { didYouMean } from "../../../provider/common/did-you-mean";
import { clusterNameProblem } from "../../../provider/identity/identity";
import { isId } from "../../../provider/openstack/is-id";
import { isServed, isWithin } from "../../../provider/storage/export-paths";
import { fileSystems, squashes } from "../../../provider/storage/spec";
import type { PersistentVolumeArgs, StorageArgs, StorageServerArgs } from "../../args/storage-args";
import type { PlainArgs } from "../../common/plain-args";
import { cloudOf } from "../../infrastructure/openstack/plan/cloud-args";
import { lacking, sshKeyProblems } from "../credential-rules";
import { allMachines, sshProblems } from "../machine-rules";
import { dnsLabel, dnsLabelRule, type Problem, type Rule, within } from "../rule";
import { choice } from "../server-rules";
import { backupsProblems } from "./backup-rules";
import { snapshotProblems } from "./snapshot-rules";
import { storageCloudRule } from "./storage-in-cloud-rules";
import { type CloudOfServer, given, machineProblems } from "./storage-machine-rules";
import { dnsSubdomain, dnsSubdomainRule, isServerName, noOwner, plainPath } from "./storage-names";

type Storage = pulumi.Unwrap<StorageArgs>;
type Volumes = NonNullable<Storage["volumes"]>;
type Exports = NonNullable<Storage["exports"]>;

const byId = /^\/dev\/disk\/by-(id|path|partuuid)\/[A-Za-z0-9._:@+-]+$/;
const option = /^[a-z0-9_]+(=[A-Za-z0-9_.:@/-]+)?$/;

const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/** Options that an input stands for; set twice, one of them would win silently. */
const ownOptions = [
    "ro",
    "rw",
    "sync",
    "async",
    "all_squash",
    "root_squash",
    "no_root_squash",
    "anonuid",
    "anongid",
    "mountpoint",
    "mp",
];

/** Folders of the system: a volume's folder over one of them would hide it. */
const systemFolders = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
    "/srv/pulumi-nfv",
];

/** Where the disk of a volume comes from: a machine that exists, or a cloud that makes the server. */
const sources: Record<"machine" | "cloud", (at: string, volume: Volumes[string]) => Problem[]> = {
    machine: (at, { disk, type, volumeId, snapshotId }) => [
        ...(disk === undefined
            ? [[`${at}.disk`, "is required: the machine exists already, so do its disks"] as Problem]
            : byId.test(disk)
              ? []
              : [
                    [
                        `${at}.disk`,
                        `"${disk}" is no path below /dev/disk/by-id: after a reboot it may be another disk`,
                    ] as Problem,
                ]),
        ...given(
            at,
            { type, volumeId, snapshotId },
            `is for a server that is made in a cloud (${at.replace(/volumes\..*/, "server.flavor")})`,
        ),
    ],
    cloud: (at, { disk, type, volumeId, snapshotId, sizeGiB }) => [
        ...given(at, { disk }, "is for a machine that exists already: in a cloud a volume has sizeGiB or volumeId"),
        ...(volumeId === undefined && sizeGiB === undefined
            ? [[`${at}.sizeGiB`, "is required for a volume that is made; volumeId names an existing one"] as Problem]
            : []),
        ...(volumeId === undefined || isId(volumeId)
            ? []
            : [[`${at}.volumeId`, `"${volumeId}" is no id of a volume: openstack volume list shows them`] as Problem]),
        ...(snapshotId === undefined || isId(snapshotId)
            ? []
            : [
                  [
                      `${at}.snapshotId`,
                      `"${snapshotId}" is no id of a snapshot: openstack volume snapshot list shows them`,
                  ] as Problem,
              ]),
        ...(volumeId === undefined
            ? []
            : [
                  ...given(at, { type }, "is for a volume that is made: this one has its type"),
                  ...given(at, { snapshotId }, "is for a volume that is made: this one has its data"),
              ]),
    ],
};

/** An export may lie in one of them, but not hide all that others have there. */
const sharedFolders = ["/home", "/media", "/mnt", "/opt", "/srv"];

function volumeProblems(place: string, volumes: Volumes, source: keyof typeof sources | undefined): Problem[] {
    const seen = new Map<string, string>();
    return Object.entries(volumes).flatMap(([name, volume]): Problem[] => {
        const { disk, volumeId, fileSystem, sizeGiB, owner } = volume;
        const at = `${place}.${name}`;
        const which = disk ?? volumeId;
        const same = which === undefined ? undefined : seen.get(which);
        if (which !== undefined) seen.set(which, at);
        const key = disk === undefined ? "volumeId" : "disk";
        return [
            ...(dnsLabel.test(name) ? [] : [[at, dnsLabelRule] as Problem]),
            ...(source === undefined ? [] : sources[source](at, volume)),
            ...(same === undefined ? [] : [[`${at}.${key}`, `is the ${key} of ${same} too`] as Problem]),
            ...choice(`${at}.fileSystem`, fileSystem, [...fileSystems]),
            ...(within(sizeGiB, 1, 2 ** 20)
                ? []
                : [[`${at}.sizeGiB`, `${sizeGiB} is not allowed: a whole number from 1`] as Problem]),
            ...(owner === undefined || dnsLabel.test(owner) ? [] : [[`${at}.owner`, noOwner(owner)] as Problem]),
        ];
    });
}

/** Within its volume. */
function folderOf(path: string, { folder = path }: Exports[string]): string {
    return folder.replace(/^\//, "");
}

/** `volumes`: undefined, while they are not known. */
function exportProblems(place: string, exports: Exports, volumes: Volumes | undefined): Problem[] {
    return Object.entries(exports).flatMap(([path, given]): Problem[] => {
        const at = `${place}.${path}`;
        const known = Object.keys(volumes ?? {});
        const system = systemFolders.find(each => isWithin(path, each)) ?? sharedFolders.find(each => each === path);
        const inside = Object.keys(exports).find(other => path.startsWith(`${other}/`));
        const problems: Problem[] = [];
        if (!plainPath.test(path))
            problems.push([at, "must be a path from / on, of letters, digits, dots, - and _, such as /exports/data"]);
        else if (system !== undefined)
            problems.push([
                at,
                path === system ? "is a folder of the system" : `lies in ${system}, which belongs to the system`,
            ]);
        if (inside !== undefined) problems.push([at, `lies within the export ${inside}`]);
        if (volumes !== undefined && !known.includes(given.volume)) {
            problems.push([`${at}.volume`, `there is no volume "${given.volume}"${didYouMean(given.volume, known)}`]);
        }
        if (given.folder !== undefined && !plainPath.test(`/${given.folder.replace(/^\//, "")}`)) {
            problems.push([
                `${at}.folder`,
                `"${given.folder}" is no folder within a volume: write it like "team/data"`,
            ]);
        }
        const own = folderOf(path, given);
        const around = Object.entries(exports).find(([other, each]) => {
            const folder = folderOf(other, each);
            return each.volume === given.volume && folder !== own && isWithin(own, folder);
        });
        if (inside === undefined && around !== undefined) {
            const why = "its clients could put another folder, or a link, in this one's place";
            problems.push([`${at}.folder`, `"${own}" lies within the folder of the export ${around[0]}: ${why}`]);
        }
        if (given.mode !== undefined && !/^0[0-7]{3}$/.test(given.mode)) {
            problems.push([`${at}.mode`, `"${given.mode}" is no mode: write it like "0770"`]);
        }
        for (const key of ["uid", "gid"] as const) {
            if (!within(given[key], 0, 2 ** 32 - 2)) problems.push([`${at}.${key}`, `${given[key]} is not allowed`]);
        }
        for (const client of given.clients ?? []) {
            if (client !== undefined && isIP(client) === 0 && parseCidr(client) === undefined) {
                problems.push([`${at}.clients`, `"${client}" is no address and no network`]);
            }
        }
        if (given.clients?.length === 0)
            problems.push([`${at}.clients`, "no client could mount it: name clients, or leave it out"]);
        for (const each of given.options ?? []) {
            if (!option.test(each)) problems.push([`${at}.options`, `"${each}" is no option of exports(5)`]);
            if (ownOptions.includes(each.split("=")[0]!)) {
                problems.push([`${at}.options`, `${each}: readOnly, sync, squash, uid and gid say that`]);
            }
        }
        return [...problems, ...choice(`${at}.squash`, given.squash, [...squashes])];
    });
}

/** Where the disks come from; undefined: the settings of the server do not say it, and that is the only thing to say about its disks. */
function sourceOf(server: Storage["server"], hasCloud: boolean): keyof typeof sources | undefined {
    if (server === undefined) return undefined;
    if (server.flavor !== undefined) return hasCloud ? "cloud" : undefined;
    return "address" in server ? "machine" : undefined;
}

/** What is wrong with volumes, exports and machine of a storage server. `at`: where they stand, with a dot at its end. `source`: see `sourceOf`. */
function serverProblems(at: string, storage: Storage, source: keyof typeof sources | undefined): Problem[] {
    const { server, volumes = {}, exports = {}, threads, recreate = [] } = storage;
    const address = server?.address;
    const isLater = "volumes" in storage && storage.volumes === undefined;
    return [
        ...(address === undefined || isIP(address) !== 0
            ? []
            : [[`${at}server.address`, `"${address}" is no IP address`] as Problem]),
        ...sshProblems(`${at}server.ssh`, server?.ssh),
        ...sshKeyProblems(`${at}server.ssh`, server?.ssh),
        ...recreate
            .filter(name => !(name in volumes))
            .map(
                (name): Problem => [
                    `${at}recreate`,
                    `there is no volume "${name}"${didYouMean(name, Object.keys(volumes))}`,
                ],
            ),
        ...volumeProblems(`${at}volumes`, volumes, source),
        ...exportProblems(`${at}exports`, exports, isLater ? undefined : volumes),
        ...backupsProblems(at, storage),
        ...(within(threads, 1, 1024) ? [] : [[`${at}threads`, `${threads} is not allowed: 1 to 1024`] as Problem]),
    ];
}

/** Rules of a StorageServer of its own. */
export const storageServerRules: Rule<pulumi.Unwrap<StorageServerArgs>>[] = [
    ({ serverName }) => {
        const problem = serverName === undefined ? undefined : clusterNameProblem(serverName);
        return problem === undefined ? [] : [["serverName", problem]];
    },
    storageCloudRule,
    ({ server }) =>
        server !== undefined && "address" in server && server.flavor === undefined
            ? lacking("server.ssh", server.ssh ?? {}, process.env["SSH_AUTH_SOCK"])
            : [],
    args => serverProblems("", args, args.infrastructure ? "cloud" : sourceOf(args.server, false)),
    ({ exports }) =>
        // Exports that are known too late are refused elsewhere.
        Object.entries(exports ?? {})
            .filter(([, each]) => !("clients" in each))
            .map(
                ([path]): Problem => [
                    `exports.${path}.clients`,
                    "is required: which addresses and networks may mount it",
                ],
            ),
];

/** `served`: what is wrong with a path that names no server of its own. */
function volumeObjectProblems(
    place: string,
    volumes: Record<string, PersistentVolume>,
    served: (path: string) => string | undefined,
): Problem[] {
    return Object.entries(volumes).flatMap(([name, given]): Problem[] => {
        const at = `${place}.${name}`;
        const problems: Problem[] = [];
        const { path, capacityGiB, server } = given;
        if (!dnsSubdomain.test(name)) problems.push([at, dnsSubdomainRule]);
        const what = plainPath.test(path)
            ? "server" in given
                ? undefined
                : served(path)
            : "must be a path such as /exports/data";
        if (what !== undefined) problems.push([`${at}.path`, what]);
        if (!(capacityGiB > 0)) problems.push([`${at}.capacityGiB`, `${capacityGiB} is not allowed: more than 0`]);
        if (server !== undefined && !isServerName(server)) {
            problems.push([`${at}.server`, `"${server}" is no address and no name`]);
        }
        if (given.reclaimPolicy === "Delete") {
            problems.push([
                `${at}.reclaimPolicy`,
                "Kubernetes cannot delete the data of an NFS volume: the volume would fail. Retain keeps it, Recycle deletes its files",
            ]);
        } else problems.push(...choice(`${at}.reclaimPolicy`, given.reclaimPolicy, ["Retain", "Recycle"]));
        return [
            ...problems,
            ...(given.accessModes ?? []).flatMap(mode => choice(`${at}.accessModes`, mode, accessModes)),
        ];
    });
}

type PersistentVolume = pulumi.Unwrap<PersistentVolumeArgs>;

/** The part of `PersistentVolumesArgs` that the rules read; see CheckedCnfArgs. */
interface CheckedVolumes {
    server?: string;
    volumes?: Record<string, PersistentVolume>;
    manifests?: unknown[];
    timeoutSeconds?: number;
}

/** Rules of PersistentVolumes of their own. */
export const persistentVolumesRules: Rule<CheckedVolumes>[] = [
    ({ volumes, manifests }) =>
        volumes === undefined && manifests === undefined ? [["volumes", "is required, or manifests"]] : [],
    args =>
        volumeObjectProblems("volumes", args.volumes ?? {}, () =>
            "server" in args ? undefined : "has no server: give server here, or for all volumes",
        ),
    ({ server }) =>
        server === undefined || isServerName(server)
            ? []
            : [["server", `"${server}" is no address and no name of an NFS server`]],
    ({ timeoutSeconds = 1 }) => (timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]]),
];

/** What nodes of a template are made from is known when it has been read. */
function cloudOfCluster(args: PlainArgs): CloudOfServer {
    const hasImages = args.infrastructure.heat?.template === undefined;
    return { cloud: cloudOf(args), names: "infrastructure.heat or nova", hasImages };
}

/** Rules of a cluster's storage. */
export const clusterStorageRules: Rule<PlainArgs> = args => {
    const { storage } = args;
    if (!storage) return [];
    const at = "storage.";
    const problems: Problem[] = [
        ...serverProblems(at, storage, sourceOf(storage.server, cloudOf(args) !== undefined)),
        ...(storage.server ? machineProblems(`${at}server`, storage.server, cloudOfCluster(args)) : []),
        ...snapshotProblems(`${at}snapshots`, storage),
    ];
    for (const key of ["volumes", "exports", "backups", "restores", "snapshots"] as const) {
        if (storage[key] !== undefined && storage.server === undefined)
            problems.push([`${at}server`, `is required with ${key}`]);
    }
    const exports = Object.keys(storage.exports ?? {});
    problems.push(
        ...volumeObjectProblems(`${at}persistentVolumes`, storage.persistentVolumes ?? {}, path =>
            isServed(path, exports)
                ? undefined
                : `${path} is in no export of this storage${didYouMean(path, exports)}; give server for another one`,
        ),
    );
    const same = allMachines(args).find(({ address }) => address !== undefined && address === storage.server?.address);
    if (same)
        problems.push([
            `${at}server.address`,
            `${same.address} is the node ${same.node}: storage needs a machine of its own`,
        ]);
    return problems;
};
