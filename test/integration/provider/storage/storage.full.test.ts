import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../../../dev/levels";
import { Lab } from "../../../../lab";
import { observe } from "../../../../provider/steps/observe";
import { leaveStorage, registerClient } from "../../../../provider/storage/acts";
import { connectedClients } from "../../../../provider/storage/connected-clients";
import { volumeIdentity } from "../../../../provider/storage/disks/volume-identity";
import type { StorageSpec, VolumeSpec } from "../../../../provider/storage/spec";
import { storageSteps } from "../../../../provider/storage/storage-steps";
import { skipIf } from "../../../support/skip";
import { sampleExport, sampleStorage, sampleVolume } from "../../../unit/provider/storage/sample-storage";
import { StorageMachine } from "./storage-machine";

const mib = 2 ** 20;
const gib = 2 ** 30;
/** Of the second disk, which is wiped often. */
const small = 256 * mib;
const partitionTable = `printf '\\200\\0\\1\\0\\203\\0\\2\\0\\0\\10\\0\\0\\0\\20\\0\\0' | dd of=$0 bs=1 seek=446 conv=notrunc status=none;
    printf '\\125\\252' | dd of=$0 bs=1 seek=510 conv=notrunc status=none`;

/** What somebody else may have on a disk, by what the error must name. */
const foreign: Record<string, { make: string; named: RegExp }> = {
    "a file system": { make: "mkfs.ext4 -q -L theirs $0", named: /ext4 label theirs UUID [0-9a-f-]{36}/ },
    "a partition table": { make: partitionTable, named: /dos/ },
    "swap space": { make: "mkswap $0 >/dev/null", named: /swap/ },
    "a dirty first MiB": {
        make: "printf x | dd of=$0 seek=700000 bs=1 conv=notrunc status=none",
        named: /data in its first MiB/,
    },
    "a dirty last MiB": {
        make: `printf '\\n' | dd of=$0 seek=${small - 1000} bs=1 conv=notrunc status=none`,
        named: /data in its last MiB/,
    },
};

/** Shell functions of our scripts. */
const functionsOf = (name: string) => readFileSync(join(projectRoot, `provider/storage/lib/${name}.sh`), "utf8");

describe("a storage server, real", function () {
    this.timeout(400_000);
    let lab: Lab;
    let st1: StorageMachine;
    let sum: string;

    const owner = "store-12345678";
    // This machine may not grow ext4 while it is mounted: that needs CAP_SYS_RESOURCE.
    const data = (changes: Partial<VolumeSpec> = {}) =>
        sampleVolume({ owner, disk: st1.disk(0), fileSystem: "xfs", ...changes });
    const spec = (changes: Partial<StorageSpec> = {}): StorageSpec =>
        sampleStorage({
            clusterId: owner,
            address: lab.node("st1").address,
            nfs3: true,
            volumes: { data: data() },
            exports: { "/exports/data": sampleExport({ clients: [lab.node("w1").address], registeredClients: true }) },
            ...changes,
        });
    const other = (changes: Partial<ReturnType<typeof sampleVolume>> = {}) =>
        spec({ volumes: { ...spec().volumes, logs: sampleVolume({ owner, disk: st1.disk(1), ...changes }) } });
    const wipe = (disk: string) =>
        st1.on(
            `umount /srv/pulumi-nfv/logs 2>/dev/null; blkdiscard -z ${disk} 2>/dev/null || dd if=/dev/zero of=${disk} bs=1M status=none conv=fsync; true`,
        );
    const mount = (node: string, options = "nfsvers=3,hard") =>
        lab.ssh(
            node,
            `mkdir -p /mnt/data && mount -t nfs -o ${options} ${lab.node("st1").address}:/exports/data /mnt/data`,
        );
    const unmount = (node: string) => lab.ssh(node, "umount /mnt/data");
    const sumOf = async () => (await st1.on("sha256sum </exports/data/file")).trim();
    const checksum = async (disk: string) => (await st1.on(`sync; sha256sum <${disk}`)).trim();
    const observed = (of: StorageSpec) =>
        observe(
            st1.connection,
            storageSteps.flatMap(factory => factory(of) ?? []),
        );

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        lab = await Lab.up({ name: "storage", nodes: ["st1", "w1", "w2"], nfs: true, volumes: { st1: [gib, small] } });
        st1 = new StorageMachine(lab, "st1");
        for (const node of ["w1", "w2"]) {
            await lab.mustSsh(
                node,
                "apt-get -qq update && apt-get -qq install -y --no-install-recommends nfs-common >/dev/null",
            );
        }
    });
    after(() => lab?.down());
    // A mount that waits for its server would keep the next one from its place.
    afterEach(() => Promise.all(["w1", "w2"].map(node => lab.ssh(node, "umount -l /mnt/data; pkill -9 mount.nfs"))));

    it("makes a volume on an empty disk and serves it to a member, and to nobody else", async () => {
        assert.deepEqual(await st1.verdicts(spec()), { data: "empty" });
        await st1.setUp(spec());
        assert.deepEqual(await st1.verdicts(spec()), { data: "ours" });
        const member = await mount("w1");
        assert.equal(member.code, 0, member.stderr);
        await lab.mustSsh("w1", "head -c 20000000 /dev/urandom >/mnt/data/file; sync /mnt/data/file");
        sum = (await lab.mustSsh("w1", "sha256sum </mnt/data/file")).trim();
        assert.equal(await sumOf(), sum);
        await unmount("w1");
        assert.notEqual((await mount("w2")).code, 0, "w2 is no client");
    });

    it("is as it was made: every step that can be seen says so", async () => {
        const states = Object.entries(await observed(spec()));
        const wrong = states.filter(([, { state }]) => state === "differs");
        assert.deepEqual(wrong, []);
        assert.ok(states.filter(([, { state }]) => state === "same").length >= 4, JSON.stringify(states));
    });

    it("hides from clients what is ours on the volume", async () => {
        assert.equal((await mount("w1")).code, 0);
        assert.equal(await lab.mustSsh("w1", "ls -A /mnt/data"), "file\n");
        await unmount("w1");
    });

    it("knows which clients have it mounted", async () => {
        const connected = () => connectedClients(st1.connection, spec());
        assert.equal((await mount("w1")).code, 0);
        assert.deepEqual(await connected(), [lab.node("w1").address]);
        await unmount("w1");
        for (const end = Date.now() + 10_000; (await connected()).length > 0; await sleep(200))
            assert.ok(Date.now() < end);
    });

    it("lets clients come and go", async () => {
        const address = lab.node("w2").address;
        await st1.act(registerClient({ client: "w2", entry: "w2_1", addresses: [address], goes: false }), spec());
        const came = await mount("w2");
        assert.equal(came.code, 0, came.stderr);
        await unmount("w2");
        await st1.act(registerClient({ client: "w2", entry: "w2_1", addresses: [address], goes: true }), spec());
        assert.notEqual((await mount("w2")).code, 0);
    });

    it("mounts and serves again after a reboot", async () => {
        await lab.reboot("st1");
        const again = await mount("w1");
        assert.equal(again.code, 0, again.stderr);
        assert.equal((await lab.mustSsh("w1", "sha256sum </mnt/data/file")).trim(), sum);
        await unmount("w1");
    });

    it("makes clients only pause while it has no power, and has every write that it acknowledged", async () => {
        assert.equal((await mount("w1")).code, 0);
        const write =
            "i=0; while :; do i=$((i+1)); echo $i >>/mnt/data/log && sync /mnt/data/log && echo $i >>/root/acknowledged; sleep 0.1; done";
        await lab.mustSsh("w1", `systemd-run -q --unit writer sh -c '${write}'`);
        const acknowledged = async () => Number((await lab.ssh("w1", "tail -n 1 /root/acknowledged")).stdout);
        const until = async (least: number) => {
            for (const end = Date.now() + 60_000; !((await acknowledged()) > least); await sleep(200))
                assert.ok(Date.now() < end, `no write after ${least}`);
        };
        await until(10);
        await lab.powerOff("st1");
        await sleep(2000);
        const before = await acknowledged();
        await lab.powerOn("st1");
        await until(before + 10);
        await lab.mustSsh("w1", "systemctl stop writer");
        const last = await acknowledged();
        const written = new Set((await st1.on("cat /exports/data/log")).trim().split("\n").map(Number));
        for (let i = 1; i <= last; i++) assert.ok(written.has(i), `${i} of ${last} was acknowledged`);
        await st1.on("rm /exports/data/log");
        await unmount("w1");
    });

    it("serves nothing of the root disk while the volume is not mounted", async () => {
        await st1.on("systemctl stop nfs-server; umount /exports/data; systemctl start nfs-server");
        assert.notEqual((await mount("w1")).code, 0);
        const seen = await observed(spec());
        assert.match(JSON.stringify(seen), /nothing is mounted at \/exports\/data/);
        await st1.on("mount /exports/data; systemctl restart nfs-server");
    });

    for (const [what, { make, named }] of Object.entries(foreign)) {
        it(`refuses a disk with ${what}, says what it is, and changes nothing on it`, async () => {
            const disk = st1.disk(1);
            await wipe(disk);
            await st1.on(`sh -ec '${make.replaceAll("$0", disk).replaceAll("'", "'\\''")}'`);
            const before = await checksum(disk);
            await assert.rejects(st1.verdicts(other()), error => {
                assert.match(String(error), /FOREIGN_VOLUME/);
                assert.match(String(error), named);
                return true;
            });
            const output = await st1.operator(other()).finished;
            assert.match(output, /FOREIGN_VOLUME/);
            assert.equal(await checksum(disk), before);
            assert.equal(await sumOf(), sum, "the other volume goes on");
        });
    }

    it("refuses the volume of another owner, says whose it is, and takes it over when it is told to", async () => {
        const disk = st1.disk(1);
        await wipe(disk);
        const { uuid, label } = volumeIdentity("former-99999999", "logs");
        await st1.on(`mkfs.ext4 -q -U ${uuid} -L ${label} ${disk}; mount ${disk} /mnt; mkdir /mnt/.pulumi-nfv
            printf 'owner former-99999999\\nvolume logs\\nuuid ${uuid}\\n' >/mnt/.pulumi-nfv/mark; echo theirs >/mnt/file; umount /mnt`);
        await assert.rejects(st1.verdicts(other()), /mark of somebody else: volume logs of former-99999999/);
        await st1.setUp(other({ owner: "former-99999999" }));
        assert.equal(await st1.on("cat /srv/pulumi-nfv/logs/file"), "theirs\n");
        await st1.setUp(spec());
        assert.notEqual((await lab.ssh("st1", "mountpoint /srv/pulumi-nfv/logs")).code, 0, "unmounted, not deleted");
    });

    it("goes on after kill -9 of the operator in each step, with the data intact", async () => {
        await wipe(st1.disk(1));
        const titles = storageSteps.flatMap(factory => factory(other())?.title ?? []);
        for (const [i, title] of titles.entries()) {
            await st1.forgetJournal();
            const first = st1.operator(other(), body =>
                body.title === title && body.run ? { ...body, run: `sleep 1\n${body.run}` } : body,
            );
            for (
                const end = Date.now() + 60_000;
                !first.output().includes(`${i + 1}/${titles.length} ${title}`);
                await sleep(20)
            ) {
                assert.ok(
                    Date.now() < end && first.exitCode === null,
                    `waited in vain for ${title}:\n${first.output()}`,
                );
            }
            first.kill("SIGKILL");
            await first.finished;
            await st1.setUp(other());
            assert.equal(await sumOf(), sum, `killed in: ${title}`);
        }
    });

    it("recognises a volume that was formatted and not yet marked, and one whose mkfs was interrupted", async () => {
        const disk = st1.disk(1);
        const { uuid } = volumeIdentity(owner, "logs");
        await st1.on("rm -r /srv/pulumi-nfv/logs/.pulumi-nfv; umount /srv/pulumi-nfv/logs");
        await st1.forgetJournal();
        await st1.setUp(other());
        assert.match(await st1.on("cat /srv/pulumi-nfv/logs/.pulumi-nfv/mark"), new RegExp(`uuid ${uuid}`));
        await wipe(disk);
        await st1.on(`printf garbage | dd of=${disk} seek=5000 bs=1 conv=notrunc status=none
            FORMATTING_FOLDER=/var/lib/pulumi-nfv/formatting
            ${functionsOf("disk")}
            ${functionsOf("formatting")}
            note_begin logs ${uuid} "$(readlink -e ${disk})"`);
        assert.deepEqual(await st1.verdicts(other()), { data: "ours", logs: "unfinished" });
        await st1.forgetJournal();
        await st1.setUp(other());
        assert.deepEqual(await st1.verdicts(other()), { data: "ours", logs: "ours" });
    });

    it("says that a volume is lost when its disk is empty, and makes another one only by name", async () => {
        await wipe(st1.disk(1));
        await st1.forgetJournal();
        await assert.rejects(st1.verdicts(other()), /VOLUME_LOST[\s\S]*recreate: \["logs"\]/);
        assert.match(await st1.operator(other()).finished, /VOLUME_LOST/);
        await st1.setUp({ ...other(), recreate: ["logs"] });
        assert.deepEqual(await st1.verdicts(other()), { data: "ours", logs: "ours" });
    });

    it("refuses a copy with the same UUID", async () => {
        await st1.on(
            `umount /srv/pulumi-nfv/logs; dd if=${st1.disk(0)} of=${st1.disk(1)} bs=4M count=16 status=none conv=fsync`,
        );
        await assert.rejects(st1.verdicts(spec()), /\/dev\/vdc carries the same UUID/);
        await wipe(st1.disk(1));
    });

    it("grows with its disk while a client writes", async () => {
        assert.equal((await mount("w1")).code, 0);
        const writing = lab.mustSsh(
            "w1",
            "for i in $(seq 40); do head -c 100000 /dev/zero >>/mnt/data/log; sleep 0.1; done; wc -c </mnt/data/log",
        );
        await st1.resize(0, 2 * gib);
        await st1.setUp(spec({ volumes: { data: data({ sizeGiB: 2 }) } }));
        assert.equal((await writing).trim(), "4000000");
        const [size] = (await st1.on("df -B1 --output=size /srv/pulumi-nfv/data | tail -1")).trim().split(" ");
        assert.ok(Number(size) > 1.8 * gib, `${size} bytes`);
        assert.equal(await sumOf(), sum);
        await unmount("w1");
    });

    it("grows in the next run where its operator was killed meanwhile, with the data intact", async () => {
        await st1.resize(0, 3 * gib);
        const larger = spec({ volumes: { data: data({ sizeGiB: 3 }) } });
        const first = st1.operator(larger, body =>
            body.id === "storage.volumes" && body.run ? { ...body, run: `sleep 1\n${body.run}\nsleep 20` } : body,
        );
        for (const end = Date.now() + 60_000; !/\d prepare the volumes/.test(first.output()); await sleep(20))
            assert.ok(Date.now() < end && first.exitCode === null, first.output());
        first.kill("SIGKILL");
        await first.finished;
        await lab.powerOff("st1");
        await lab.powerOn("st1");
        await st1.setUp(larger);
        const [size] = (await st1.on("df -B1 --output=size /srv/pulumi-nfv/data | tail -1")).trim().split("\n");
        assert.ok(Number(size) > 2.8 * gib, `${size} bytes`);
        assert.equal(await sumOf(), sum);
    });

    it("refuses writes when it is full, keeps data and marks, and serves on when there is space", async () => {
        const full = spec({ volumes: { data: data({ sizeGiB: 3 }) } });
        assert.equal((await mount("w1")).code, 0);
        // Small files, too, until not even a folder fits.
        await st1.on(`cd /exports/data; dd if=/dev/zero of=large bs=1M status=none 2>/dev/null
            i=0; while echo x >"small$i" && [ -s "small$i" ]; do i=$((i+1)); done 2>/dev/null; sync`);
        const refused = await lab.ssh("w1", "head -c 1000000 /dev/zero >/mnt/data/more && sync /mnt/data/more");
        assert.match(refused.stderr, /No space left/);
        const more = { ...full, exports: { ...full.exports, "/exports/more": sampleExport({ folder: "more" }) } };
        await st1.forgetJournal();
        assert.match(await st1.operator(more).finished, /STEP_FAILED[\s\S]*No space left/);
        assert.equal(await sumOf(), sum);
        assert.match(await st1.on("cat /srv/pulumi-nfv/data/.pulumi-nfv/mark"), new RegExp(`owner ${owner}\n`));
        await st1.on("cd /exports/data; rm -f large small* more; sync");
        await st1.setUp(more);
        assert.deepEqual(await st1.verdicts(full), { data: "ours" });
        await lab.mustSsh("w1", "echo again >/mnt/data/more && sync /mnt/data/more && rm /mnt/data/more");
        await unmount("w1");
        await st1.setUp(full);
    });

    it("refuses a disk that is smaller than asked for, and one that was shrunk", async () => {
        const least = spec({ volumes: { data: data({ sizeGiB: 4 }) } });
        await assert.rejects(st1.verdicts(least), /3\.00 GiB, less than sizeGiB: 4/);
        await st1.setUp({ ...other(), recreate: ["logs"] });
        await st1.on("umount /srv/pulumi-nfv/logs");
        await st1.resize(1, 180 * mib);
        await assert.rejects(st1.verdicts(other()), /the file system has 0\.25 GiB, the disk only 0\.18 GiB/);
        await st1.forgetJournal();
        assert.match(await st1.operator(other()).finished, /FOREIGN_VOLUME[\s\S]*shrunk/);
        await st1.resize(1, small);
        await st1.setUp(spec());
    });

    it("does not trust exportfs: an export that nothing serves is an error", async () => {
        const more = spec({ exports: { ...spec().exports, "/exports/more": sampleExport({ folder: "more" }) } });
        await st1.on("cp -a /usr/sbin/exportfs /root/exportfs; printf '#!/bin/sh\\nexit 0\\n' >/usr/sbin/exportfs");
        const output = await st1.operator(more).finished;
        assert.match(output, /NOT_SERVED[\s\S]*\/exports\/more is exported, but 10\.99\.0\.31 does not serve it/);
        await st1.on("mv /root/exportfs /usr/sbin/exportfs");
        await st1.setUp(more);
        await st1.setUp(spec());
    });

    it("serves version 4 alone unless it is asked for 3", async () => {
        const only4 = spec({ nfs3: false });
        await st1.setUp(only4);
        assert.notEqual((await mount("w1", "nfsvers=3")).code, 0);
        const four = await mount("w1", "nfsvers=4");
        assert.equal(four.code, 0, four.stderr);
        await unmount("w1");
    });

    it("is given back with its data: exports, mounts and lines of ours go, the volume stays as it is", async () => {
        await st1.act(leaveStorage(), spec());
        await st1.forget();
        assert.notEqual((await mount("w1")).code, 0);
        const left =
            "cat /etc/fstab; ls /etc/exports.d /etc/nfs.conf.d 2>/dev/null; awk '{ print $5 }' /proc/self/mountinfo";
        assert.doesNotMatch(await st1.on(left), /pulumi-nfv|exports\/data/);
        assert.doesNotMatch((await lab.ssh("st1", "dpkg -s nfs-kernel-server 2>/dev/null")).stdout, /ok installed/);
        await st1.on(`mount -o ro ${st1.disk(0)} /mnt`);
        assert.equal((await st1.on("sha256sum </mnt/exports/data/file; umount /mnt")).trim(), sum);
    });
});
