import assert from "node:assert/strict";
import { Lab } from "../../../../lab";
import { observe } from "../../../../provider/steps/observe";
import { leaveStorage } from "../../../../provider/storage/acts";
import type { BackupSpec, RestoreSpec, StorageSpec } from "../../../../provider/storage/spec";
import { skipIf } from "../../../support/skip";
import { asStory } from "../../../support/story";
import { sampleExport, sampleStorage, sampleVolume } from "../../../unit/provider/storage/sample-storage";
import { bodiesOf, StorageMachine } from "./storage-machine";

const gib = 2 ** 30;
const owner = "store-12345678";
const unit = "pulumi-nfv-backup@nightly";

/** Longer than unit/provider/storage/backup/*.test.ts: the real restic and systemd, and sshd of another machine. */
describe("backups of a storage server, real", function () {
    asStory(this);
    let lab: Lab;
    let st1: StorageMachine;
    let sum: string;
    let key: string;

    const nightly = (changes: Partial<BackupSpec> = {}): BackupSpec => ({
        exports: ["/exports/data"],
        repository: { folder: "/mnt/backup/site" },
        password: "correct horse 'battery' $staple",
        schedule: "*-*-* 02:30",
        keep: { last: 2 },
        ...changes,
    });
    const restore = (folder: string, changes: Partial<RestoreSpec> = {}): RestoreSpec => ({
        ...{ backup: "nightly", snapshot: "latest", path: "/exports/data", volume: "data", folder, owner: "" },
        ...changes,
    });
    const spec = (changes: Partial<StorageSpec> = {}): StorageSpec =>
        sampleStorage({
            clusterId: owner,
            address: lab.node("st1").address,
            nfs3: true,
            volumes: { data: sampleVolume({ owner, disk: st1.disk(0), fileSystem: "xfs" }) },
            exports: { "/exports/data": sampleExport({ clients: ["10.99.0.0/24"] }) },
            backups: { nightly: nightly() },
            ...changes,
        });
    const over = (...repository: BackupSpec["repository"][]) => ({
        backups: { nightly: nightly({ repository: repository[0]! }) },
    });
    const sftp = () => ({
        sftp: {
            ...{ host: lab.node("w1").address, port: 22, user: "root", folder: "/backup/site", privateKey: key },
            hostKey: lab.node("w1").hostKey,
        },
    });
    const fails = async (what: StorageSpec, pattern: RegExp) => {
        const output = await st1.operator(what).finished;
        assert.doesNotMatch(output, /exit 0\n$/);
        assert.match(output, pattern);
        assert.doesNotMatch(output, /battery|PRIVATE KEY/);
    };
    const sumsIn = (folder: string) =>
        st1.on(`cd ${folder} && find . -type f -exec sha256sum {} + | sort; find . -printf '%p %u %m\\n' | sort`);
    /** Of the repository that the machine uses now. */
    const snapshots = async () => {
        const folder = "/etc/pulumi-nfv/storage/backups/nightly";
        const said = await st1.on(
            `restic --no-lock --repository-file ${folder}/repository --password-file ${folder}/password -o sftp.command="$(cat ${folder}/sftp-command)" snapshots --json`,
        );
        return JSON.parse(said) as { short_id: string; hostname: string; tags: string[]; paths: string[] }[];
    };
    const observed = async () => {
        return (await observe(st1.connection, bodiesOf(spec())))["storage.backup"]?.state;
    };

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        lab = await Lab.up({ name: "backup", nodes: ["st1", "w1"], nfs: true, volumes: { st1: [gib, gib] } });
        st1 = new StorageMachine(lab, "st1");
        key = lab.node("w1").privateKey;
        await st1.setUp(spec({ backups: {} }));
        await st1.on(
            "mkdir -p /exports/data/deep/er; head -c 5000000 /dev/urandom >/exports/data/deep/er/file; echo one >'/exports/data/a file'; chown -R 1234 /exports/data/deep; chmod 640 '/exports/data/a file'",
        );
        sum = await sumsIn("/exports/data");
    });
    after(() => lab?.down());

    it("refuse a folder that is on the system's disk, is missing, or is on the volume itself; the exports are served meanwhile", async () => {
        await fails(spec(), /BACKUP_FAILED[\s\S]*there is no folder \/mnt\/backup\/site/);
        await st1.on("mkdir -p /mnt/backup/site");
        await fails(spec(), /\/mnt\/backup\/site is on the system's disk/);
        await st1.on("mkdir /srv/pulumi-nfv/data/other");
        await fails(spec(over({ folder: "/srv/pulumi-nfv/data/other" })), /is on the volume data/);
        await st1.on(
            "rmdir /srv/pulumi-nfv/data/other; showmount -e 127.0.0.1 | grep -q /exports/data || exportfs -s | grep -q /exports/data",
        );
        assert.equal(await st1.on(`systemctl is-enabled ${unit}.timer || true`), "disabled\n");
    });

    it("are made when they are asked for, by their timer otherwise; passwords are in no argument", async () => {
        await st1.on(
            `rmdir /mnt/backup/site; mkfs.ext4 -q ${st1.disk(1)}; mount ${st1.disk(1)} /mnt/backup; mkdir /mnt/backup/site`,
        );
        await st1.setUp(spec());
        assert.deepEqual(await snapshots(), []);
        assert.match(await st1.on(`systemctl list-timers ${unit}.timer`), /02:30:00/);
        await st1.setUp(spec({ backups: { nightly: nightly({ run: "first" }) } }));
        await st1.setUp(spec({ backups: { nightly: nightly({ run: "first" }) } }));
        const [made, ...others] = await snapshots();
        assert.deepEqual(others, []);
        const id = (await st1.on("cat /srv/pulumi-nfv/data/.pulumi-nfv/id")).trim();
        const [name, run, origin, ...more] = made!.tags;
        assert.deepEqual([name, origin, more], ["nightly", `/exports/data@${id}`, []]);
        assert.match(run!, /^run@[0-9a-f]{8}$/);
        assert.deepEqual([made!.hostname, made!.paths], [owner, ["/exports/data"]]);
        assert.match(await st1.on("cat /var/lib/pulumi-nfv/backups/nightly.done"), new RegExp(`Z ${made!.short_id}`));
        assert.equal(
            await st1.on(
                `grep -rl battery /var/lib/pulumi-nfv /etc/systemd /usr/local/lib/pulumi-nfv; journalctl | grep -c battery || true`,
            ),
            "0\n",
        );
        assert.equal(await st1.on("find /etc/pulumi-nfv/storage/backups -type f -perm /077"), "");
    });

    it("keep as many as they are to keep", async () => {
        for (const _ of [1, 2]) await st1.on(`systemctl start ${unit}.service`);
        assert.equal((await snapshots()).length, 2);
    });

    it("that fail at night are seen by a refresh, and made again by the next run", async () => {
        await st1.on("umount -l /exports/data");
        await st1.on(`systemctl start ${unit}.service || true`);
        assert.match(
            await st1.on("cat /var/lib/pulumi-nfv/backups/nightly.failed"),
            /\/exports\/data is not mounted: an empty folder/,
        );
        assert.equal(await observed(), "differs");
        await st1.on("mount /exports/data");
        const before = (await snapshots()).map(each => each.short_id);
        await st1.forgetJournal();
        await st1.setUp(spec());
        assert.equal(await observed(), "same");
        assert.notDeepEqual(
            (await snapshots()).map(each => each.short_id),
            before,
        );
    });

    it("with another password leave the repository as it is", async () => {
        await fails(
            spec({ backups: { nightly: nightly({ password: "another" }) } }),
            /BACKUP_FAILED[\s\S]*wrong password/,
        );
        await st1.setUp(spec());
        assert.equal((await snapshots()).length, 2);
    });

    it("come back into a new folder, byte for byte, with owners and modes, once; a folder with files is refused", async () => {
        await st1.on("rm -rf /exports/data/deep");
        await st1.on("mkdir /srv/pulumi-nfv/data/full; touch /srv/pulumi-nfv/data/full/file");
        await fails(
            spec({ restores: { back: restore("full") } }),
            /RESTORE_FAILED[\s\S]*folder full of volume data has files/,
        );
        const back = { restores: { back: restore("restored") } };
        await st1.setUp(spec(back));
        assert.equal(await sumsIn("/srv/pulumi-nfv/data/restored"), sum);
        await st1.on("rm -rf /srv/pulumi-nfv/data/restored");
        await st1.forgetJournal();
        await st1.setUp(spec(back));
        assert.equal(await st1.on("ls /srv/pulumi-nfv/data"), "exports\nfull\n");
        await fails(
            spec({ restores: { back: restore("other") } }),
            /was done already, as: nightly latest \/exports\/data restored/,
        );
    });

    it("come back after a kill at any point of it", async () => {
        const { RESTORES } = bodiesOf(spec({ restores: { killed: restore("killed") } })).find(
            ({ id }) => id === "storage.restore",
        )!.env!;
        assert.match(RESTORES!, /^killed nightly latest \/exports\/data data killed store-12345678$/);
        const meta = "/srv/pulumi-nfv/data/.pulumi-nfv";
        // Half restored; then whole and noted, without its name.
        await st1.on(
            `mkdir -p ${meta}/restore-killed/exports/data; echo half >${meta}/restore-killed/exports/data/half`,
        );
        await st1.setUp(spec({ restores: { killed: restore("killed") } }));
        assert.equal(await sumsIn("/srv/pulumi-nfv/data/killed"), sum);
        await st1.on(
            `mkdir -p ${meta}/restore-killed/exports; mv /srv/pulumi-nfv/data/killed ${meta}/restore-killed/exports/data`,
        );
        await st1.forgetJournal();
        await st1.setUp(spec({ restores: { killed: restore("killed") } }));
        assert.equal(await sumsIn("/srv/pulumi-nfv/data/killed"), sum);
        assert.equal(await st1.on(`ls ${meta} | grep -c restore- || true`), "0\n");
    });

    it("go to another machine by SFTP, whose host key must be the given one", async () => {
        const wrong = sftp();
        wrong.sftp.hostKey = lab.node("st1").hostKey;
        await fails(spec(over(wrong)), /BACKUP_FAILED[\s\S]*repository cannot be opened/);
        await lab.mustSsh("w1", "mkdir /backup");
        const backups = { nightly: nightly({ repository: sftp(), run: "far" }) };
        await st1.setUp(spec({ backups }));
        assert.equal((await snapshots()).length, 1);
        assert.match(await lab.mustSsh("w1", "ls /backup/site"), /config/);
    });

    it("bring a lost volume back, with its folder served in the same run, and go on with it", async () => {
        await st1.on("systemctl stop nfs-server; umount /exports/data /srv/pulumi-nfv/data");
        await st1.on(`dd if=/dev/zero of=${st1.disk(0)} bs=1M count=1024 status=none conv=fsync`);
        await st1.forgetJournal();
        const backups = { nightly: nightly({ repository: sftp() }) };
        await st1.setUp(spec({ backups, recreate: ["data"], restores: { lost: restore("exports/data") } }));
        assert.match(await st1.on("cat '/exports/data/a file'"), /one/);
        await st1.on(`systemctl start ${unit}.service`);
        assert.equal((await snapshots()).length, 2);
        // As if that had not been restored.
        await st1.on("rm /srv/pulumi-nfv/data/.pulumi-nfv/id /srv/pulumi-nfv/data/.pulumi-nfv/restored");
        await st1.on(`systemctl start ${unit}.service || true`);
        const failed = await st1.on("cat /var/lib/pulumi-nfv/backups/nightly.failed");
        assert.match(failed, /\/exports\/data is on another volume/);
    });

    it("leave nothing on a machine that is given back, but for what they stored", async () => {
        await st1.act(leaveStorage(), spec());
        const left =
            "ls /etc/systemd/system | grep -c pulumi-nfv; ls /etc/pulumi-nfv /usr/local/lib/pulumi-nfv /var/cache/pulumi-nfv /var/lib/pulumi-nfv/backups 2>/dev/null; systemctl list-units --all 'pulumi-nfv-backup*' --no-legend";
        assert.equal(await st1.on(`{ ${left}; } || true`), "0\n");
        assert.equal(await lab.mustSsh("w1", "ls /backup/site/snapshots | wc -l"), "2\n");
    });
});
