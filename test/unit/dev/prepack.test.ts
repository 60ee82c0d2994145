import { deepStrictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "../../support/user-project";

const { name, version, files, scripts } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

/** A clone without dist/, in which the compiler only writes the file that the package's entry names. */
describe("npm pack in a fresh clone", function () {
    this.timeout(60_000);
    let clone: string;

    before(() => {
        clone = mkdtempSync(join(tmpdir(), "nfv-prepack-"));
        writeFileSync(join(clone, "package.json"), JSON.stringify({ name, version, files, scripts }));
        const programs = join(clone, "node_modules/.bin");
        mkdirSync(programs, { recursive: true });
        for (const file of ["dev/release/check-release.mjs", "CHANGELOG.md"]) {
            mkdirSync(dirname(join(clone, file)), { recursive: true });
            copyFileSync(join(projectRoot, file), join(clone, file));
        }
        const compiler = "#!/bin/sh\nmkdir -p dist/components && echo '//' >dist/components/index.js\n";
        writeFileSync(join(programs, "tsc"), compiler);
        chmodSync(join(programs, "tsc"), 0o755);
    });
    after(() => rmSync(clone, { recursive: true, force: true }));

    function packed(...options: string[]): string[] {
        const argv = ["pack", "--dry-run", "--json", "--offline", `--cache=${join(clone, "cache")}`, ...options];
        const { status, stdout, stderr } = spawnSync("npm", argv, { cwd: clone, encoding: "utf8" });
        if (status !== 0) throw new Error(`npm pack: ${stderr}`);
        const [{ files: found }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ files: { path: string }[] }];
        return found.map(({ path }) => path).filter(path => path.startsWith("dist/"));
    }

    it("builds nothing with --ignore-scripts, as our own tests pack what is built", () => {
        deepStrictEqual(packed("--ignore-scripts"), []);
    });

    it("builds the package first", () => {
        deepStrictEqual(packed(), ["dist/components/index.js"]);
    });
});
