import { match, strictEqual } from "node:assert/strict";
import type { EtcdBackupArgs, EtcdRestoreArgs } from "../../../../components/args/etcd-args";
import { problems } from "../../../../components/validation/validate";
import { clusterArgs } from "../sample-args";

const said = (changes: Partial<EtcdBackupArgs>) =>
    problems("KubernetesCluster", {
        clusterName: "core",
        ...clusterArgs(1, { a: 1 }),
        etcdBackup: { repository: { folder: "/mnt/backup" }, password: "canary word", ...changes },
    }).join("\n");

const restoreSaid = (etcdRestore: EtcdRestoreArgs, hasBackup = true) => {
    const etcdBackup = { repository: { folder: "/mnt/backup" }, password: "canary word" };
    const args = { clusterName: "core", ...clusterArgs(1, { a: 1 }), ...(hasBackup && { etcdBackup }), etcdRestore };
    return problems("KubernetesCluster", args).join("\n");
};

describe("the rules of etcd's snapshots", () => {
    it("of a restore: a word, and a snapshot by its id or the latest", () => {
        for (const etcdRestore of [{ run: "a" }, { run: "a", snapshot: "latest" }, { run: "a", snapshot: "0123abcd" }])
            strictEqual(restoreSaid(etcdRestore), "");
        match(restoreSaid({ run: "a b" }), /^etcdRestore\.run: "a b" is not allowed/);
        match(restoreSaid({ run: "a", snapshot: "newest" }), /^etcdRestore\.snapshot: "newest" is no id of a snapshot/);
        for (const onto of ["sameMachines", "newMachines"]) strictEqual(restoreSaid({ run: "a", onto }), "");
        match(
            restoreSaid({ run: "a", onto: "others" }),
            /^etcdRestore\.onto: "others" is neither sameMachines nor newM/,
        );
        match(restoreSaid({ run: "a" }, false), /^etcdRestore: needs etcdBackup/);
    });

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
