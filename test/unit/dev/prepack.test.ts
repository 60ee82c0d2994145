import { match, notStrictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../support/user-project";

const { name, version, scripts } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

/** It would take what is compiled, with maps, and without the bundle. */
describe("npm pack in the repository", () => {
    let clone: string;

    before(() => {
        clone = mkdtempSync(join(tmpdir(), "nfv-prepack-"));
        writeFileSync(join(clone, "package.json"), JSON.stringify({ name, version, scripts }));
    });
    after(() => rmSync(clone, { recursive: true, force: true }));

    for (const command of [["pack"], ["publish", "--dry-run"]]) {
        it(`refuses ${command.join(" ")}, and names the command that makes the archive`, () => {
            const argv = [...command, "--offline", `--cache=${join(clone, "cache")}`];
            const { status, stderr } = spawnSync("npm", argv, { cwd: clone, encoding: "utf8" });
            notStrictEqual(status, 0);
            match(stderr, /npm run package makes the archive/);
        });
    }
});
