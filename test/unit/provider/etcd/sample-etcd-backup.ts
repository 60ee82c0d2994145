import type { EtcdBackup, EtcdBackupSpec } from "../../../../provider/etcd/spec";

export const sampleEtcdBackup = (
    backup: Partial<EtcdBackup> = {},
    changes: Partial<EtcdBackupSpec> = {},
): EtcdBackupSpec => ({
    clusterId: "core-12345678",
    name: "m1",
    turn: 0,
    backup: { repository: { folder: "/mnt/backup/etcd" }, password: "canary-password", keep: { daily: 7 }, ...backup },
    ...changes,
});
