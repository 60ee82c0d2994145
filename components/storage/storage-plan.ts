import type * as pulumi from "@pulumi/pulumi";
import type { ProxySettings } from "../../provider/common/model";
import { withinVolume } from "../../provider/storage/export-paths";
import type { ExportSpec, FileSystem, Squash, StorageSpec, VolumeSpec } from "../../provider/storage/spec";
import type { ProxyArgs } from "../args/args";
import type { ExportArgs, StorageArgs, StorageVolumeArgs } from "../args/storage-args";
import { backupSpec, restoreSpec } from "./backup-plan";

export const storageDefaults = {
    threads: 8,
    fileSystem: "ext4",
    squash: "all",
    /** nobody, nogroup */
    id: 65534,
    mode: "0770",
} as const;

/** All but whose it is. Address, disks and clients may be inputs: they are only moved. */
export type StorageDraft = Omit<StorageSpec, "clusterId">;

/** The machine of a storage server. */
export interface StoragePlace {
    name: string;
    address: pulumi.Input<string>;
    /** By volume, where the infrastructure makes them. */
    disks?: Record<string, pulumi.Input<string>>;
    proxy?: ProxyArgs | undefined;
}

/** What a storage server keeps and serves. No variable may be called `exports` here: the compiled module has one. */
export function storagePlan(
    {
        volumes = {},
        exports: folders = {},
        threads = storageDefaults.threads,
        nfs3 = false,
        recreate = [],
        backups = {},
        restores = {},
    }: Omit<StorageArgs, "server">,
    { name, address, disks = {}, proxy }: StoragePlace,
): StorageDraft {
    return {
        name,
        address: address as string,
        volumes: mapped(volumes, (volume, key) => volumeSpec(volume, disks[key] ?? volume.disk ?? "")),
        exports: mapped(folders, exportSpec),
        threads,
        nfs3,
        recreate: [...recreate].sort(),
        ...(Object.keys(backups).length > 0 && {
            backups: mapped(backups, each => backupSpec(each, Object.keys(folders))),
        }),
        ...(Object.keys(restores).length > 0 && { restores: mapped(restores, restoreSpec) }),
        ...(proxy && { proxy: proxy as ProxySettings }),
    };
}

function volumeSpec(
    { fileSystem = storageDefaults.fileSystem, sizeGiB, owner = "", snapshotId }: StorageVolumeArgs,
    disk: pulumi.Input<string>,
): VolumeSpec {
    return {
        disk: disk as string,
        fileSystem: fileSystem as FileSystem,
        owner,
        ...(sizeGiB !== undefined && { sizeGiB }),
        ...(snapshotId !== undefined && { snapshotId }),
    };
}

function exportSpec(given: ExportArgs, path: string): ExportSpec {
    return {
        volume: given.volume,
        folder: withinVolume(given.folder ?? path),
        clients: (given.clients ?? []) as string[],
        registeredClients: given.clients === undefined,
        readOnly: given.readOnly ?? false,
        sync: given.sync ?? true,
        squash: (given.squash ?? storageDefaults.squash) as Squash,
        uid: given.uid ?? storageDefaults.id,
        gid: given.gid ?? storageDefaults.id,
        mode: given.mode ?? storageDefaults.mode,
        options: given.options ?? [],
    };
}

function mapped<A, B>(map: Record<string, A>, change: (value: A, name: string) => B): Record<string, B> {
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]));
}
