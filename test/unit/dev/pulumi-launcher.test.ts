import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pulumiLauncher } from "../../../dev/pulumi-launcher";

describe("the launcher of Pulumi", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-launcher-"));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it("runs the command in front with the CLI's path and each argument unchanged", async () => {
        const cli = join(folder, "it's a CLI");
        const script = `#!/bin/sh\n[ "$1" = version ] && echo v3.999.0 && exit\nprintf '%s\\n' "$IN_LAB" "$@"\n`;
        writeFileSync(cli, script, { mode: 0o755 });
        const { command, version } = await pulumiLauncher(join(folder, "launcher"), ["env", "IN_LAB=a b", cli]);
        assert.equal(`${version}`, "3.999.0");
        const printed = execFileSync(command, ["up", "$HOME *", "", "it's"], { encoding: "utf8" });
        assert.deepEqual(printed.split("\n"), ["a b", "up", "$HOME *", "", "it's", ""]);
    });

    it("keeps the process: a signal to it reaches the CLI", async () => {
        const cli = join(folder, "cli");
        writeFileSync(cli, `#!/bin/sh\n[ "$1" = version ] && echo v3.999.0 || echo $$\n`, { mode: 0o755 });
        const { command } = await pulumiLauncher(folder, [cli]);
        const printed = execFileSync("sh", ["-c", `echo $$; exec "$0" up`, command], { encoding: "utf8" });
        const [before, after] = printed.split("\n");
        assert.equal(after, before);
    });
});
