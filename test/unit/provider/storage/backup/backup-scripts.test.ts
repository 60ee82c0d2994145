import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import type { BackupSpec } from "../../../../../provider/storage/spec";
import { sampleRestore, sampleS3, sampleSftp, sampleStorage } from "../sample-storage";
import { BackupMachine } from "./backup-machine";
import { done, failed, refused, specsFor, summary } from "./backup-runs";

let machine: BackupMachine;
const { nightly, specOf, restoring } = specsFor(() => machine);
const made = () => machine.commands.filter(command => command === "backup").length;

describe("scripts of backups", () => {
    beforeEach(() => {
        machine = new BackupMachine();
    });
    afterEach(() => machine.remove());

    describe("at night", () => {
        beforeEach(() => {
            done(machine.start(specOf()));
            machine.forgetCalls();
        });

        it("save the exports in the name of the owner, delete older ones, and note the snapshot", () => {
            done(machine.night());
            const [, , backup, , forget] = machine.calls;
            assert.match(
                backup!,
                /--one-file-system --host store-12345678 --tag nightly --tag run@[0-9a-f]{8} --tag \/exports\/data@\S+ \/exports\/data$/,
            );
            assert.match(forget!, /--host store-12345678 --tag nightly .*--keep-daily 7 --prune$/);
            assert.match(machine.read("notes/nightly.done"), /Z 0123abcd$/m);
            assert.equal(machine.has("notes/nightly.failed"), false);
        });

        it("save no empty folder in the place of an export that is not mounted, and note the failure", () => {
            machine.mounted(machine.at("volumes/data"));
            failed(machine.night(), /\/exports\/data is not mounted/);
            assert.match(machine.read("notes/nightly.failed"), /Z\nbackup nightly: \/exports\/data is not mounted/);
            assert.equal(made(), 0);
            machine.mounted(machine.at("volumes/data"), "/exports/data");
            done(machine.night());
            assert.equal(machine.has("notes/nightly.failed"), false);
        });

        it("save nothing at all if one of several exports is not mounted", () => {
            machine.configure(specOf({ exports: ["/exports/data", "/exports/logs"] }));
            failed(machine.night(), /\/exports\/logs is not mounted/);
            assert.equal(made(), 0);
        });

        it("save no export whose folder was deleted below its mount: it looks empty", () => {
            machine.write("deleted", "/exports/data");
            failed(machine.night(), /\/exports\/data is empty because its folder is gone/);
            assert.equal(made(), 0);
        });

        for (const [what, during] of [
            ["is unmounted", () => `: > '${machine.at("mounted")}'`],
            ["becomes another one", () => `echo /exports/data 7 > '${machine.at("devices")}'`],
            ["is skipped by restic", () => "echo '/exports/data does not exist, skipping'"],
            ["is deleted", () => `echo /exports/data > '${machine.at("deleted")}'`],
        ] as [string, () => string][]) {
            it(`fail if an export ${what} while it is saved, and keep the older ones`, () => {
                machine.write("fail-backup", `${during()}\necho '${summary}'; exit 0`);
                failed(machine.night(), /an export was unmounted or mounted again while it was saved/);
                assert.deepEqual(machine.commands, ["unlock", "snapshots", "backup", "tag", "forget", "snapshots"]);
                assert.doesNotMatch(machine.calls.join(), /prune/);
            });
        }

        /** As restic 0.14 prints them. */
        const error = (item: string, said: object) =>
            JSON.stringify({ message_type: "error", error: said, during: "archival", item });
        const gone = error("/exports/data/a", { Op: "lstat", Path: "/exports/data/a", Err: 2 });
        const unread = error("/exports/data/b", { Op: "open", Path: "/exports/data/b", Err: 5 });
        const warning = "Warning: at least one source file could not be read";
        const ends = (...lines: string[]) =>
            machine.write("fail-backup", `cat <<'END'\n${[...lines, summary].join("\n")}\nEND\nexit 3`);

        for (const [what, lines] of [
            ["files that were deleted meanwhile", [gone, gone, warning]],
            ["a folder that was deleted meanwhile, for which restic names no cause", [error("/none/b", {}), warning]],
            [
                "such files as later versions of restic say it",
                [error("/e/a", { message: "lstat /e/a: no such file or directory" })],
            ],
        ] as [string, string[]][]) {
            it(`count a backup as made without ${what}`, () => {
                ends(...lines);
                done(machine.night());
                assert.deepEqual(machine.commands, ["unlock", "snapshots", "backup", "snapshots", "forget"]);
                assert.match(machine.read("notes/nightly.done"), /Z 0123abcd$/m);
            });
        }

        for (const [what, lines, why] of [
            ["a file that cannot be read", [gone, unread, warning], /\/exports\/data\/b: input\/output error/],
            ["an error without a cause, of a file that is there", [error("/", {})], /\/: it could not be read/],
            [
                "an error of later versions",
                [error("/e/a", { message: "read /e/a: input/output error" })],
                /read \/e\/a: input\/output error/,
            ],
            [
                "an export that is not there",
                [error("/exports/data", { Op: "lstat", Path: "/exports/data", Err: 2 })],
                /no such file/,
            ],
            ["no error", [warning], /Warning: at least one source file/],
            ["something else beside", [gone, "panic: out of memory"], /restic failed/],
            [
                "a file whose name looks like an answer",
                [error('/exports/data/"Err":2},"during":', { Op: "open", Err: 5 })],
                /input\/output error/,
            ],
        ] as [string, string[], RegExp][]) {
            it(`count as a failure ${what} (exit code 3), keep the older ones, and set the incomplete one aside`, () => {
                ends(...lines);
                failed(machine.night(), why);
                assert.match(machine.read("notes/nightly.failed"), why);
                assert.doesNotMatch(machine.read("notes/nightly.failed"), /message_type/);
                assert.deepEqual(machine.commands, ["unlock", "snapshots", "backup", "tag", "forget", "snapshots"]);
                assert.match(machine.calls[3]!, /^tag --quiet --set nightly\.incomplete 0123abcd$/);
                assert.match(
                    machine.calls[4]!,
                    /--host store-12345678 --tag nightly\.incomplete --group-by host,tags --keep-last 1$/,
                );
                assert.equal(machine.has("notes/nightly.done"), false);
            });
        }

        it("set an incomplete snapshot aside later if that failed, before they make another one", () => {
            ends(unread);
            machine.write("fail-tag", "echo 'repository is already locked by PID 7' >&2; exit 1");
            failed(machine.night(), /snapshot 0123abcd could not be set aside.*already locked/);
            rmSync(machine.at("fail-backup"));
            machine.forgetCalls();
            failed(
                machine.night(),
                /incomplete snapshot 0123abcd of a former run cannot be set aside: .*already locked/,
            );
            assert.deepEqual(machine.commands, ["unlock", "tag"]);
            rmSync(machine.at("fail-tag"));
            machine.forgetCalls();
            done(machine.night());
            assert.deepEqual(machine.commands, [
                ...["unlock", "tag", "forget", "snapshots"],
                ...["snapshots", "backup", "snapshots", "forget"],
            ]);
            machine.forgetCalls();
            done(machine.night());
            assert.deepEqual(machine.commands, ["unlock", "snapshots", "backup", "snapshots", "forget"]);
        });

        it("note the failure also if it comes before restic", () => {
            rmSync(machine.at("settings"), { recursive: true });
            assert.notEqual(machine.night().code, 0);
            assert.match(machine.read("notes/nightly.failed"), /settings\/nightly/);
            assert.equal(machine.has("notes/nightly.words"), false);
        });

        it("count it as a failure that older ones could not be deleted", () => {
            machine.write("fail-forget", "echo 'no space' >&2; exit 1");
            failed(machine.night(), /it was made \(snapshot 0123abcd\), but older ones were not deleted: no space/);
            assert.match(machine.read("notes/nightly.failed"), /no space/);
        });

        it("take the lock of a killed run of this machine away", () => {
            machine.lock(machine.lockName);
            done(machine.night());
            assert.equal(machine.has("repository/lock"), false);
        });

        it("leave the lock of a run of this machine that lives", () => {
            machine.lock(machine.lockName, process.pid);
            failed(machine.night(), /already locked/);
            assert.ok(machine.has("repository/lock"));
        });

        for (const host of ["store-12345678", "store-12345678-0123456789ab", hostname()]) {
            it(`leave the lock of another machine, whose PID does not run here: ${host}`, () => {
                machine.lock(host);
                failed(machine.night(), /already locked/);
                assert.ok(machine.has("repository/lock"));
                assert.doesNotMatch(machine.read("notes/nightly.failed"), /unshare/);
            });
        }

        for (const program of ["unshare", "hostname"]) {
            it(`remove no lock where ${program} is refused: only a lock in the way is a failure, which says so`, () => {
                machine.program(program, "exit 1");
                done(machine.night());
                machine.lock(machine.lockName);
                failed(machine.night(), /already locked.*unshare --uts is refused here.*restic unlock/);
                assert.ok(machine.has("repository/lock"));
                assert.doesNotMatch(machine.commands.join(), /unlock/);
            });
        }

        it("make no new repository where one was: it is lost, or its disk is away", () => {
            rmSync(machine.at("repository/config"));
            failed(machine.night(), /its repository cannot be opened: .*no such file/);
            assert.deepEqual(machine.commands, ["unlock"]);
            machine.devices({ [machine.at("volumes/data")]: 3 });
            failed(machine.night(), /is on the system's disk/);
        });

        it("give secrets to restic by files and environment only, and none of another backup's", () => {
            machine.configure(
                sampleStorage({
                    backups: {
                        nightly: nightly(),
                        cloud: nightly({ repository: { s3: { ...sampleS3, caCertificate: "pem" } } }),
                        far: nightly({ repository: { sftp: sampleSftp } }),
                    },
                }),
            );
            for (const name of ["cloud", "far", "nightly"]) machine.night(name);
            assert.doesNotMatch(machine.read("restic-calls"), /canary/);
            assert.match(machine.read("restic-calls"), /^--cacert \S+cloud\/ca\.crt unlock/m);
            assert.match(machine.read("restic-calls"), /^-o sftp\.command=ssh .* -s sftp unlock/m);
            assert.match(machine.read("restic-environment"), /key=canary-access\n(.*key=\n)+$/);
        });

        it("use the proxy", () => {
            machine.write("proxy.env", "HTTPS_PROXY='http://proxy:3128'\n");
            done(machine.night());
            assert.match(machine.read("restic-environment"), /^(proxy=http:\/\/proxy:3128 .*\n)+$/);
        });
    });

    describe("when they start", () => {
        it("make a repository where there is none, once", () => {
            for (const _ of [1, 2]) done(machine.start(specOf()));
            assert.deepEqual(machine.commands, ["cat config", "init", "cat config"]);
        });

        it("make no empty repository in the place of one that was there, but at another place", () => {
            done(machine.start(specOf()));
            rmSync(machine.at("repository/config"));
            failed(machine.start(specOf()), /its repository \S+\/repository was there and is gone/);
            mkdirSync(machine.at("elsewhere"));
            machine.devices({ [machine.at("elsewhere")]: 2, [machine.at("volumes/data")]: 3 });
            done(machine.start(specOf({ repository: { folder: machine.at("elsewhere") } })));
        });

        for (const part of ["keys", "snapshots", "data/0a", "index"]) {
            it(`make none in a folder that has files in ${part}: its config is lost`, () => {
                machine.write(`repository/${part}/0123`, "");
                failed(machine.start(specOf()), /parts of a repository are in \S+\/repository, but not its config/);
                assert.deepEqual([machine.commands, machine.has(`repository/${part}/0123`)], [["cat config"], true]);
            });
        }

        const killInit = () => {
            mkdirSync(machine.at("repository/snapshots"));
            machine.write(
                "fail-init",
                `mkdir "$repository/keys"; : > "$repository/keys/first"; kill -KILL $(cat ${machine.at("main")}) $$`,
            );
            assert.equal(machine.start(specOf()).code, null);
            rmSync(machine.at("fail-init"));
        };

        it("go on after an own init that was killed, without its key", () => {
            killInit();
            done(machine.start(specOf()));
            assert.deepEqual([machine.has("repository/keys/first"), machine.has("repository/config")], [false, true]);
            assert.equal(machine.has("notes/nightly.init"), false);
        });

        it("leave what a killed init left, if it was another place's or has snapshots since", () => {
            killInit();
            machine.write("repository/snapshots/0123", "");
            failed(machine.start(specOf()), /parts of a repository/);
            rmSync(machine.at("repository/snapshots/0123"));
            machine.write("notes/nightly.init", "/elsewhere\n");
            failed(machine.start(specOf()), /parts of a repository/);
            assert.ok(machine.has("repository/keys/first"));
        });

        it("make none for a wrong password: it is refused, and the repository stays as it is", () => {
            done(machine.start(specOf()));
            const before = machine.read("repository/config");
            machine.forgetCalls();
            failed(machine.start(specOf({ password: "another" })), /cannot be opened: .*wrong password/);
            assert.deepEqual(machine.commands, ["cat config"]);
            assert.equal(machine.read("repository/config"), before);
        });

        for (const said of [
            "Fatal: unable to open config file: dial tcp 10.0.0.9:443: connect: connection refused",
            "Host key verification failed.",
            "Fatal: unable to open config file: Access Denied.",
        ]) {
            it(`make none for another answer: ${said}`, () => {
                machine.write("fail-cat", `echo '${said}' >&2; exit 1`);
                failed(machine.start(specOf()), /cannot be opened/);
                assert.deepEqual(machine.commands, ["cat config"]);
            });
        }

        for (const said of [
            "Fatal: unable to open config file: Lstat: file does not exist",
            "Fatal: unable to open config file: Stat: The specified key does not exist.",
        ]) {
            it(`make one for the answer of a server without one: ${said}`, () => {
                machine.write("fail-cat", `echo '${said}' >&2; exit 1`);
                done(machine.start(specOf()));
                assert.deepEqual(machine.commands, ["cat config", "init"]);
            });
        }

        it("open a repository that a killed run has locked", () => {
            done(machine.start(specOf()));
            machine.lock("store-1-other");
            done(machine.start(specOf()));
        });

        it("refuse a folder that is missing, that is on the system's disk, or that is on a volume", () => {
            failed(
                machine.start(specOf({ repository: { folder: machine.at("none") } })),
                /there is no folder \S+\/none/,
            );
            machine.devices({});
            failed(machine.start(specOf()), /is on the system's disk/);
            machine.devices({ [machine.at("repository")]: 3, [machine.at("volumes/data")]: 3 });
            failed(machine.start(specOf()), /is on the volume data/);
            assert.deepEqual(machine.calls, []);
            assert.equal(machine.has("timers/pulumi-nfv-backup@nightly.timer"), false);
        });

        it("are made when they are asked for, once for each value", () => {
            for (const run of ["one", "one", "two"]) done(machine.start(specOf({ run })));
            assert.equal(made(), 2);
            done(machine.start(specOf()));
            assert.equal(made(), 2);
        });

        it("are made again after one that was asked for failed, and after one that failed at night", () => {
            machine.write("fail-backup", "echo 'connection lost' >&2; exit 1");
            failed(machine.start(specOf({ run: "one" })), /^backup nightly: restic failed: connection lost/m);
            assert.equal(
                machine.observed(specOf({ run: "one" })),
                "backup nightly failed\nbackup nightly was not made for one\n",
            );
            rmSync(machine.at("fail-backup"));
            done(machine.start(specOf({ run: "one" })));
            assert.equal(made(), 2);
            assert.equal(machine.observed(specOf({ run: "one" })), "");
            machine.mounted();
            failed(machine.night(), /not mounted/);
            machine.mounted(machine.at("volumes/data"), "/exports/data");
            done(machine.start(specOf({ run: "one" })));
            assert.equal(made(), 3);
        });

        it("wait for a backup only as long as their run holds the lease of the machine: the next run need not", () => {
            done(machine.startWithin(specOf({ run: "one" }), "run-one"));
            // of the run that follows, or of a look at the machine; the backup goes on by itself
            machine.write("program", "exec > /dev/null 2>&1 < /dev/null\nexec sleep 10");
            const began = Date.now();
            const stopped = /the run that waited for it was stopped; a backup that has begun goes on/;
            machine.program("take-lease", `sleep 0.2; echo run-two 99999 boot > '${machine.at("lease")}'`);
            failed(machine.startWithin(specOf({ run: "two" }), "run-one", "take-lease > /dev/null 2>&1 &"), stopped);
            assert.ok(Date.now() - began < 9000);
            assert.equal(machine.read("notes/nightly.run"), "one\n", "it is asked for still");
            machine.write("state", "activating\n");
            failed(machine.startWithin(specOf({ run: "two" }), "run-one", "take-lease > /dev/null 2>&1 &"), stopped);
            machine.forgetCalls();
            failed(machine.startWithin(specOf({ run: "two" }), "run-two"), stopped);
            assert.deepEqual(machine.calls, [], "no repository is opened where no run waits");
        });

        it("are made again after one that was killed and could note nothing", () => {
            machine.write("state", "failed\n");
            assert.equal(machine.observed(specOf()), "backup nightly failed\n");
            machine.write("state", "inactive\n");
            machine.write("notes/nightly.words", "");
            assert.equal(machine.observed(specOf()), "backup nightly failed\n");
            machine.write("state", "activating\n");
            assert.equal(machine.observed(specOf()), "");
            machine.write("state", "inactive\n");
            done(machine.start(specOf()));
            assert.equal(made(), 1);
            assert.equal(machine.observed(specOf()), "");
        });

        it("start their timers, which a look at them finds", () => {
            const spec = specOf({ schedule: "*-*-* 02:30" });
            assert.match(machine.observed(spec), /the timer of backup nightly does not run/);
            done(machine.start(spec));
            assert.equal(machine.observed(spec), "");
            assert.equal(made(), 0);
        });

        it("that fail keep no other one from its backup and its timer", () => {
            const spec = sampleStorage({
                backups: {
                    a: nightly({ repository: { folder: machine.at("none") }, schedule: "daily" }),
                    b: nightly({ run: "one", schedule: "daily" }),
                },
            });
            failed(machine.start(spec), /backup a: there is no folder/);
            assert.equal(made(), 1);
            assert.equal(machine.read("notes/b.run"), "one\n");
            assert.equal(machine.observed(spec), "the timer of backup a does not run\n");
        });

        it("fail where it cannot be noted that they were made, as on a full disk", () => {
            mkdirSync(machine.at("notes/nightly.run"), { recursive: true });
            assert.notEqual(machine.start(specOf({ run: "one" })).code, 0);
        });

        it("run nothing without backups", () => {
            done(machine.start(sampleStorage()));
            assert.deepEqual(machine.calls, []);
        });
    });

    describe("when they are configured", () => {
        /** All that a machine has of a backup. */
        const files = (name: string) => [
            `settings/${name}/password`,
            `units/pulumi-nfv-backup@${name}.timer`,
            `timers/pulumi-nfv-backup@${name}.timer`,
            `stamps/stamp-pulumi-nfv-backup@${name}.timer`,
            ...["failed", "done", "run", "repository", "incomplete", "init", "saving"].map(
                note => `notes/${name}.${note}`,
            ),
            `cache/${name}/index`,
        ];
        const shared = ["program", "units/pulumi-nfv-backup@.service"];
        const others = ["units/other.timer", "stamps/stamp-other.timer", "repository/config"];
        const both = (changes: Partial<BackupSpec> = {}) =>
            sampleStorage({ backups: { nightly: nightly({ schedule: "daily", ...changes }), weekly: nightly() } });
        const there = (names: string[]) => names.filter(name => machine.has(name));

        beforeEach(() => {
            machine.configure(both());
            for (const name of [...files("nightly"), ...files("weekly"), ...others, ...shared])
                if (!machine.has(name)) machine.write(name, "here\n");
        });

        it("lose timer, settings and notes of one that is removed, and nothing else", () => {
            done(machine.configured(specOf({ schedule: "daily" })));
            assert.deepEqual(there(files("weekly")), []);
            const kept = [...files("nightly"), ...others, ...shared];
            assert.deepEqual(there(kept), kept);
            assert.equal(machine.has("settings/weekly"), false);
            assert.match(machine.read("systemctl-calls"), /^stop pulumi-nfv-backup@weekly\.service$/m);
            assert.doesNotMatch(machine.read("systemctl-calls"), /nightly/);
        });

        for (const left of ["settings/weekly", "units/pulumi-nfv-backup@weekly.timer"]) {
            it(`lose what a killed run left: without ${left}`, () => {
                rmSync(machine.at(left), { recursive: true });
                done(machine.configured(specOf({ schedule: "daily" })));
                assert.deepEqual(there(files("weekly")), []);
                const kept = [...files("nightly"), ...others, ...shared];
                assert.deepEqual(there(kept), kept);
            });
        }

        it("lose the program, too, with the last one", () => {
            done(machine.configured(sampleStorage()));
            assert.deepEqual(there([...files("nightly"), ...files("weekly"), ...shared]), []);
            assert.deepEqual(there(others), others);
        });

        it("lose only the timer with the schedule", () => {
            done(machine.configured(both({ schedule: undefined } as never)));
            const timers = files("nightly").filter(name => /^(units|timers)/.test(name));
            assert.deepEqual(there(timers), []);
            assert.ok(there(files("nightly")).length >= 4);
        });

        it("refuse a schedule that systemd does not know, before their files are written", () => {
            done(machine.schedules(both()));
            failed(
                machine.schedules(both({ schedule: "never" })),
                /backup nightly: systemd does not know the schedule "never"/,
            );
        });
    });

    describe("that bring folders back", () => {
        const back = "volumes/data/back";
        const meta = "volumes/data/.pulumi-nfv";
        const staging = `${meta}/restore-lost`;
        beforeEach(() => {
            done(machine.start(specOf()));
            machine.forgetCalls();
        });

        it("restore the snapshot of this owner, backup and export, and note it", () => {
            done(machine.restore(restoring()));
            assert.equal(machine.read(`${back}/file`), "saved\n");
            assert.match(
                machine.calls.at(-1)!,
                /^restore 0123abcd4567 --host store-12345678 --tag nightly --path \/exports\/data --include \/exports\/data --target \S+ --verify$/,
            );
            assert.equal(machine.read(`${meta}/restores/lost`), "nightly latest /exports/data back store-12345678\n");
            assert.equal(machine.has(staging), false);
        });

        it("restore another server's snapshot by its owner", () => {
            done(machine.restore(restoring({ owner: "former-1", snapshot: "0123abcd" })));
            assert.match(machine.calls.at(-1)!, /^restore 0123abcd4567 --host former-1 /);
        });

        it("refuse a folder with files, and leave it as it is", () => {
            machine.write(`${back}/mine`, "mine\n");
            refused(machine.restore(restoring()), /the folder back of volume data has files/);
            assert.deepEqual([machine.calls, machine.read(`${back}/mine`)], [[], "mine\n"]);
        });

        it("take an empty folder", () => {
            mkdirSync(machine.at(back));
            done(machine.restore(restoring()));
            assert.equal(machine.read(`${back}/file`), "saved\n");
        });

        it("look at all of them before the first one", () => {
            machine.write("volumes/data/full/mine", "");
            const restores = { a: sampleRestore(), b: sampleRestore({ folder: "full" }) };
            refused(machine.restore(specOf({}, { restores })), /restore b: the folder full/);
            assert.deepEqual(machine.calls, []);
        });

        it("do nothing again that was done, also if its folder was changed or deleted since", () => {
            done(machine.restore(restoring()));
            machine.forgetCalls();
            machine.write(`${back}/mine`, "mine\n");
            done(machine.restore(restoring()));
            rmSync(machine.at(back), { recursive: true });
            done(machine.restore(restoring()));
            assert.deepEqual([machine.calls, machine.has(back)], [[], false]);
        });

        it("refuse something else under the name of one that was done", () => {
            done(machine.restore(restoring()));
            refused(
                machine.restore(restoring({ folder: "other" })),
                /it was done already, as: nightly latest \/exports\/data back .* Give another one another name/,
            );
        });

        it("finish what was killed while restic wrote", () => {
            machine.write(
                "fail-restore",
                `mkdir -p "${machine.at(staging)}/exports/data"; : > "${machine.at(staging)}/exports/data/half"; kill -KILL $(cat ${machine.at("main")})`,
            );
            assert.notEqual(machine.restore(restoring()).code, 0);
            assert.deepEqual([machine.has(back), machine.has(`${staging}/exports/data/half`)], [false, true]);
            rmSync(machine.at("fail-restore"));
            done(machine.restore(restoring()));
            assert.deepEqual(
                [machine.read(`${back}/file`), machine.has(`${back}/half`), machine.has(staging)],
                ["saved\n", false, false],
            );
        });

        it("finish what was killed before it had its name, without restic", () => {
            machine.program(
                "mv",
                `case $1 in -T) kill -KILL $(cat ${machine.at("main")}) ;; *) exec /bin/mv "$@" ;; esac`,
            );
            assert.equal(machine.restore(restoring()).code, null);
            assert.deepEqual([machine.has(back), machine.has(`${meta}/restores/lost`)], [false, true]);
            machine.program("mv", 'exec /bin/mv "$@"');
            machine.forgetCalls();
            done(machine.restore(restoring()));
            assert.deepEqual(
                [machine.calls, machine.read(`${back}/file`), machine.has(staging)],
                [[], "saved\n", false],
            );
        });

        it("finish what was killed after it had its name", () => {
            machine.program("mv", `/bin/mv "$@"; case $1 in -T) kill -KILL $(cat ${machine.at("main")}) ;; esac`);
            assert.equal(machine.restore(restoring()).code, null);
            assert.deepEqual([machine.has(back), machine.has(staging)], [true, true]);
            machine.program("mv", 'exec /bin/mv "$@"');
            done(machine.restore(restoring()));
            assert.deepEqual([machine.read(`${back}/file`), machine.has(staging)], ["saved\n", false]);
        });

        it("note nothing if restic fails, or has no such folder", () => {
            machine.write("fail-restore", "echo 'Fatal: no snapshot found' >&2; exit 1");
            refused(machine.restore(restoring()), /restic failed: no snapshot found/);
            machine.write("fail-restore", "exit 0");
            refused(
                machine.restore(restoring({ snapshot: "0123abcd" })),
                /the snapshot 0123abcd has no folder \/exports\/data/,
            );
            assert.deepEqual([machine.has(back), machine.has(`${meta}/restores/lost`)], [false, false]);
        });

        it("remove the lock of an own run that died, and leave another server's", () => {
            machine.lock(machine.lockName);
            done(machine.restore(restoring({ owner: "former-1" })));
            machine.lock("former-1");
            const restores = { again: sampleRestore({ folder: "again" }) };
            refused(machine.restore(specOf({}, { restores })), /already locked/);
            assert.ok(machine.has("repository/lock"));
        });

        it("refuse what does not fit, with both figures, before restic writes", () => {
            machine.write("free", "104000\n");
            machine.listed(...Array<number>(24).fill(5));
            done(machine.restore(restoring()));
            machine.listed(...Array<number>(24).fill(5), 4097);
            const again = () => specOf({}, { restores: { again: sampleRestore({ folder: "again" }) } });
            machine.write("free", "110000\n");
            refused(machine.restore(again()), /it needs 110592 bytes, and the volume data has 108900 bytes to spare/);
            assert.match(machine.calls.at(-1)!, /^ls --json --recursive 0123abcd4567 \/exports\/data$/);
            machine.write("fail-ls", "exit 1");
            refused(machine.restore(again()), /does not tell how much/);
            assert.deepEqual([machine.has("volumes/data/again"), machine.has(`${meta}/restore-again`)], [false, false]);
        });

        it("leave nothing on the volume if restic fails while it writes", () => {
            const half = `mkdir -p "${machine.at(staging)}/exports/data"; : > "${machine.at(staging)}/exports/data/half"`;
            machine.write(
                "fail-restore",
                `${half}; echo 'ignoring error for /exports/data/half: no space left on device' >&2; echo 'Fatal: There were 1 errors' >&2; exit 1`,
            );
            refused(machine.restore(restoring()), /restic failed: .*half: no space left on device There were 1 errors/);
            assert.deepEqual(
                [machine.has(back), machine.has(staging), machine.has(`${meta}/restores/lost`)],
                [false, false, false],
            );
        });

        it("delete what a killed one left that is not wanted any more, and no note of one that was done", () => {
            machine.write(`${meta}/restore-gone/exports/data/file`, "");
            machine.write(`${meta}/restores/gone`, "nightly latest /exports/data gone store-12345678\n");
            machine.write(`${meta}/restore-named/exports`, "");
            machine.write(`${meta}/restores/named`, "nightly latest /exports/data named store-12345678\n");
            done(machine.restore(restoring()));
            const left = ["restore-gone", "restores/gone", "restore-named", "restores/named"];
            assert.deepEqual(
                left.filter(name => machine.has(`${meta}/${name}`)),
                ["restores/named"],
            );
        });

        it("have nothing on a volume when the backups are taken away", () => {
            machine.write(`${staging}/exports/data/file`, "");
            machine.write(`${meta}/restores/lost`, "nightly latest /exports/data back store-12345678\n");
            done(machine.configured(sampleStorage()));
            assert.deepEqual([machine.has(staging), machine.has(`${meta}/restores/lost`)], [false, false]);
        });

        it("take no incomplete snapshot that could not be set aside yet", () => {
            machine.write("notes/nightly.incomplete", "0123abcd\n");
            for (const snapshot of ["latest", "0123abcd", "0123abcd4567"])
                refused(machine.restore(restoring({ snapshot })), /the snapshot 0123abcd is incomplete/);
            machine.write("snapshots", '[{"id":"89abcdef4567"},{"id":"0123abcd4567"}]\n');
            done(machine.restore(restoring({ snapshot: "89abcdef" })));
        });

        it("refuse an id that is not of this owner, backup and export", () => {
            machine.write(
                "snapshots",
                '[{"parent":"89abcdef","tree":"89abcdef","id":"0123abcd4567","short_id":"0123abcd"}]\n',
            );
            refused(
                machine.restore(restoring({ snapshot: "89abcdef", owner: "former-1" })),
                /backup nightly of former-1 has no snapshot 89abcdef with \/exports\/data/,
            );
            assert.match(
                machine.calls.at(-1)!,
                /^snapshots --json --host former-1 --tag nightly --path \/exports\/data$/,
            );
            machine.write("snapshots", "[]\n");
            refused(machine.restore(restoring()), /has no snapshot latest/);
            assert.doesNotMatch(machine.commands.join(), /restore/);
        });

        for (const [what, during, why] of [
            ["is a link out of the volume", "ln -s /tmp", /leads out of its volume/],
            ["is a link within the volume", "ln -s .", /leads out of its volume/],
            ["has files", "mkdir -p ROOT/volumes/data/deep/back/x; :", /has files/],
        ] as [string, string, RegExp][]) {
            it(`look at the target again after restic: refuse one that meanwhile ${what}, and note nothing`, () => {
                const target = machine.at("volumes/data/deep");
                machine.write("fail-restore", `${during.replace("ROOT", machine.root)} '${target}'`);
                refused(machine.restore(restoring({ folder: "deep/back" })), why);
                assert.deepEqual([machine.has(staging), machine.has(`${meta}/restores/lost`)], [false, false]);
            });
        }

        it("move nothing through a link that comes after the last look", () => {
            machine.write("outside/file", "");
            machine.program("mv", `/bin/mv "$@"; case $1 in -T) ;; *) : > '${machine.at("moved")}' ;; esac`);
            machine.program(
                "readlink",
                `case $1 in -e) /usr/bin/readlink "$@"; if [ -e '${machine.at("moved")}' ]; then ln -s '${machine.at("outside")}' '${machine.at("volumes/data/deep")}'; fi ;; *) exec /usr/bin/readlink "$@" ;; esac`,
            );
            refused(machine.restore(restoring({ folder: "deep/back" })), /deep leads to \S+\/outside/);
            assert.deepEqual(
                [machine.has("outside/back"), machine.has(staging), machine.has(`${meta}/restores/lost`)],
                [false, false, false],
            );
        });

        it("refuse a volume that is not mounted, and a folder that leads out of it", () => {
            machine.mounted();
            refused(machine.restore(restoring()), /the volume data is not mounted/);
            machine.mounted(machine.at("volumes/data"));
            machine.link("volumes/data/out", "/tmp");
            refused(machine.restore(restoring({ folder: "out/back" })), /leads out of its volume/);
            assert.deepEqual(machine.calls, []);
        });
    });
});
