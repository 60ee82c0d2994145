import type { PlainArgs } from "../plain-args";
import { resticProblems, unless, word } from "./backup-rules";
import type { Problem } from "./cluster-rules";

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
