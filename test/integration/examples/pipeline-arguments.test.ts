import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../support/user-project";

/** A stand-in for `nfv` writes down its arguments, and fails. */
describe("the arguments that the script of the pipelines gives to nfv", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-arguments-"));
        mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
        const nfv = '#!/bin/sh\nprintf \'%s\\n\' "$@" >"$NFV_REPORTS/arguments"\nexit 9\n';
        writeFileSync(join(folder, "node_modules/.bin/nfv"), nfv, { mode: 0o755 });
    });
    after(() => rmSync(folder, { recursive: true }));

    const argumentsOf = (operation: string) => {
        const env = {
            ...process.env,
            ...{
                NFV_PROJECT: folder,
                NFV_REPORTS: join(folder, "reports"),
                NFV_STACK: "site",
                NFV_OPERATION: operation,
            },
            ...{ NFV_MAX_DISRUPTION: "controlPlaneNodes=1 workers=20%", NFV_FORBID_REPLACE: "st1" },
        };
        const script = join(projectRoot, "examples/pipelines/nfv-pipeline.sh");
        const { status, stderr } = spawnSync("sh", [script, "plan"], { env, encoding: "utf8" });
        assert.equal(status, 9, stderr);
        return readFileSync(join(folder, "reports/arguments"), "utf8").trim().split("\n").join(" ");
    };

    it("have the limits of the site", () =>
        assert.match(
            argumentsOf("scale workers=3"),
            /^scale workers=3 --preview .* --forbid-replace st1 --max-disruption controlPlaneNodes=1 --max-disruption workers=20% /,
        ));

    it("of an upgrade have no limit of nodes, which each upgrade of more nodes would exceed", () =>
        assert.match(argumentsOf("upgrade 1.36.4"), /^upgrade 1.36.4 --preview .* --forbid-replace st1 --cwd /));
});
