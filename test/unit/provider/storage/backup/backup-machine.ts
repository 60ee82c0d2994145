import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readScript, script } from "../../../../../provider/shell/script-file";
import { backupLines, scheduleLines, settingsFiles } from "../../../../../provider/storage/backup/backup-files";
import { restoreFolders } from "../../../../../provider/storage/backup/restore-folders";
import { backupConstants } from "../../../../../provider/storage/paths";
import type { StorageSpec } from "../../../../../provider/storage/spec";
import { shellIn } from "../../shell/lib/shell-run";

/**
 * A repository is a folder with the password as "config". A file "fail-COMMAND" holds how a command ends. Each of these programs runs hundreds of times in a
 * test file, so they start no others where the shell can do it: a list of exported variables is sorted, as dash and bash print it.
 */
const restic = `
if [ "$*" = "restore --help" ]; then cat "$ROOT/restore-help"; exit 0; fi
if [ "$1" = version ]; then echo "restic 0.14.0 compiled with go1.19.8 on linux/amd64"; exit 0; fi
printf '%s\\n' "$*" >> "$ROOT/restic-calls"
ours() {
    export -p | while IFS= read -r line; do
        line=\${line##*export } line=\${line##*declare -x }
        case $line in RESTIC_*=* | AWS_*=*) printf %s, "\${line%%=*}" ;; esac
    done
}
printf '%s\\n' "proxy=\${HTTPS_PROXY:-} of=$(ours) key=\${AWS_ACCESS_KEY_ID:-}" >> "$ROOT/restic-environment"
case $1 in -o | --cacert) shift 2 ;; esac
IFS= read -r repository < "$RESTIC_REPOSITORY_FILE" || [ -n "$repository" ]
if [ -e "$ROOT/fail-$1" ]; then . "$ROOT/fail-$1"; fi
if [ "$1" = init ]; then mkdir -p "$repository/keys"; : > "$repository/keys/$$"; cp "$RESTIC_PASSWORD_FILE" "$repository/config"; exit 0; fi
if [ ! -e "$repository/config" ]; then echo "Fatal: unable to open config file: stat $repository/config: no such file or directory" >&2; exit 1; fi
if ! cmp -s "$RESTIC_PASSWORD_FILE" "$repository/config"; then echo "Fatal: wrong password or no key found" >&2; exit 1; fi
if [ "$1" = unlock ]; then
    read -r host pid < "$repository/lock" || exit 0
    if [ "$host" = "$(cat "$ROOT/host-$$")" ] && ! kill -0 "$pid"; then rm "$repository/lock"; fi
    exit 0
fi
case " $* " in *" --no-lock "*) ;; *) if [ -e "$repository/lock" ]; then echo "repository is already locked exclusively" >&2; exit 1; fi ;; esac
case $1 in
    backup)
        echo "$*" >> "$repository/made"
        id=$(cat "$ROOT/next-id")
        for word; do
            case $last,$word in --tag,*) tags="$tags,\\"$word\\"" ;; *,/*) paths="$paths,\\"$word\\"" ;; esac
            last=$word
        done
        entry="{\\"time\\":\\"$(date -u +%FT%TZ)\\",\\"paths\\":[\${paths#,}],\\"tags\\":[\${tags#,}],\\"id\\":\\"\${id}4567\\",\\"short_id\\":\\"$id\\"}"
        sed -i -e "s|]$|,$entry]|" -e 's/^\\[,/[/' "$ROOT/snapshots"
        if [ -e "$ROOT/after-backup" ]; then . "$ROOT/after-backup"; fi
        echo "{\\"message_type\\":\\"summary\\",\\"files_new\\":1,\\"total_bytes_processed\\":$(cat "$ROOT/processed"),\\"snapshot_id\\":\\"$id\\"}" ;;
    tag)
        # The list is that of the own tag.
        for id; do :; done
        sed -i -E -e 's|,?[{][^{}]*"id":"'"$id"'[^{}]*[}]||' -e 's/^\\[,/[/' "$ROOT/snapshots" ;;
    stats) case " $* " in *" restore-size "*) cat "$ROOT/restored" ;; *) cat "$ROOT/stats" ;; esac ;;
    snapshots) cat "$ROOT/snapshots" ;;
    ls) cat "$ROOT/listed" ;;
    restore)
        while [ $# -gt 0 ]; do case $1 in --path) path=$2 ;; --target) target=$2 ;; esac; shift; done
        mkdir -p "$target$path"; echo saved > "$target$path/file" ;;
esac`;

/** A service is the real program of a backup. Timers that run are files. */
const systemctl = `
printf '%s\\n' "$*" >> "$ROOT/systemctl-calls"
case "$*" in
    *".timer") for name; do :; done; mkdir -p "$ROOT/timers"
        case "$*" in *enable*--now*) : > "$ROOT/timers/$name" ;; *is-active*) [ -e "$ROOT/timers/$name" ] ;; *disable*) rm -f "$ROOT/timers/$name" ;; esac ;;
    "start "*) name=\${2#*@}; sh "$ROOT/program" "\${name%.service}" ;;
    "is-active "*) cat "$ROOT/state"; exit 3 ;;
esac`;

/** Constants of the scripts, as places in the folder. */
const ours: Record<string, string> = {
    BACKUPS_FOLDER: "settings",
    BACKUP_NOTES: "notes",
    BACKUP_CACHE: "cache",
    BACKUP_PROGRAM: "program",
    UNITS_FOLDER: "units",
    TIMER_STAMPS: "stamps",
    VOLUMES_FOLDER: "volumes",
    PROXY_ENVIRONMENT_FILE: "proxy.env",
};

/** A storage server as far as backups see it: real scripts in a real shell; restic, systemd and mounts are programs of the test. All paths are below one folder. */
export class BackupMachine {
    private readonly shell = shellIn("sh");
    readonly root = this.shell.folder;

    constructor() {
        this.program("restic", `ROOT='${this.root}'\n${restic}`);
        this.program("systemctl", `ROOT='${this.root}'\n${systemctl}`);
        this.program("systemd-analyze", `[ "$2" != never ]`);
        this.program("mountpoint", `grep -qxF -- "$2" '${this.at("mounted")}'`);
        // PATH DEVICE; the system's disk is 1. A folder in "deleted" is mounted, but has no name any more
        this.program(
            "stat",
            `case $1$2 in
    -c%h) links=2; while IFS= read -r path || [ -n "$path" ]; do [ "$path" != "$3" ] || links=0; done < '${this.at("deleted")}'; echo $links ;;
    -c*) found=1; while read -r path device; do [ "$path" != "$3" ] || found=$device; done < '${this.at("devices")}'; echo "$found" ;;
    *) exec /usr/bin/stat "$@" ;;
esac`,
        );
        this.program(
            "df",
            `[ "$3" = '${this.at("volumes/data")}' ] || exit 1; echo Bytes; case $1 in *size) cat '${this.at("size")}' ;; *) cat '${this.at("free")}' ;; esac`,
        );
        this.write("size", "2000000\n");
        this.write("processed", "6\n");
        this.write("stats", '{"total_size":6}\n');
        this.write("restore-help", "  --verify   verify restored files content\n");
        this.write("next-id", "0123abcd\n");
        this.write("free", "1000000\n");
        this.write("snapshots", '[{"id":"0123abcd4567","short_id":"0123abcd"}]\n');
        this.listed(6);
        this.write("deleted", "");
        this.write("state", "inactive\n");
        this.program("sync", ":");
        // as a namespace, the name that is set holds for this process only
        this.program("unshare", 'shift; exec "$@"');
        this.program("hostname", `echo "$1" > '${this.root}'/host-$PPID; echo "$1" > '${this.root}/lock-name'`);
        this.program("sysctl", "exit 1");
        this.mounted(this.at("volumes/data"), "/exports/data");
        this.devices({ [this.at("repository")]: 2, [this.at("volumes/data")]: 3 });
        mkdirSync(this.at("repository"));
        mkdirSync(this.at("volumes/data"), { recursive: true });
        this.write("program", `#!/bin/sh\nset -eu\n${this.text("storage/backup/backup.sh")}`);
    }

    at(name: string): string {
        return join(this.root, name);
    }
    has(name: string): boolean {
        return existsSync(this.at(name));
    }
    read(name: string): string {
        return this.has(name) ? readFileSync(this.at(name), "utf8") : "";
    }
    write(name: string, text: string): void {
        mkdirSync(dirname(this.at(name)), { recursive: true });
        writeFileSync(this.at(name), text);
    }
    link(name: string, target: string): void {
        symlinkSync(target, this.at(name));
    }
    program(name: string, text: string): void {
        this.shell.program(name, text);
    }
    mounted(...places: string[]): void {
        this.write("mounted", places.map(place => `${place}\n`).join(""));
    }
    devices(numbers: Record<string, number>): void {
        this.write(
            "devices",
            Object.entries({ "/exports/data": 3, "/exports/logs": 3, ...numbers })
                .map(entry => `${entry.join(" ")}\n`)
                .join(""),
        );
    }
    /** Another disk becomes the volume `data`. One that was it before has its files still. */
    changeDisk(name: string): void {
        mkdirSync(this.at("disks"), { recursive: true });
        renameSync(this.at("volumes/data"), this.at(`disks/${this.disk}`));
        if (this.has(`disks/${name}`)) renameSync(this.at(`disks/${name}`), this.at("volumes/data"));
        else mkdirSync(this.at("volumes/data"));
        this.disk = name;
    }
    private disk = "first";
    /** The files of each snapshot, by their sizes, as `restic ls` prints them; newer releases of restic say the inode, too. */
    listed(...files: (number | { size: number; inode: number })[]): void {
        const nodes = files.map(file => {
            const { size, ...more } = typeof file === "number" ? { size: file } : file;
            return JSON.stringify({ name: "f", type: "file", size, mode: 420, ...more, struct_type: "node" });
        });
        this.write("listed", ['{"id":"0123abcd","struct_type":"snapshot"}', ...nodes, ""].join("\n"));
        this.restored(files.reduce<number>((sum, file) => sum + (typeof file === "number" ? file : file.size), 0));
    }
    /** What `restic stats` counts of each snapshot: files with several names once. */
    restored(bytes: number): void {
        this.write("restored", `{"total_size":${bytes},"total_file_count":1,"snapshots_count":1}\n`);
    }
    /** As restic on a machine of this name leaves it. Without a PID: the process has died. */
    lock(host: string, pid = 2 ** 30): void {
        this.write("repository/lock", `${host} ${pid}\n`);
    }
    /** The host name that restic had at last. */
    get lockName(): string {
        return this.read("lock-name").trim();
    }
    /** The commands of restic, without options. */
    get commands(): string[] {
        return this.calls.map(
            call =>
                /^(?:-o \S+=.* |--cacert \S+ )?(init|cat config|unlock|backup|tag|forget|snapshots|ls|stats|restore)\b/.exec(
                    call,
                )![1]!,
        );
    }
    get calls(): string[] {
        return this.read("restic-calls")
            .trim()
            .split("\n")
            .filter(line => line !== "");
    }
    forgetCalls(): void {
        for (const name of ["restic-calls", "systemctl-calls", "restic-environment"]) this.write(name, "");
    }

    /** Writes what restic needs to know, as the step does. */
    configure(spec: StorageSpec): void {
        for (const { path, content } of settingsFiles(spec))
            this.write(path.replace(backupConstants.BACKUPS_FOLDER, "settings"), content);
    }
    /** As its timer does. */
    night(name = "nightly") {
        return this.run(`set -- ${name}\n${this.text("storage/backup/backup.sh")}`);
    }
    start(spec: StorageSpec) {
        this.configure(spec);
        return this.run(this.text("storage/backup/start-backups.sh"), { BACKUPS: backupLines(spec) });
    }
    /** The same within the agent, for the run "run-one"; `lease`: who holds it, until the command `meanwhile` changes that. */
    startWithin(spec: StorageSpec, lease: string, meanwhile = "") {
        this.configure(spec);
        this.write("steps/storage.backup/meta", "0123456789ab run-one 1\n");
        this.write("lease", `${lease} 99999 boot\n`);
        const text = this.text("storage/backup/start-backups.sh");
        const within = text.replace("${0%/*}", this.at("steps/storage.backup"));
        assert.notEqual(within, text);
        return this.run(`${meanwhile}\n${within}`, { BACKUPS: backupLines(spec) });
    }
    configured(spec: StorageSpec) {
        this.configure(spec);
        return this.run(this.text("storage/backup/configure-backups.sh"), { BACKUPS: scheduleLines(spec) });
    }
    schedules(spec: StorageSpec) {
        return this.run(this.text("storage/backup/check-schedules.sh"), { BACKUPS: scheduleLines(spec) });
    }
    observed(spec: StorageSpec): string {
        const { code, stdout, stderr } = this.run(this.text("storage/backup/observe-backups.sh"), {
            BACKUPS: backupLines(spec),
        });
        assert.equal(code, 0, stderr);
        return stdout;
    }
    restore(spec: StorageSpec) {
        this.configure(spec);
        return this.run(this.text("storage/backup/restore-folders.sh"), {
            RESTORES: restoreFolders(spec)!.env!["RESTORES"]!,
        });
    }
    remove(): void {
        this.shell.remove();
    }

    /** A script whose constants lead into the folder. */
    private text(path: string): string {
        const declared = readScript(path).constants.filter(name => name in ours);
        const constants = Object.fromEntries(declared.map(name => [name, this.at(ours[name]!)]));
        return script(path, constants).replace(/^PATH=.*$/gm, "");
    }

    private run(text: string, env: Record<string, string> = {}) {
        const values = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
        const { status, stdout, stderr } = this.shell.run(`echo $$ > main\n${values.join("")}${text}`);
        return { code: status, stdout, stderr };
    }
}
