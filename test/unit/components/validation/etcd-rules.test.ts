import { match, strictEqual } from "node:assert/strict";
import type { EtcdBackupArgs } from "../../../../components/etcd-args";
import { problems } from "../../../../components/validate";
import { clusterArgs } from "../sample-args";

const said = (changes: Partial<EtcdBackupArgs>) =>
    problems("KubernetesCluster", {
        clusterName: "core",
        ...clusterArgs(1, { a: 1 }),
        etcdBackup: { repository: { folder: "/mnt/backup" }, password: "canary word", ...changes },
    }).join("\n");

describe("the rules of etcd's snapshots", () => {
    it("accept a folder, a schedule, a word and a commit", () => {
        strictEqual(said({ schedule: "*-*-* 02:30", run: "before-1.35", program: "541d1ca6", keep: { last: 3 } }), "");
    });

    for (const [changes, problem] of [
        [{ repository: {} }, /^etcdBackup\.repository: needs exactly one of folder, sftp, s3$/],
        [{ repository: { folder: "backup" } }, /^etcdBackup\.repository\.folder: "backup" is no folder of the machine/],
        [{ password: "" }, /^etcdBackup\.password: is empty$/],
        [{ password: " canary" }, /^etcdBackup\.password: has several lines, or a blank/],
        [{ schedule: "at night!" }, /^etcdBackup\.schedule: "at night!" is no time that systemd knows/],
        [{ keep: {} }, /^etcdBackup\.keep: keeps nothing/],
        [{ run: "a word" }, /^etcdBackup\.run: "a word" is not allowed/],
        [{ program: "a,b" }, /^etcdBackup\.program: "a,b" is no commit and no tag/],
    ] as [Partial<EtcdBackupArgs>, RegExp][]) {
        it(`refuse ${JSON.stringify(changes)}`, () => {
            const found = said(changes);
            match(found, problem);
            strictEqual(found.includes("canary"), false);
        });
    }
});
