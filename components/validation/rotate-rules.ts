import { newMachines } from "../../provider/etcd/new-machines";
import type { PlainArgs } from "../plain-args";
import { unless, word } from "./backup-rules";
import type { Problem } from "./cluster-rules";

/** What is wrong with the rotation of keys. */
export function rotateProblems({ rotate, controlPlane = {}, etcdRestore }: PlainArgs): Problem[] {
    const asked = rotate?.encryptionKey;
    if (asked === undefined) return [];
    const { encryptionAtRest, extraArgs } = controlPlane;
    const own = Object.keys(extraArgs?.["apiServer"] ?? {}).find(flag =>
        /^(encryption-provider-|etcd-prefix$)/.test(flag),
    );
    const found = [
        ...unless(word.test(asked), "", `"${asked}" is not allowed: a word of letters, digits, dots, - and _`),
        ...unless(encryptionAtRest?.enabled !== false, "", "needs controlPlane.encryptionAtRest, which is turned off"),
        ...unless(
            own === undefined,
            "",
            `cannot be used beside controlPlane.extraArgs.apiServer["${own}"]: these settings are yours to rotate`,
        ),
        ...unless(
            etcdRestore?.onto !== newMachines,
            "",
            "cannot be used beside etcdRestore.onto newMachines: the snapshot needs the key of its time. Take it out until the cluster is back",
        ),
    ];
    return found.map(([input, problem]): Problem => [`rotate.encryptionKey${input}`, problem]);
}
