import assert from "node:assert/strict";
import { sampleRestore } from "../sample-storage";
import type { BackupMachine } from "./backup-machine";
import { done, refused, specsFor, withOneBackup } from "./backup-runs";

let machine: BackupMachine;
const { specOf, restoring } = specsFor(() => machine);
const refusedWhole = (...end: Parameters<typeof refused>) => {
    refused(...end);
    assert.equal(machine.has("volumes/data/back"), false);
};
const knowsSparse = () => machine.write("restore-help", "      --sparse   restore files as sparse\n");

describe("sparse files", () => {
    withOneBackup(made => {
        machine = made;
    });
    beforeEach(() => machine.write("free", "1000000\n"));

    it("come back with their holes where restic can do that", () => {
        done(machine.restore(restoring()));
        assert.match(machine.calls.at(-1)!, /--verify$/);
        knowsSparse();
        done(machine.restore(specOf({}, { restores: { again: sampleRestore({ folder: "again" }) } })));
        assert.match(machine.calls.at(-1)!, /--verify --sparse$/);
    });

    it("that seem too large come back, with a warning, if what is stored of them fits", () => {
        knowsSparse();
        machine.listed(5_000_000);
        machine.write("stats", '{"total_size":990000,"total_blob_count":6}\n');
        const { code, stdout } = machine.restore(restoring());
        assert.equal(code, 0);
        assert.match(
            stdout,
            /^restore lost: warning: its files have 5005312 bytes, .* 990000 bytes to spare: it fits/m,
        );
        assert.match(machine.read("restic-calls"), /^stats --json --mode raw-data 0123abcd4567$/m);
    });

    it("are refused if more is stored of them than the volume has", () => {
        knowsSparse();
        machine.listed(5_000_000);
        machine.write("stats", '{"total_size":990001,"total_blob_count":6}\n');
        refusedWhole(
            machine.restore(restoring()),
            /it needs 990001 bytes at least, and the volume data has 990000 bytes/,
        );
        machine.write("fail-stats", "exit 1");
        refusedWhole(machine.restore(restoring()), /does not tell how much/);
    });

    it("of one export among several are not judged by what is stored of all", () => {
        knowsSparse();
        machine.listed(5_000_000);
        machine.configure(specOf({ exports: ["/exports/data", "/exports/logs"] }));
        machine.mounted(machine.at("volumes/data"), "/exports/data", "/exports/logs");
        done(machine.night());
        machine.write("stats", '{"total_size":990001,"total_blob_count":6}\n');
        done(machine.restore(restoring()));
        assert.doesNotMatch(machine.commands.join(), /stats/);
    });

    it("are refused by their size where restic would fill their holes, with its version", () => {
        machine.listed(5_000_000);
        refusedWhole(
            machine.restore(restoring()),
            /it needs 5005312 bytes, and the volume data has 990000 bytes to spare\. .*restic 0\.14\.0 fills their holes, and 0\.15 or newer does not/,
        );
    });

    it("larger than their volume are saved with a warning, which the run that asked for the backup shows", () => {
        machine.write("processed", "2000001\n");
        machine.restored(2_000_001);
        const { code, stdout } = machine.start(specOf({ run: "one" }));
        assert.equal(code, 0);
        assert.match(stdout, /^warning: its files have 2000001 bytes, more than the 2000000 bytes of their volumes/m);
        assert.match(machine.read("notes/nightly.done"), /^\S+Z 0123abcd\nwarning: /);
        machine.write("processed", "2000000\n");
        assert.doesNotMatch(machine.start(specOf({ run: "two" })).stdout, /warning/);
        assert.match(machine.read("notes/nightly.done"), /^\S+Z 0123abcd\n$/);
    });
});
