import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseUnwritable, writeReports } from "../../../pipeline/report-files";

describe("the files of reports", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-reports-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("are refused before the run where they have no place, and nothing of them stays", () => {
        assert.throws(
            () => refuseUnwritable({ html: join(folder, "none/x.html") }),
            /INVALID_INPUT\n.*--html .*ENOENT/,
        );
        assert.throws(() => refuseUnwritable({ junit: folder }), /--junit .*it is a folder/);
        assert.throws(() => refuseUnwritable({ markdown: "/proc/self/x" }), /--markdown .*cannot be written/);
        const file = join(folder, "x.md");
        const same = { junit: file, sarif: `${folder}/./x.md` };
        assert.throws(() => refuseUnwritable(same), /--sarif .*another report goes there/);
        refuseUnwritable({ markdown: file, html: "/dev/null" });
        assert.equal(existsSync(file), false);
        writeFileSync(file, "former");
        refuseUnwritable({ markdown: file });
        assert.equal(readFileSync(file, "utf8"), "former");
    });

    it("are written but for the one that cannot be, which is named, and not called a wrong input", () => {
        const junit = join(folder, "x.xml");
        assert.throws(
            () => writeReports([], { markdown: join(folder, "none/x.md"), junit }),
            /^Error: RUN_FAILED|RUN_FAILED\n.*none\/x\.md cannot be written/,
        );
        assert.match(readFileSync(junit, "utf8"), /<testsuites/);
    });
});
