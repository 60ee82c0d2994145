import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tryRun } from "../../../tools/run";
import { skipIf } from "../../support/skip";
import { notBuilt } from "../../support/user-project";
import { TemplateUser } from "./template";

describe("a project of our template whose packages npm installs, ours from the archive", function () {
    this.timeout(600_000);
    let user: TemplateUser;

    before(async function () {
        skipIf(this, notBuilt());
        const seen = await tryRun(["npm", "view", "yaml", "version"]);
        skipIf(this, seen.exitCode !== 0 && `npm reaches no registry: ${seen.stderr.slice(-200)}`);
        user = await TemplateUser.make();
    });
    after(() => user?.remove());

    it("previews the cluster of the template's own settings, and its program compiles", async () => {
        const made = await user.create("site", {}, manifest => {
            manifest.dependencies["pulumi-nfv"] = `file:${user.archive}`;
        });
        assert.equal(made.exitCode, 0, made.stdout + made.stderr);
        const at = join(user.folder, "site");
        assert.ok(existsSync(join(at, "node_modules/pulumi-nfv/dist/bundle.js")));
        const compiled = await tryRun([join(at, "node_modules/.bin/tsc"), "-p", "."], { cwd: at });
        assert.equal(compiled.stdout, "");
        const { stdout, stderr, exitCode } = await user.preview("site");
        assert.equal(exitCode, 0, stdout + stderr);
        for (const node of ["m1", "w1", "w2"]) assert.match(stdout, new RegExp(`nfv:Node core-${node} create`));
    });
});
