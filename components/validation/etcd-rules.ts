import { newMachines } from "../../provider/etcd/new-machines";
import type { PlainArgs } from "../common/plain-args";
import type { Problem } from "./rule";
import { resticProblems, unless, word } from "./storage/backup-rules";

/** What is wrong with the snapshots of etcd. */
export function etcdBackupProblems({ etcdBackup }: PlainArgs): Problem[] {
    if (etcdBackup === undefined) return [];
    const { program, ...others } = etcdBackup;
    const found = [
        ...resticProblems(others),
        ...unless(
            program === undefined || (word.test(program) && program.length <= 64),
            ".program",
            `"${program}" is no commit and no tag: at most 64 letters, digits, dots, - and _`,
        ),
    ];
    return found.map(([input, problem]): Problem => [`etcdBackup${input}`, problem]);
}

/** What is wrong with a restore. */
export function etcdRestoreProblems({ etcdBackup, etcdRestore }: PlainArgs): Problem[] {
    if (etcdRestore === undefined) return [];
    const { run, snapshot, onto } = etcdRestore;
    const found = [
        ...unless(etcdBackup !== undefined, "", "needs etcdBackup: it says where the snapshots are"),
        ...unless(word.test(run), ".run", `"${run}" is not allowed: a word of letters, digits, dots, - and _`),
        ...unless(
            snapshot === undefined || snapshot === "latest" || /^[0-9a-f]{8,64}$/.test(snapshot),
            ".snapshot",
            `"${snapshot}" is no id of a snapshot: restic snapshots lists them`,
        ),
        ...unless(
            onto === undefined || onto === "sameMachines" || onto === newMachines,
            ".onto",
            `"${onto}" is neither sameMachines nor newMachines`,
        ),
    ];
    return found.map(([input, problem]): Problem => [`etcdRestore${input}`, problem]);
}
