import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import type { StorageSpec } from "../../../../../provider/storage/spec";
import { sampleRestore } from "../sample-storage";
import type { BackupMachine } from "./backup-machine";
import { done, failed, refused, specsFor, withOneBackup } from "./backup-runs";

let machine: BackupMachine;
const { specOf, restoring } = specsFor(() => machine);
const another = /\/exports\/data is on another volume than when it was saved last\. Nothing was saved or deleted/;
const snapshot = (id: string, more: object = {}) => ({
    time: "2026-01-01T02:30:00Z",
    paths: ["/exports/data"],
    tags: ["nightly"],
    ...more,
    id: `${id}4567`,
    short_id: id,
});
const stored = (...snapshots: object[]) => machine.write("snapshots", `${JSON.stringify(snapshots)}\n`);
/** A backup that fails deletes nothing. */
const untouched = () => assert.deepEqual(machine.commands, ["unlock", "snapshots", "ls"]);

describe("backups know from which volume they were made", () => {
    withOneBackup(made => {
        machine = made;
    });

    it("by a tag for each export, which is the same one as long as the volume is", () => {
        done(machine.night());
        const id = machine.read("volumes/data/.pulumi-nfv/id").trim();
        assert.match(id, /^[0-9a-f-]{36}$/);
        assert.match(
            machine.calls[2]!,
            new RegExp(` --tag nightly --tag run@[0-9a-f]{8} --tag /exports/data@${id} /exports/data$`),
        );
    });

    it("save nothing of a volume that was made again, and delete nothing, until a restore into it was done", () => {
        machine.changeDisk("second");
        failed(machine.night(), another);
        untouched();
        assert.match(machine.read("notes/nightly.failed"), /bring its data back \(restores\).*another name/);
        done(machine.restore(restoring()));
        done(machine.night());
        done(machine.night());
    });

    it("save nothing of a former server's disk after another server has saved its own", () => {
        machine.changeDisk("second");
        done(machine.restore(restoring()));
        done(machine.night());
        machine.changeDisk("first");
        machine.forgetCalls();
        failed(machine.night(), another);
        untouched();
        machine.changeDisk("second");
        done(machine.night());
    });

    it("go on with another backup of the same export after a restore", () => {
        const backups = { ...specOf().backups, weekly: specOf().backups!["nightly"]! };
        const both = (more: Partial<StorageSpec> = {}) => specOf({}, { backups, ...more });
        machine.configure(both());
        done(machine.night("weekly"));
        machine.changeDisk("second");
        failed(machine.night("weekly"), another);
        done(machine.restore(both({ restores: { lost: sampleRestore() } })));
        done(machine.night("weekly"));
    });

    it("save a volume that was made again if the export had no files before", () => {
        machine.changeDisk("second");
        machine.listed();
        done(machine.night());
    });

    it("take a volume for the same one if no snapshot names one: it was full", () => {
        stored(snapshot("89abcdef", { tags: ["nightly", "run@89abcdef"] }));
        machine.changeDisk("second");
        done(machine.night());
    });

    it("compare with the newest one that names a volume, of this very export", () => {
        const id = machine.read("volumes/data/.pulumi-nfv/id").trim();
        stored(
            snapshot("00000001", {
                tags: ["nightly", `/exports/data@${id}`, "/exports/data2@other", "/srv/exports/data@other"],
            }),
            // Its volume was full, so it could have no ID.
            snapshot("00000002", { tags: ["nightly", "run@89abcdef"] }),
        );
        done(machine.night());
        stored(
            snapshot("00000001", { tags: ["nightly", `/exports/data@${id}`] }),
            snapshot("00000002", { tags: ["nightly", "/exports/data@other"] }),
        );
        failed(machine.night(), another);
    });

    it("find an ID again that a power cut has left empty", () => {
        machine.write("volumes/data/.pulumi-nfv/id", "");
        stored(snapshot("00000001"));
        done(machine.night());
        assert.match(machine.read("volumes/data/.pulumi-nfv/id"), /^[0-9a-f-]{36}\n$/);
    });

    it("save a volume that is full or read-only, and so can have no ID, as long as no snapshot names another one", () => {
        machine.changeDisk("full");
        machine.write("volumes/data/.pulumi-nfv", "no folder");
        failed(machine.night(), another);
        stored(snapshot("89abcdef"));
        machine.forgetCalls();
        done(machine.night());
        assert.match(machine.calls[2]!, /--tag nightly --tag run@\S+ \/exports\/data$/);
    });

    it("make one ID when two of them begin at the same time", () => {
        machine.changeDisk("second");
        stored();
        machine.program("ln", `echo first > "$2"; exec /bin/ln "$@"`);
        done(machine.night());
        assert.equal(machine.read("volumes/data/.pulumi-nfv/id"), "first\n");
        assert.match(machine.read("restic-calls"), /--tag \/exports\/data@first /);
    });

    it("save nothing where restic ends well with a list that is not whole, or is empty because it could not be read", () => {
        machine.changeDisk("second");
        // As restic 0.14 says it; later ones begin with "Ignoring".
        for (const why of [
            "could not load snapshots: List: connection lost",
            "could not load snapshot 0123abcd: connection lost",
            'Ignoring "0123abcd": connection lost',
        ]) {
            machine.forgetCalls();
            machine.write("fail-snapshots", `echo '${why}' >&2; echo '[]'; exit 0`);
            failed(machine.night(), /its snapshots cannot be listed: .*connection lost/);
            assert.deepEqual(machine.commands, ["unlock", "snapshots"]);
            refused(machine.restore(restoring()), /restic failed: .*connection lost/);
        }
    });

    it("save nothing of another volume where restic ends well and says nothing of the last snapshot", () => {
        machine.changeDisk("second");
        machine.write("listed", "");
        failed(machine.night(), /restic does not tell what the last snapshot has/);
        untouched();
    });

    it("fail if the snapshots cannot be listed", () => {
        machine.write("fail-snapshots", "echo 'Fatal: connection lost' >&2; exit 1");
        failed(machine.night(), /its snapshots cannot be listed: connection lost/);
        assert.deepEqual(machine.commands, ["unlock", "snapshots"]);
    });

    it("delete no older one if the own one is not the newest: the clock is behind, and it would be deleted first", () => {
        machine.write("fail-backup", `echo '{"message_type":"summary","snapshot_id":"00000001"}'; exit 0`);
        stored(snapshot("00000001"), snapshot("00000002", { time: "2030-01-01T02:30:00Z" }));
        failed(machine.night(), /it was made \(snapshot 00000001\).*a newer one: 00000002 of 2030-01-01T02:30:00Z/);
        assert.deepEqual(machine.commands, ["unlock", "snapshots", "backup", "snapshots"]);
    });

    describe("and do not save an export that lost its files:", () => {
        const path = () => machine.at("exports/data");
        const night = () => {
            machine.configure(specOf({ exports: [path()] }));
            return machine.night();
        };
        beforeEach(() => {
            mkdirSync(machine.at("exports/data/empty/folders"), { recursive: true });
            machine.mounted(machine.at("volumes/data"), path());
            machine.devices({ [machine.at("repository")]: 2, [machine.at("volumes/data")]: 3, [path()]: 3 });
            stored(snapshot("00000001", { paths: [path()] }), snapshot("00000002", { paths: ["/other"] }));
        });

        it("one whose last snapshot has some", () => {
            failed(night(), /exports\/data has no files any more\. Nothing was saved or deleted/);
            untouched();
            assert.match(machine.calls[2]!, /^ls --json --recursive 000000014567 /);
            machine.write("exports/data/empty/file", "");
            done(night());
        });

        it("but one that has had none, or was not saved before", () => {
            machine.listed();
            done(night());
            stored();
            done(night());
        });

        it("nor one of which restic does not tell", () => {
            machine.write("fail-ls", "exit 1");
            failed(night(), /restic does not tell what the last snapshot has/);
        });
    });

    describe("and a restore", () => {
        it("refuses a latest snapshot without files, and brings it back if it is named", () => {
            machine.listed();
            refused(machine.restore(restoring()), /the latest snapshot has no files in \/exports\/data\. Name another/);
            assert.equal(machine.has("volumes/data/back"), false);
            done(machine.restore(restoring({ snapshot: "0123abcd" })));
        });

        it("takes the snapshot that it has looked at, also where a backup makes another one meanwhile", () => {
            stored(snapshot("00000001"));
            const later = JSON.stringify([
                snapshot("00000001"),
                snapshot("00000002", { time: "2026-01-02T02:30:00Z" }),
            ]);
            machine.write("fail-ls", `echo '${later}' > "$ROOT/snapshots"`);
            done(machine.restore(restoring()));
            assert.match(machine.calls.at(-1)!, /^restore 000000014567 /);
        });

        it("brings a named snapshot back where another one is damaged, and takes none for the latest", () => {
            const list = JSON.stringify([snapshot("00000001")]);
            const why = "could not load snapshot 00000002: invalid data returned";
            machine.write("fail-snapshots", `echo '${why}' >&2; echo '${list}'; exit 0`);
            refused(machine.restore(restoring()), /restic failed: could not load snapshot 00000002: invalid data/);
            refused(machine.restore(restoring({ snapshot: "00000002" })), /restic failed: could not load snapshot/);
            done(machine.restore(restoring({ snapshot: "00000001" })));
        });

        it("that failed lets no backup go on", () => {
            machine.changeDisk("second");
            machine.write("fail-restore", "exit 1");
            assert.notEqual(machine.restore(restoring()).code, 0);
            failed(machine.night(), another);
            rmSync(machine.at("fail-restore"));
        });

        it("refuses a latest snapshot of the time to come: a clock was wrong", () => {
            const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
            stored(snapshot("00000001", { time: at(30) }));
            refused(machine.restore(restoring()), /the latest snapshot, 00000001, has the time \S+, which is to come/);
            done(machine.restore(restoring({ snapshot: "00000001" })));
            stored(snapshot("00000001", { time: at(20) }));
            done(machine.restore(specOf({}, { restores: { again: sampleRestore({ folder: "again" }) } })));
        });
    });
});
