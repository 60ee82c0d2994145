import type { ExportSpec, StorageSpec, VolumeSpec } from "../../../../provider/storage/spec";

export const sampleVolume = (changes: Partial<VolumeSpec> = {}): VolumeSpec => ({
    disk: "/dev/disk/by-id/virtio-data",
    fileSystem: "ext4",
    owner: "store-12345678",
    ...changes,
});

export const sampleExport = (changes: Partial<ExportSpec> = {}): ExportSpec => ({
    volume: "data",
    folder: "exports/data",
    clients: ["10.0.0.0/24"],
    registeredClients: false,
    readOnly: false,
    sync: true,
    squash: "all",
    uid: 65534,
    gid: 65534,
    mode: "0770",
    options: [],
    ...changes,
});

export const sampleStorage = (changes: Partial<StorageSpec> = {}): StorageSpec => ({
    clusterId: "store-12345678",
    name: "st1",
    address: "10.0.0.31",
    volumes: { data: sampleVolume() },
    exports: { "/exports/data": sampleExport() },
    recreate: [],
    threads: 8,
    nfs3: false,
    ...changes,
});
