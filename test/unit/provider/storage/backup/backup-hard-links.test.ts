import assert from "node:assert/strict";
import { sampleRestore } from "../sample-storage";
import type { BackupMachine } from "./backup-machine";
import { done, refused, specsFor, withOneBackup } from "./backup-runs";

let machine: BackupMachine;
const { specOf, restoring } = specsFor(() => machine);
const again = () => specOf({}, { restores: { again: sampleRestore({ folder: "again" }) } });

describe("files with several names (hard links)", () => {
    withOneBackup(made => {
        machine = made;
    });
    beforeEach(() => machine.write("free", "1000000\n"));

    it("need their space once, where restic says their inodes", () => {
        const file = { size: 600_000, inode: 12 };
        machine.listed(file, file, file);
        done(machine.restore(restoring()));
        assert.doesNotMatch(machine.commands.join(), /stats/);
        machine.listed(file, { ...file, inode: 13 });
        machine.restored(1_200_000);
        refused(machine.restore(again()), /it needs 1208320 bytes/);
        // A file system without inodes.
        machine.listed({ ...file, inode: 0 }, { ...file, inode: 0 });
        refused(machine.restore(again()), /it needs 1208320 bytes/);
    });

    it("need their space once also where restic's list does not say them (0.14): what it counts itself is asked for, but only if they do not fit", () => {
        machine.listed(600_000, 600_000);
        machine.restored(600_000);
        done(machine.restore(restoring()));
        assert.match(machine.read("restic-calls"), /^stats --json --mode restore-size 0123abcd4567$/m);
        machine.restored(1_200_000);
        refused(machine.restore(again()), /it needs 1208320 bytes/);
        machine.write("fail-stats", "exit 1");
        refused(machine.restore(again()), /it needs 1208320 bytes/);
    });

    it("count by their names where restic tells no more of one export among several", () => {
        machine.configure(specOf({ exports: ["/exports/data", "/exports/logs"] }));
        machine.mounted(machine.at("volumes/data"), "/exports/data", "/exports/logs");
        done(machine.night());
        machine.listed(600_000, 600_000);
        machine.restored(600_000);
        refused(machine.restore(restoring()), /it needs 1208320 bytes/);
        assert.doesNotMatch(machine.commands.join(), /stats/);
    });

    it("give no warning of a backup that is larger than its volume only by their names", () => {
        machine.write("processed", "3000000\n");
        machine.restored(1_500_000);
        const { code, stdout } = machine.start(specOf({ run: "one" }));
        assert.equal(code, 0);
        assert.doesNotMatch(stdout, /warning/);
        machine.write("fail-stats", "exit 1");
        assert.match(machine.start(specOf({ run: "two" })).stdout, /^warning: its files have 3000000 bytes/m);
    });
});
