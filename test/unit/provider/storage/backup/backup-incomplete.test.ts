import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { sampleRestore } from "../sample-storage";
import type { BackupMachine } from "./backup-machine";
import { done, failed, refused, specsFor, withOneBackup } from "./backup-runs";

let machine: BackupMachine;
const { specOf, restoring } = specsFor(() => machine);
/** restic has made the snapshot, and its answer comes too late. */
const killAfterRestic = (end = "exit 3") =>
    machine.write("after-backup", `kill -KILL $(cat ${machine.at("main")}); ${end}`);
const killed = () => {
    machine.write("next-id", "89abcdef\n");
    killAfterRestic();
    assert.equal(machine.night().code, null);
    rmSync(machine.at("after-backup"));
    machine.write("next-id", "fedcba98\n");
    machine.forgetCalls();
};
const again = { again: sampleRestore({ folder: "again" }) };

describe("a backup that is killed after restic has made a snapshot, and before it is known whether it is whole", () => {
    withOneBackup(made => {
        machine = made;
    });

    it("is set aside by the next run, before that makes another one", () => {
        killed();
        done(machine.night());
        assert.deepEqual(machine.commands, [
            ...["unlock", "snapshots", "tag", "forget", "snapshots"],
            ...["snapshots", "backup", "snapshots", "forget"],
        ]);
        assert.match(machine.calls[2]!, /^tag --quiet --set nightly\.incomplete 89abcdef4567$/);
        assert.equal(machine.has("notes/nightly.incomplete"), false);
    });

    it("is known by a tag of its own: what somebody tagged since, or another server saved, stays", () => {
        killed();
        const [, mine] = machine.read("notes/nightly.incomplete").match(/^(run@[0-9a-f]{8})\n$/)!;
        const stored = JSON.parse(machine.read("snapshots")) as { tags?: string[] }[];
        assert.deepEqual(
            stored.filter(({ tags }) => tags?.includes(mine!)).length,
            1,
            "the run before had another one",
        );
    });

    it("is restored neither as the latest nor by its id, until then", () => {
        killed();
        for (const snapshot of ["latest", "89abcdef"])
            refused(machine.restore(restoring({ snapshot })), /the snapshot 89abcdef4567 .*killed, or still runs/);
        done(machine.restore(restoring({ snapshot: "0123abcd" })));
    });

    it("leaves nothing to set aside where restic was killed, too, and made none", () => {
        machine.write("fail-backup", `kill -KILL $(cat ${machine.at("main")}); exit 1`);
        assert.equal(machine.night().code, null);
        rmSync(machine.at("fail-backup"));
        done(machine.restore(restoring()));
        machine.forgetCalls();
        done(machine.night());
        assert.doesNotMatch(machine.commands.join(), /tag/);
        assert.equal(machine.has("notes/nightly.incomplete"), false);
    });

    it("stays noted as long as the repository does not answer", () => {
        killed();
        machine.write("fail-snapshots", "echo 'Fatal: connection lost' >&2; exit 1");
        failed(machine.night(), /its snapshots cannot be listed: connection lost/);
        assert.doesNotMatch(machine.commands.join(), /backup/);
        rmSync(machine.at("fail-snapshots"));
        done(machine.night());
        assert.match(machine.commands.join(), /tag,forget/);
    });

    it("stays noted where restic ends well and has changed no tag, and is restored neither then", () => {
        killed();
        // As restic 0.14 and 0.18 do where the former snapshot cannot be removed.
        machine.write(
            "fail-tag",
            "echo 'unable to modify the tags for snapshot ID \"89abcdef\", ignoring: denied' >&2; exit 0",
        );
        failed(machine.night(), /89abcdef4567 of a former run cannot be set aside: unable to modify the tags.*denied/);
        assert.doesNotMatch(machine.commands.join(), /backup/);
        refused(machine.restore(restoring()), /the snapshot 89abcdef4567 is incomplete/);
        rmSync(machine.at("fail-tag"));
        done(machine.night());
        done(machine.restore(restoring()));
    });

    it("is set aside also where the volume is lost: the restore that brings it back takes the one before", () => {
        killed();
        machine.mounted(machine.at("volumes/data"));
        refused(machine.restore(restoring()), /the snapshot 89abcdef4567 is incomplete/);
        failed(machine.night(), /is not mounted/);
        machine.forgetCalls();
        done(machine.restore(restoring()));
        assert.match(machine.calls.at(-1)!, /^restore 0123abcd4567 /);
    });

    it("counts as whole as soon as that is known, also if older ones cannot be deleted", () => {
        machine.write("fail-forget", "echo 'no space' >&2; exit 1");
        failed(machine.night(), /older ones were not deleted/);
        assert.equal(machine.has("notes/nightly.incomplete"), false);
        done(machine.restore(specOf({}, { restores: again })));
    });
});
