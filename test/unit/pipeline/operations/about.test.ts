import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { aboutRun } from "../../../../pipeline/operations/about";

describe("who runs what", () => {
    const root = mkdtempSync(join(tmpdir(), "nfv-about-"));
    const project = join(root, "site");
    const git = (...words: string[]) =>
        execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
            encoding: "utf8",
        }).trim();
    before(() => {
        mkdirSync(project);
        writeFileSync(join(project, "Pulumi.yaml"), "name: site\n");
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    it("has no commit where there is no repository, and the one of the pipeline if that says it", async () => {
        assert.equal((await aboutRun("up", project, {})).commit, undefined);
        assert.equal((await aboutRun("up", project, { CI_COMMIT_SHA: "ab".repeat(20) })).commit, "abababababab");
        assert.equal((await aboutRun("up", project, { GITHUB_SHA: "rm -rf" })).commit, undefined);
    });

    it("has the commit of the project's folder, and says whether files differ from it", async () => {
        git("init", "--quiet");
        git("add", ".");
        git("commit", "--quiet", "--message", "a");
        const commit = git("rev-parse", "--short=12", "HEAD");
        const { type, command, ...rest } = await aboutRun("scale", project, {});
        assert.deepEqual([type, command, rest.commit], ["about", "scale", commit]);
        assert.match(rest.package, /^\d+\.\d+\.\d+/);
        writeFileSync(join(project, "Pulumi.yaml"), "name: other\n");
        assert.equal((await aboutRun("scale", project, {})).commit, `${commit}+`);
    });

    it("names whoever started a pipeline, and otherwise the user", async () => {
        assert.equal((await aboutRun("up", project, { GITLAB_USER_LOGIN: "ada" })).by, `ada@${hostname()}`);
        assert.match((await aboutRun("up", project, {})).by ?? "", new RegExp(`^[^@]+@${hostname()}$`));
    });
});
