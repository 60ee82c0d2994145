import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { etcdConstants } from "../../../../provider/etcd/paths";
import { settingsFiles } from "../../../../provider/etcd/snapshot-files";
import type { EtcdBackup, EtcdBackupSpec } from "../../../../provider/etcd/spec";
import { readScript, script } from "../../../../provider/shell/script-file";
import { shellIn } from "../shell/lib/shell-run";
import { sampleEtcdBackup } from "./sample-etcd-backup";

/** A repository is a folder with the password as "config"; snapshots are lines of JSON. A file "fail-COMMAND" holds how a command ends. */
const restic = `
printf '%s\\n' "$*" >> "$ROOT/restic-calls"
repository=$(cat "$RESTIC_REPOSITORY_FILE")
if [ -e "$ROOT/fail-$1" ]; then . "$ROOT/fail-$1"; fi
if [ "$1" = init ]; then mkdir -p "$repository"; cp "$RESTIC_PASSWORD_FILE" "$repository/config"; exit 0; fi
if [ ! -e "$repository/config" ]; then echo "Fatal: unable to open config file: stat $repository/config: no such file or directory" >&2; exit 1; fi
if ! cmp -s "$RESTIC_PASSWORD_FILE" "$repository/config"; then echo "Fatal: wrong password or no key found" >&2; exit 1; fi
case $1 in
    backup)
        for word; do case $last in --tag) tags="$tags,\\"$word\\"" ;; esac; last=$word; done
        cp -r "$last" "$ROOT/saved"
        number=$(wc -l < "$ROOT/snapshots")
        id=$(printf '%08x' $((number + 16)))
        printf '{"time":"%s","paths":["%s"],"tags":[%s],"id":"%s4567","short_id":"%s"}\\n' "$(date -u +%FT%TZ)" "$last" "\${tags#,}" "$id" "$id" >> "$ROOT/snapshots"
        echo "{\\"message_type\\":\\"summary\\",\\"snapshot_id\\":\\"$id\\"}" ;;
    snapshots)
        for word; do case $last in --tag) wanted=$word ;; esac; last=$word; done
        echo "[$(grep -F -- "\\"\${wanted#etcd,}\\"" "$ROOT/snapshots" | paste -sd ,)]" ;;
esac`;

const etcdctl = `
printf '%s\\n' "$*" >> "$ROOT/etcd-calls"
case " $* " in
    *" endpoint health "*) [ ! -e "$ROOT/no-majority" ] || { echo "context deadline exceeded" >&2; exit 1; } ;;
    *" snapshot save "*)
        for file; do :; done
        head -c 1024 /dev/zero > "$file"
        if [ -e "$ROOT/damaged" ]; then head -c 32 /dev/zero >> "$file"; exit 0; fi
        sha256sum < "$file" | cut -c 1-64 | sed 's/../\\\\\\\\x&/g' | xargs printf '%b' >> "$file" ;;
esac`;

/** Constants of the scripts, as places in the folder. */
const places: Record<string, string> = {
    BACKUPS_FOLDER: "settings",
    BACKUP_NOTES: "notes",
    BACKUP_CACHE: "cache",
    UNITS_FOLDER: "units",
    TIMER_STAMPS: "stamps",
    VOLUMES_FOLDER: "volumes",
    SNAPSHOT_PROGRAM: "program",
    ETCD_IMAGE_FOLDER: "image",
    ETCD_DATA: "etcd",
    ETCD_ASIDE: "aside/manifests/etcd.yaml",
    RESTORE_ASIDE: "aside",
    RESTORED_NOTE: "restored",
    SEED_FOLDER: "seed",
    KUBERNETES_FOLDER: "kubernetes",
    PKI_FOLDER: "kubernetes/pki",
    API_SERVER_FOLDER: "kubernetes/pulumi-nfv",
    CLUSTER_CONFIG_FILE: "kubernetes/pulumi-nfv/cluster.yaml",
    FORMERS_FILE: "endpoint",
    PROXY_ENVIRONMENT_FILE: "proxy.env",
};

/** A control-plane node as far as snapshots of etcd see it: real scripts in a real shell; restic, etcd and systemd are programs of the test. */
export class SnapshotMachine {
    private readonly shell = shellIn("sh");
    readonly root = this.shell.folder;

    constructor() {
        const of = (text: string) => `ROOT='${this.root}'\n${text}`;
        this.shell.program("restic", of(restic));
        this.write("etcdctl", `#!/bin/sh\n${of(etcdctl)}`);
        this.write("etcdutl", `#!/bin/sh\necho '{"hash":1,"revision":4711,"totalKey":12,"totalSize":1024}'\n`);
        this.write("etcd-program", "#!/bin/sh\necho 'etcd Version: 3.6.6'\n");
        this.shell.program(
            "ctr",
            of(
                `case "$*" in *" mount "*) mkdir -p "$ROOT/image/usr/local/bin"; for each in etcdctl etcdutl; do cp "$ROOT/$each" "$ROOT/image/usr/local/bin"; done
    cp "$ROOT/etcd-program" "$ROOT/image/usr/local/bin/etcd"; chmod -R 755 "$ROOT/image" ;; *" unmount "*) rm -rf "$ROOT/image" ;; esac`,
            ),
        );
        this.shell.program("curl", of(`cat "$ROOT/status"`));
        this.shell.program(
            "systemctl",
            of(
                `printf '%s\\n' "$*" >> "$ROOT/systemctl-calls"; case "$*" in *is-active*) [ -e "$ROOT/timer" ] ;; esac`,
            ),
        );
        this.shell.program(
            "sleep",
            of(`echo "$1" >> "$ROOT/slept"; if [ -e "$ROOT/while-waiting" ]; then . "$ROOT/while-waiting"; fi`),
        );
        this.shell.program("unshare", 'shift; exec "$@"');
        this.shell.program("hostname", "echo m1");
        this.shell.program("sysctl", "exit 1");
        // of an upgrade that is not finished
        this.shell.program("kubelet", "echo Kubernetes v1.33.9");
        this.shell.program(
            "stat",
            `case "$1$2" in -c%d) if [ "$3" = / ]; then echo 1; else echo 2; fi ;; *) exec /usr/bin/stat "$@" ;; esac`,
        );
        this.shell.program("mountpoint", "exit 1");
        this.write("kubernetes/manifests/etcd.yaml", "    image: registry.k8s.io/etcd:3.6.6-0\n");
        this.write("kubernetes/manifests/kube-apiserver.yaml", "    image: registry.k8s.io/kube-apiserver:v1.34.4\n");
        for (const name of ["ca.crt", "etcd/ca.crt", "front-proxy-ca.crt", "sa.pub"])
            this.write(`kubernetes/pki/${name}`, `${name}\n`);
        this.write(
            "kubernetes/pulumi-nfv/encryption.yaml",
            "          - name: key1\n            secret: canary-secret==\n",
        );
        this.write("etcd/member/snap/db", "data");
        this.write("snapshots", "");
        this.leader(true);
        mkdirSync(this.at("repository"));
        this.write("program", `#!/bin/sh\n${this.text("etcd/snapshot.sh")}`);
        this.shell.run(`chmod 755 '${this.at("program")}'`);
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
    list(name: string): string[] {
        return this.has(name) ? readdirSync(this.at(name)).sort() : [];
    }
    write(name: string, text: string): void {
        mkdirSync(dirname(this.at(name)), { recursive: true });
        writeFileSync(this.at(name), text);
    }
    move(from: string, to: string): void {
        mkdirSync(dirname(this.at(to)), { recursive: true });
        renameSync(this.at(from), this.at(to));
    }
    /** What a restore needs besides: data that restic brings back, a lock of etcd, an API server. A file "damage" damages the data. */
    restores(): void {
        this.write(
            "fail-restore",
            `while [ $# -gt 0 ]; do case $1 in --target) mkdir -p "$2/x"; cp -r "$ROOT/saved" "$2/x/work"; if [ -e "$ROOT/damage" ]; then printf x | dd of="$2/x/work/snapshot.db" conv=notrunc 2> /dev/null; fi ;; esac; shift; done; exit 0`,
        );
        this.shell.program("flock", "exit 0");
        this.shell.program("pgrep", "exit 1");
    }
    /** A program comes first in PATH. */
    program(name: string, text: string): void {
        this.shell.program(name, text);
    }
    /** Deletes a file. */
    drop(name: string): void {
        rmSync(this.at(name), { force: true });
    }
    leader(isLeader: boolean): void {
        this.write("status", `{"header":{"cluster_id":"9","member_id":"12"},"leader":"${isLeader ? "12" : "13"}"}\n`);
    }
    get commands(): string[] {
        return this.read("restic-calls")
            .split("\n")
            .flatMap(line => line.split(" ")[0] || []);
    }
    get snapshots(): { tags: string[]; paths: string[]; short_id: string }[] {
        return this.read("snapshots")
            .split("\n")
            .filter(Boolean)
            .map(line => JSON.parse(line));
    }

    specOf(backup: Partial<EtcdBackup> = {}, changes: Partial<EtcdBackupSpec> = {}): EtcdBackupSpec {
        return sampleEtcdBackup({ repository: { folder: this.at("repository") }, ...backup }, changes);
    }
    /** Writes what restic needs to know, as the step does. */
    configure(spec = this.specOf()): void {
        for (const { path, content } of settingsFiles(spec))
            this.write(path.replace(etcdConstants.BACKUPS_FOLDER, "settings"), content);
    }
    start(spec: EtcdBackupSpec) {
        this.configure(spec);
        const { schedule = "-", run = "-" } = spec.backup;
        return this.run(this.text("etcd/start-snapshots.sh"), {
            SCHEDULE: schedule,
            RUN: run,
            TURN: String(spec.turn),
        });
    }
    /** As its timer does. */
    scheduled() {
        return this.run(`'${this.at("program")}' scheduled`);
    }
    asked(word = "-") {
        return this.run(`'${this.at("program")}' asked ${word}`);
    }
    observed(schedule = "hourly"): string {
        return this.run(this.text("etcd/observe-snapshots.sh"), { SCHEDULE: schedule }).stdout;
    }
    runScript(path: string, env: Record<string, string> = {}) {
        return this.run(this.text(path), env);
    }
    remove(): void {
        this.shell.remove();
    }

    /** A script whose constants lead into the folder. */
    private text(path: string): string {
        const declared = readScript(path).constants;
        const constants = declared
            .filter(name => name in places || name in etcdConstants)
            .map(name => [
                name,
                places[name] === undefined ? (etcdConstants as Record<string, unknown>)[name] : this.at(places[name]!),
            ]);
        return script(path, Object.fromEntries(constants)).replace(/^PATH=.*$/gm, "");
    }

    private run(text: string, env: Record<string, string> = {}) {
        const values = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
        const { status, stdout, stderr } = this.shell.run(`set -eu\n${values.join("")}${text}`);
        return { code: status, stdout, stderr };
    }
}
