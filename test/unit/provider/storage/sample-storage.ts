import type { BackupSpec, ExportSpec, RestoreSpec, StorageSpec, VolumeSpec } from "../../../../provider/storage/spec";

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

export const sampleBackup = (changes: Partial<BackupSpec> = {}): BackupSpec => ({
    exports: ["/exports/data"],
    repository: { folder: "/mnt/backup/site" },
    password: "canary-password",
    keep: { daily: 7 },
    ...changes,
});

export const sampleSftp = {
    host: "backup.example",
    port: 22,
    user: "ops",
    folder: "/backup/site",
    privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-key\n-----END OPENSSH PRIVATE KEY-----\n",
    hostKey: "ssh-ed25519 AAAAC3Nz",
};

export const sampleS3 = {
    url: "https://s3.example/bucket/site",
    accessKey: "canary-access",
    secretKey: "canary-secret",
};

export const sampleRestore = (changes: Partial<RestoreSpec> = {}): RestoreSpec => ({
    backup: "nightly",
    snapshot: "latest",
    path: "/exports/data",
    volume: "data",
    folder: "back",
    owner: "",
    ...changes,
});
