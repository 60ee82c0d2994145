import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot } from "../../../support/user-project";

/** In a process of its own: the handlers are those of the whole process. */
describe("nfv, whose output", () => {
    const folder = mkdtempSync(join(tmpdir(), "nfv-output-"));
    const events = join(folder, "events.jsonl");
    before(function () {
        skipIf(this, notBuilt());
        const line = JSON.stringify({ type: "phase", time: "", phase: "x".repeat(200) });
        writeFileSync(events, `${line}\n`.repeat(5000));
    });
    after(() => rmSync(folder, { recursive: true }));

    const run = (words: string) => {
        const script = `"${process.execPath}" dist/pipeline/nfv.js report ${events} --json ${words}; echo "\${PIPESTATUS[0]}" >&2`;
        return spawnSync("bash", ["-c", script], { cwd: projectRoot, encoding: "utf8" }).stderr;
    };

    it("has no reader any more, goes on and ends with its own exit code", () => assert.equal(run("| head -1"), "0\n"));

    it("is JSON lines, has the error of a run that does not get as far as its stack, and so have the reports", () => {
        const junit = join(folder, "x.xml");
        const argv = ["dist/pipeline/nfv.js", "preview", "--json", "--cwd", folder, "--junit", junit];
        const { status, stdout } = spawnSync(process.execPath, argv, { cwd: projectRoot, encoding: "utf8" });
        const { type, code, text } = JSON.parse(stdout);
        assert.deepEqual([status, type, code], [2, "error", "INVALID_INPUT"]);
        assert.match(text, /has no Pulumi\.yaml/);
        assert.match(readFileSync(junit, "utf8"), /<failure type="INVALID_INPUT"/);
    });

    it("finds no space, says so and fails", () =>
        assert.match(run(">/dev/full"), /^error: standard output could not be written: ENOSPC.*\n1\n$/));
});
