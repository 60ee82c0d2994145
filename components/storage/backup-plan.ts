import * as pulumi from "@pulumi/pulumi";
import { withinVolume } from "../../provider/storage/export-paths";
import type { BackupRepository, BackupSpec, RestoreSpec } from "../../provider/storage/spec";
import type { BackupArgs, BackupRepositoryArgs, RestoreArgs } from "../args/backup-args";

export const backupDefaults = { keep: { daily: 7, weekly: 4, monthly: 6 }, port: 22, snapshot: "latest" } as const;

/** `served`: paths of the server's exports. Passwords and keys are marked as secret. */
export function backupSpec(given: BackupArgs, served: readonly string[]): BackupSpec {
    const { exports: paths = served, ...others } = given;
    return { exports: [...paths], ...resticSpec(others) };
}

/** Passwords and keys are marked as secret. */
export function resticSpec({
    repository,
    password,
    schedule,
    keep = backupDefaults.keep,
    run,
}: Omit<BackupArgs, "exports">): Omit<BackupSpec, "exports"> {
    return {
        repository: repositorySpec(repository),
        password: secret(password),
        keep: { ...keep },
        ...(schedule !== undefined && { schedule }),
        ...(run !== undefined && { run }),
    };
}

function repositorySpec({ folder, sftp, s3 }: BackupRepositoryArgs): BackupRepository {
    if (sftp !== undefined) {
        const { host, hostKey, privateKey, port = backupDefaults.port, ...where } = sftp;
        return {
            sftp: {
                ...where,
                port,
                host: host as string,
                hostKey: hostKey as string,
                privateKey: secret(privateKey),
            },
        };
    }
    if (s3 === undefined) return { folder };
    const { url, accessKey, secretKey, region, caCertificate } = s3;
    return {
        s3: {
            url,
            accessKey: secret(accessKey),
            secretKey: secret(secretKey),
            ...(region !== undefined && { region }),
            ...(caCertificate !== undefined && { caCertificate: caCertificate as string }),
        },
    };
}

export function restoreSpec(given: RestoreArgs): RestoreSpec {
    const { backup, snapshot = backupDefaults.snapshot, path, volume, folder, owner = "" } = given;
    return { backup, snapshot, path, volume, folder: withinVolume(folder), owner };
}

/** Inputs are only moved here: the resource gets their values. */
function secret(value: pulumi.Input<string>): string {
    return pulumi.secret(value) as unknown as string;
}
