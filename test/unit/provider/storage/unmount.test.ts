import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { script } from "../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

/** Real scripts; mounts and systemd are programs of the test. A mount that is busy can be unmounted only while the NFS server does not run. */
describe("unmounting what is served", () => {
    let shell: ShellRun;
    const at = (name: string) => join(shell.folder, name);
    const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "");
    const write = (name: string, text: string) => writeFileSync(at(name), text);
    const run = (path: string, env: Record<string, string>) => {
        const constants = { VOLUMES_FOLDER: shell.folder, STOPPED_FILE: at("stopped"), BACKUP_NOTES: at("notes") };
        const text = script(path, constants)
            .replace(/^PATH=.*$/gm, "")
            .replaceAll("/etc/fstab", at("fstab"));
        const values = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
        const { status, stderr } = shell.run(`${values.join("")}${text}`);
        return { code: status, stderr };
    };
    const unused = () => run("storage/remove-unused.sh", { MOUNTS: at("data") });
    const folders = (folder: string) =>
        run("storage/make-folders.sh", {
            FOLDERS: `${at("exports/data")} ${at(`data/${folder}`)} ${process.getuid!()} ${process.getgid!()} 0770`,
        });
    const mountLine = (folder: string) => `${at(`data/${folder}`)} ${at("exports/data")} none bind 0 0\n`;
    /** The backup runs, and has begun with these exports; undefined: it has noted none yet. */
    const saving = (paths?: string) => {
        write("units", "pulumi-nfv-backup@nightly.service loaded activating start Backup nightly\n");
        if (paths !== undefined) write("notes/nightly.saving", `${paths}\n`);
    };

    beforeEach(() => {
        // As deep as the folder of volumes on a machine: the scripts find a volume's place by that.
        shell = shellIn("sh", "/tmp");
        for (const name of ["data/.pulumi-nfv", "data/former", "data/next", "exports/data", "notes"])
            mkdirSync(at(name), { recursive: true });
        write("mounted", `${at("data")}\n${at("exports/data")}\n`);
        write("fstab", `# pulumi-nfv storage begin\n${mountLine("former")}# pulumi-nfv storage end\n`);
        write("units", "");
        write("calls", "");
        shell.program("mountpoint", `grep -qxF -- "$2" '${at("mounted")}'`);
        shell.program("sleep", ":");
        shell.program("sync", ":");
        shell.program("exportfs", `echo "exportfs $*" >> '${at("calls")}'`);
        shell.program(
            "umount",
            `echo "umount $1" >> '${at("calls")}'
if [ ! -e '${at("nfs-stopped")}' ]; then echo busy >&2; exit 32; fi
grep -vxF -- "$1" '${at("mounted")}' > '${at("mounted")}.new'; mv '${at("mounted")}.new' '${at("mounted")}'`,
        );
        shell.program("mount", `rmdir "$1"; ln -s '${at("data/next")}' "$1"; echo "$1" >> '${at("mounted")}'`);
        shell.program(
            "systemctl",
            `case $1 in
    list-units) case "$*" in *'pulumi-nfv-backup@*.service'*) cat '${at("units")}' ;; esac ;;
    stop) echo "$*" >> '${at("calls")}'; : > '${at("nfs-stopped")}' ;;
    start) echo "$*" >> '${at("calls")}'; rm '${at("nfs-stopped")}' ;;
esac`,
        );
        // A bind mount is its folder.
        shell.program(
            "stat",
            `[ "$3" = '${at("exports/data")}' ] && [ ! -L "$3" ] && set -- "$1" "$2" '${at("data/former")}'; exec /usr/bin/stat -L "$@"`,
        );
    });
    afterEach(() => shell.remove());

    it("stops the NFS server for as long as it takes, if clients have files open", () => {
        assert.equal(unused().code, 0);
        assert.match(read("calls"), /stop nfs-server.service\numount \S+\nstart nfs-server.service\n$/);
        assert.doesNotMatch(read("mounted"), /exports/);
    });

    it("gives an export another folder", () => {
        const { code, stderr } = folders("next");
        assert.equal(code, 0, stderr);
        assert.match(read("calls"), /stop nfs-server/);
        assert.match(read("fstab"), /data\/next /);
    });

    for (const [what, act] of [
        ["an export that is unmounted", () => unused()],
        ["an export that gets another folder", () => folders("next")],
    ] as [string, () => ReturnType<typeof unused>][]) {
        for (const isNew of [false, true]) {
            it(`changes nothing while a backup${isNew ? " that has just begun" : ""} saves ${what}: it would stop the server for nothing`, () => {
                saving(isNew ? undefined : at("exports/data"));
                const fstab = read("fstab");
                const { code, stderr } = act();
                assert.equal(code, 1);
                assert.match(
                    stderr,
                    /exports\/data cannot be unmounted: the backup nightly is saving it.*systemctl stop pulumi-nfv-backup@nightly\.service/,
                );
                assert.deepEqual([read("calls"), read("fstab")], ["", fstab]);
            });
        }

        it(`goes on while a backup saves another one than ${what}`, () => {
            saving(at("exports/other"));
            assert.equal(act().code, 0);
        });
    }

    it("changes nothing while a backup saves an export that stays as it is", () => {
        saving(at("exports/data"));
        const { code, stderr } = folders("former");
        assert.equal(code, 0, stderr);
        assert.equal(read("calls"), "exportfs -ra\n");
    });

    it("does not stop the server for a backup that began after the look", () => {
        shell.program("sleep", `echo 'pulumi-nfv-backup@nightly.service loaded activating' > '${at("units")}'`);
        const { code, stderr } = unused();
        assert.equal(code, 1);
        assert.match(stderr, /the backup nightly is saving it/);
        assert.doesNotMatch(read("calls"), /stop/);
    });
});
