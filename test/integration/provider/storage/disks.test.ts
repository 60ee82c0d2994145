import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import type { StepBody, StepFactory } from "../../../../provider/steps/types";
import { registerClient } from "../../../../provider/storage/acts";
import { prepareVolumes } from "../../../../provider/storage/disks/prepare-volumes";
import { makeFolders } from "../../../../provider/storage/make-folders";
import type { StorageSpec } from "../../../../provider/storage/spec";
import { skipIf } from "../../../support/skip";
import { sampleExport, sampleStorage, sampleVolume } from "../../../unit/provider/storage/sample-storage";

const mib = 2 ** 20;
/** Folders that each machine of these tests has for itself. */
const ownFolders = ["/etc", "/srv", "/exports", "/var/lib/pulumi-nfv", "/run/blkid"];

/** The scripts of a storage server on loop devices, in mount namespaces of their own: nothing of the machine is changed. */
describe("the scripts that touch disks and folders", () => {
    let work: string;
    const loops: string[] = [];
    /** Mount points that this machine did not have. */
    const made: string[] = [];

    const disk = (name: string) => {
        const file = join(work, name);
        execFileSync("truncate", ["-s", String(64 * mib), file]);
        const device = execFileSync("losetup", ["-f", "--show", file], { encoding: "utf8" }).trim();
        loops.push(device);
        return device;
    };
    const volume = (device: string) => ({ volumes: { data: sampleVolume({ disk: device }) } });
    /** A step as a shell command that prints its exit code. */
    const step = (factory: StepFactory<StorageSpec>, changes: Partial<StorageSpec>) => {
        const body = factory(sampleStorage(changes)) as StepBody & { env: Record<string, string>; run: string };
        const file = join(work, `step-${loops.length}-${Math.random()}.sh`);
        const env = Object.entries(body.env).map(([name, value]) => `${name}='${value}'`);
        writeFileSync(file, ["set -eu", ...env, body.run].join("\n"));
        return `sh ${file}; echo "exit $?"`;
    };
    /** What the commands print, on a machine with an own /etc, /srv and /exports, and an own state. */
    const onMachine = (...commands: string[]) => {
        const file = join(work, "machine.sh");
        const own = ownFolders.map(
            (place, i) =>
                `mkdir -p ${work}/${i}; ${i === 0 ? `cp -a /etc/. ${work}/0;` : ""} mount --bind ${work}/${i} ${place}`,
        );
        const begin = ["mount --make-rprivate /", ...own, "mount --bind /bin/true /usr/bin/systemctl", ": >/etc/fstab"];
        writeFileSync(file, [...begin, ...commands].join("\n"));
        const { stdout, stderr } = spawnSync("unshare", ["-m", "bash", file], { encoding: "utf8" });
        return `${stdout}${stderr}`;
    };
    const failingMkfs = (then: string) => [
        `printf '#!/bin/sh\nexit 1\n' >${work}/mkfs; chmod 755 ${work}/mkfs; mount --bind ${work}/mkfs "$(readlink -f "$(command -v mkfs.ext4)")"`,
        then,
        `umount "$(readlink -f "$(command -v mkfs.ext4)")"`,
    ];
    const killedMkfs = (device: string, then: string) => [
        `printf '#!/bin/sh\nkill -9 $PPID\n' >${work}/mkfs; chmod 755 ${work}/mkfs; mount --bind ${work}/mkfs "$(readlink -f "$(command -v mkfs.ext4)")"`,
        then,
        `umount "$(readlink -f "$(command -v mkfs.ext4)")"`,
        `printf x | dd of=${device} conv=notrunc status=none`,
    ];

    before(function () {
        skipIf(this, process.getuid?.() !== 0 && "loop devices need root");
        for (const place of ownFolders.filter(each => !existsSync(each))) {
            mkdirSync(place, { recursive: true });
            made.push(place);
        }
    });
    after(() => {
        for (const place of made) rmdirSync(place);
    });
    beforeEach(() => {
        work = mkdtempSync(join(tmpdir(), "nfv-disks-"));
    });
    afterEach(() => {
        for (const device of loops.splice(0)) spawnSync("losetup", ["-d", device]);
        rmSync(work, { recursive: true, force: true });
    });

    it("make a file system on an empty disk, and find it again", () => {
        const device = disk("a");
        const prepare = step(prepareVolumes, volume(device));
        const said = onMachine(
            prepare,
            "echo kept >/srv/pulumi-nfv/data/file",
            "umount /srv/pulumi-nfv/data",
            prepare,
            "cat /srv/pulumi-nfv/data/file",
        );
        assert.equal(said.match(/exit 0/g)?.length, 2, said);
        assert.match(said, /kept/);
    });

    for (const [what, broken] of [
        ["failed", (_: string, then: string) => failingMkfs(then)],
        ["was killed", killedMkfs],
    ] as const) {
        it(`never format another disk because mkfs ${what} on the first one`, () => {
            const [wrong, theirs] = [disk("a"), disk("b")];
            // As a database on a raw device has it: no signature.
            execFileSync("sh", ["-c", `printf 'a row' | dd of=${theirs} conv=notrunc status=none`]);
            const said = onMachine(
                ...broken(wrong, step(prepareVolumes, volume(wrong))),
                step(prepareVolumes, volume(theirs)),
                `head -c 5 ${theirs}`,
            );
            assert.match(said, new RegExp(`exit ${exitCodes.FOREIGN_VOLUME}\na row`), said);
            assert.match(said, new RegExp(`${theirs} is not empty`));
        });
    }

    it("go on where mkfs was killed, on the same disk", () => {
        const device = disk("a");
        const prepare = step(prepareVolumes, volume(device));
        const said = onMachine(...killedMkfs(device, prepare), prepare, "mountpoint /srv/pulumi-nfv/data");
        assert.match(said, /exit 0\n\/srv\/pulumi-nfv\/data is a mountpoint/, said);
    });

    it("never format the volume itself because mkfs was killed on another disk: a damaged file system is for a person", () => {
        const [wrong, data] = [disk("a"), disk("b")];
        const said = onMachine(
            step(prepareVolumes, volume(data)),
            "echo precious >/srv/pulumi-nfv/data/file; umount /srv/pulumi-nfv/data; rm -rf /var/lib/pulumi-nfv/*",
            ...killedMkfs(wrong, step(prepareVolumes, volume(wrong))),
            `debugfs -w -R 'set_super_value journal_inum 12345' ${data} 2>/dev/null`,
            step(prepareVolumes, volume(data)),
            `e2fsck -fy ${data} >/dev/null 2>&1; debugfs -R 'cat file' ${data} 2>/dev/null`,
        );
        assert.match(said, /precious[\s\S]*cannot be mounted; it may need a repair/, said);
        assert.equal(said.match(/exit 0/g)?.length, 1, said);
    });

    it("never format a disk while another one is still mounted in its place, as a lost one is until somebody unmounts it", () => {
        const [lost, empty] = [disk("a"), disk("b")];
        const said = onMachine(
            step(prepareVolumes, volume(lost)),
            `wipefs --all --quiet --force ${lost}; sync`,
            step(prepareVolumes, { ...volume(empty), recreate: ["data"] }),
            `wipefs ${empty}; blkid ${empty}; echo "on it: nothing"`,
        );
        assert.match(said, new RegExp(`exit 0\nexit ${exitCodes.FOREIGN_VOLUME}\non it: nothing`), said);
        assert.match(said, /another file system is mounted at \/srv\/pulumi-nfv\/data/);
    });

    it("serve the other volume where an export moves to it, and have one line for each path", () => {
        const [one, two] = [disk("a"), disk("b")];
        const volumes = {
            one: sampleVolume({ disk: one }),
            two: sampleVolume({ disk: two }),
        };
        const moved = (name: string) => ({ volumes, exports: { "/exports/data": sampleExport({ volume: name }) } });
        const said = onMachine(
            step(prepareVolumes, { volumes }),
            step(makeFolders, moved("one")),
            step(makeFolders, moved("two")),
            "echo new >/exports/data/file; cat /srv/pulumi-nfv/two/exports/data/file; ls /srv/pulumi-nfv/one/exports/data",
            "grep -c ' /exports/data ' /etc/fstab",
        );
        assert.match(said, /exit 0\nexit 0\nexit 0\nnew\n1\n/, said);
    });

    it("keep what was announced of a client until that address has a file of its own, or goes", () => {
        const at =
            (address: string, goes = false) =>
            () =>
                registerClient({ client: "w1", entry: `w1_${address.slice(-2)}`, addresses: [address], goes });
        const folder = "/etc/pulumi-nfv/storage/clients";
        const list = `ls ${folder} | tr '\\n' ' '; echo`;
        const said = onMachine(
            `mkdir -p ${folder}; echo 10.0.0.21 >${folder}/w1`,
            step(at("10.0.0.22") as never, {}),
            list,
            step(at("10.0.0.21", true) as never, {}),
            list,
            `echo 10.0.0.22 >${folder}/w1`,
            step(at("10.0.0.22") as never, {}),
            list,
        );
        assert.match(said, /exit 0\nw1 w1_22 \nexit 0\nw1_22 \nexit 0\nw1_22 \n/, said);
    });

    /** An NFS server that clients keep busy until it stops: `umount` of a path fails while it runs. */
    const busyServer = [
        `printf '#!/bin/sh\nwhile [ "$1" = -q ]; do shift; done\ncase $1 in is-active) test -e ${"/run/nfs-runs"} ;; stop) rm -f /run/nfs-runs ;; start) : >/run/nfs-runs ;; esac\n' >/srv/systemctl`,
        "mkdir -p /srv/run; mount --bind /srv/run /run; : >/run/nfs-runs; chmod 755 /srv/systemctl; mount --bind /srv/systemctl /usr/bin/systemctl",
    ];
    const serverRuns = "test -e /run/nfs-runs && echo serves || echo stopped";

    it("start the NFS server again however they end, also a run after one that was killed", () => {
        const device = disk("a");
        const paths = (folder: string, more: StorageSpec["exports"] = {}) => ({
            ...volume(device),
            exports: { "/exports/a": sampleExport({ folder }), ...more },
        });
        const busy = "exec 9</exports/a/file";
        const said = onMachine(
            ...busyServer,
            step(prepareVolumes, volume(device)),
            step(makeFolders, paths("a")),
            "echo x >/exports/a/file",
            busy,
            step(makeFolders, paths("b")),
            serverRuns,
            "exec 9<&-",
            step(makeFolders, paths("b")),
            serverRuns,
            ": >/run/pulumi-nfv-nfs-server-stopped; rm /run/nfs-runs",
            step(makeFolders, paths("a")),
            serverRuns,
            "ls /run/pulumi-nfv-nfs-server-stopped",
        );
        assert.match(said, /exit 0\nexit 0\nexit 32\nserves\nexit 0\nserves\nexit 0\nserves\n/, said);
        assert.match(said, /cannot access/);
    });

    it("leave lines of others in /etc/fstab whole: a last one without an end, one in our block", () => {
        const device = disk("a");
        const said = onMachine(
            "printf 'tmpfs /scratch tmpfs size=1g' >/etc/fstab",
            step(prepareVolumes, volume(device)),
            "sed -i 's,^# pulumi-nfv storage end,tmpfs /mine tmpfs noauto\\n&,' /etc/fstab; cat /etc/fstab",
            step(makeFolders, { ...volume(device), exports: { "/exports/data": sampleExport() } }),
            "echo ---; cat /etc/fstab",
        );
        const [before = "", after = ""] = said.split("---");
        assert.match(before, /^tmpfs \/scratch tmpfs size=1g$/m, said);
        assert.match(before, /^UUID=.*\ntmpfs \/mine tmpfs noauto\n# pulumi-nfv storage end$/m);
        assert.match(
            after,
            /^\ntmpfs \/scratch tmpfs size=1g\ntmpfs \/mine tmpfs noauto\n# pulumi-nfv storage begin\nUUID=.*\n.* \/exports\/data .*\n#.*end\n/,
        );
    });

    it("set owner and mode of a folder once: what software chose for its own folder stays", () => {
        const device = disk("a");
        const exports = (mode: string) => ({ ...volume(device), exports: { "/exports/a": sampleExport({ mode }) } });
        const seen = "stat -c '%a %u' /exports/a";
        const said = onMachine(
            step(prepareVolumes, volume(device)),
            step(makeFolders, exports("0770")),
            seen,
            "echo x >/exports/a/file; chown 999 /exports/a; chmod 0700 /exports/a",
            step(makeFolders, exports("0770")),
            seen,
            step(makeFolders, exports("0750")),
            seen,
        );
        assert.match(said, /exit 0\nexit 0\n770 65534\nexit 0\n700 999\nexit 0\n750 65534\n/, said);
    });

    it("make nothing outside of a volume for a client's link, and refuse before the first change", () => {
        const device = disk("a");
        const exports = (folder: string) => ({
            ...volume(device),
            exports: { "/exports/a": sampleExport({ folder: "new" }), "/exports/b": sampleExport({ folder }) },
        });
        const said = onMachine(
            step(prepareVolumes, volume(device)),
            "ln -s /srv /srv/pulumi-nfv/data/link",
            step(makeFolders, exports("link/out")),
            "ls -d /srv/out /srv/pulumi-nfv/data/new /exports/a",
        );
        assert.match(said, new RegExp(`exit ${exitCodes.FOREIGN_VOLUME}\n`), said);
        assert.equal(said.match(/cannot access/g)?.length, 3, said);
    });

    it("leave a mount of others at an export's path, and files that an export would hide", () => {
        const device = disk("a");
        const paths = (path: string) => ({ ...volume(device), exports: { [path]: sampleExport() } });
        const said = onMachine(
            step(prepareVolumes, volume(device)),
            "mkdir -p /exports/mounted /exports/full",
            "mount -t tmpfs theirs /exports/mounted; echo theirs >/exports/mounted/file; echo theirs >/exports/full/file",
            step(makeFolders, paths("/exports/mounted")),
            step(makeFolders, paths("/exports/full")),
            "cat /exports/mounted/file /exports/full/file",
            step(makeFolders, paths("/exports/data")),
            step(makeFolders, paths("/exports/data")),
        );
        const refused = `exit ${exitCodes.FOREIGN_VOLUME}`;
        assert.match(said, new RegExp(`exit 0\n${refused}\n${refused}\ntheirs\ntheirs\nexit 0\nexit 0`), said);
    });
});
