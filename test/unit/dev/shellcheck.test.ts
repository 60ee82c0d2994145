import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../../dev/levels";

describe("the lint of shell scripts", () => {
    let bin: string;
    const lint = () =>
        spawnSync(process.execPath, [join(projectRoot, "dev/shellcheck.mjs")], {
            encoding: "utf8",
            env: { PATH: bin },
        });
    const shellcheck = (text: string) => {
        writeFileSync(join(bin, "shellcheck"), `#!/bin/sh\n${text}\n`);
        chmodSync(join(bin, "shellcheck"), 0o755);
    };

    beforeEach(() => {
        bin = mkdtempSync(join(tmpdir(), "nfv-lint-"));
        symlinkSync("/bin/sh", join(bin, "sh"));
    });
    afterEach(() => rmSync(bin, { recursive: true }));

    it("fails without shellcheck, and says how to get it", () => {
        const { status, stderr } = lint();
        assert.equal(status, 1);
        assert.match(stderr, /shellcheck is missing.*apt-get install shellcheck/);
    });

    it("fails if shellcheck finds something", () => {
        shellcheck("exit 1");
        assert.equal(lint().status, 1);
    });

    it("looks at all scripts, also at those without extension, but not at recorded fixtures", () => {
        shellcheck("printf '%s\\n' \"$@\"");
        const { status, stdout } = lint();
        assert.equal(status, 0);
        const files = stdout.trim().split("\n");
        for (const file of ["provider/node/set-hostname.sh", "lab/scripts/node.sh", ".ci/run"]) {
            assert.ok(files.includes(file), file);
        }
        assert.deepEqual(
            files.filter(file => file.includes("fixtures/") || file.endsWith(".ts")),
            [],
        );
    });
});
