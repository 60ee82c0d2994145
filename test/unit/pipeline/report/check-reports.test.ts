import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot } from "../../../support/user-project";

/** The command in a process of its own, with a `pulumi` that does what the test says. */
describe("the reports of a check that could not look", () => {
    let folder: string;
    before(function () {
        skipIf(this, notBuilt());
    });
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-check-"));
        for (const report of ["x.xml", "x.sarif"]) writeFileSync(join(folder, report), "former");
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const begin = (pulumi: string) => {
        writeFileSync(join(folder, "pulumi"), `#!/bin/sh\ntouch ${folder}/begun\n${pulumi}\n`, { mode: 0o755 });
        const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
        const reports = ["--junit", join(folder, "x.xml"), "--sarif", join(folder, "x.sarif")];
        const argv = [join(projectRoot, "dist/pipeline/nfv.js"), "check", "-C", folder, ...reports];
        const child = spawn(process.execPath, argv, { env, cwd: projectRoot, stdio: "ignore" });
        return { child, code: new Promise(resolve => child.on("close", resolve)) };
    };
    const reported = (word: string) => {
        assert.match(readFileSync(join(folder, "x.xml"), "utf8"), new RegExp(`name="check"[\\s\\S]*type="${word}"`));
        const [result] = JSON.parse(readFileSync(join(folder, "x.sarif"), "utf8")).runs[0].results;
        assert.deepEqual([result.ruleId, result.level], [word, "error"]);
    };

    it("say so in place of those of a former check", async () => {
        assert.equal(await begin("echo 'error: no backend' >&2; exit 255").code, 2);
        reported("INVALID_INPUT");
    });

    it("say so where it was stopped", async () => {
        const { child, code } = begin("exec sleep 5");
        for (let i = 0; i < 600 && !existsSync(join(folder, "begun")); i++) await sleep(50);
        child.kill("SIGTERM");
        assert.equal(await code, 130);
        reported("CANCELLED");
    });
});
