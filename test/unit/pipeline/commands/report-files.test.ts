import assert from "node:assert/strict";
import {
    existsSync,
    linkSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseUnwritable, writeReports } from "../../../../pipeline/commands/report-files";

describe("the files of reports", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-reports-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("are refused before the run where they have no place, and nothing of them stays", () => {
        assert.throws(
            () => refuseUnwritable({ html: join(folder, "none/x.html") }),
            /INVALID_INPUT\n.*--html .*its folder does not exist/,
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

    it("are refused where two are the same file, by whatever paths and links", () => {
        mkdirSync(join(folder, "reports"));
        symlinkSync("reports", join(folder, "linked"));
        symlinkSync("reports/x", join(folder, "to-none"));
        const refused = (junit: string, sarif: string) =>
            assert.throws(
                () => refuseUnwritable({ junit: join(folder, junit), sarif: join(folder, sarif) }),
                /--sarif .*another report goes there/,
            );
        refused("reports/x", "linked/x");
        refused("reports/x", "to-none");
        assert.deepEqual(readdirSync(join(folder, "reports")), []);
        writeFileSync(join(folder, "reports/x"), "");
        linkSync(join(folder, "reports/x"), join(folder, "hard"));
        refused("reports/x", "to-none");
        refused("hard", "linked/x");
        refuseUnwritable({ junit: "/dev/null", sarif: "/dev/null" });
        writeReports([], { junit: join(folder, "to-none") });
        assert.match(readFileSync(join(folder, "reports/x"), "utf8"), /<testsuites/);
    });

    it("do not replace the events of which they are made", () => {
        const events = join(folder, "x.jsonl");
        writeFileSync(events, "");
        assert.throws(() => refuseUnwritable({ html: `${folder}/./x.jsonl` }, events), /the report is made of it/);
        refuseUnwritable({ html: join(folder, "x.html") }, events);
        refuseUnwritable({ html: join(folder, "x.html") }, join(folder, "none/x"));
    });

    it("show errors at the project's file, as its repository has it", () => {
        const project = join(folder, "sites/north east");
        mkdirSync(project, { recursive: true });
        const uri = (given?: string) => {
            writeReports([{ type: "error", time: "", text: "a" }], { sarif: join(folder, "x.sarif") }, given);
            const [result] = JSON.parse(readFileSync(join(folder, "x.sarif"), "utf8")).runs[0].results;
            return result.locations[0].physicalLocation.artifactLocation.uri;
        };
        assert.equal(uri(project), "Pulumi.yaml", "no repository, and outside of this folder");
        mkdirSync(join(folder, ".git"));
        assert.equal(uri(project), "sites/north%20east/Pulumi.yaml");
        writeFileSync(join(project, "Pulumi.yml"), "");
        assert.equal(uri(project), "sites/north%20east/Pulumi.yml");
        assert.equal(uri(folder), "Pulumi.yaml");
        assert.equal(uri(join(folder, "none")), "Pulumi.yaml");
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
