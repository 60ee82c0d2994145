import assert from "node:assert/strict";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import type { BackupSpec, RestoreSpec, StorageSpec } from "../../../../../provider/storage/spec";
import { sampleBackup, sampleRestore, sampleStorage } from "../sample-storage";
import { BackupMachine } from "./backup-machine";

interface Ended {
    code: number | null;
    stderr: string;
}

export const done = ({ code, stderr }: Ended) => assert.equal(code, 0, stderr);

const endedWith =
    (name: "BACKUP_FAILED" | "RESTORE_FAILED") =>
    ({ code, stderr }: Ended, why: RegExp) => {
        assert.equal(code, exitCodes[name], stderr);
        assert.match(stderr, why);
    };

/** A backup that failed. */
export const failed = endedWith("BACKUP_FAILED");

/** A restore that was refused. */
export const refused = endedWith("RESTORE_FAILED");

/** restic's last line of a backup. */
export const summary = '{"message_type":"summary","files_new":1,"snapshot_id":"0123abcd"}';

/** Specs of a storage server with the backup "nightly", whose repository is a folder of the machine. */
export function specsFor(machine: () => BackupMachine) {
    const nightly = (changes: Partial<BackupSpec> = {}) =>
        sampleBackup({ repository: { folder: machine().at("repository") }, ...changes });
    const specOf = (changes: Partial<BackupSpec> = {}, more: Partial<StorageSpec> = {}) =>
        sampleStorage({ backups: { nightly: nightly(changes) }, ...more });
    const restoring = (changes: Partial<RestoreSpec> = {}) =>
        specOf({}, { restores: { lost: sampleRestore(changes) } });
    return { nightly, specOf, restoring };
}

/** Each test has a machine with one backup, whose calls of restic are forgotten. */
export function withOneBackup(use: (machine: BackupMachine) => void): void {
    let machine: BackupMachine;
    const { specOf } = specsFor(() => machine);
    beforeEach(() => {
        machine = new BackupMachine();
        use(machine);
        done(machine.start(specOf()));
        done(machine.night());
        machine.forgetCalls();
    });
    afterEach(() => machine.remove());
}
