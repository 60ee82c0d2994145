import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../support/user-project";
import { until } from "./script-fixture";

/** The script with a program in place of `nfv` that notes its words, and whose look at the nodes does not end. */
describe("the look with which the script of the pipelines begins to heal", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-look-"));
        mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
        const nfv = '#!/bin/sh\necho "$PWD $*" >>"$NOTES"\n[ "$1" != check ] || exec sleep 50\n';
        writeFileSync(join(folder, "node_modules/.bin/nfv"), nfv, { mode: 0o755 });
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const notes = () => (existsSync(join(folder, "notes")) ? readFileSync(join(folder, "notes"), "utf8") : "");

    function heal(env: Record<string, string>) {
        const child = spawn("sh", [join(projectRoot, "examples/pipelines/nfv-pipeline.sh"), "heal"], {
            env: { ...process.env, NFV_PROJECT: folder, NFV_STACK: "dev", NOTES: join(folder, "notes"), ...env },
            cwd: tmpdir(),
            detached: true,
            stdio: ["ignore", "pipe", "pipe"],
        });
        let output = "";
        child.stderr!.on("data", data => (output += data));
        const done = new Promise<{ code: number | null; output: string }>(resolve =>
            child.on("close", code => resolve({ code, output })),
        );
        return { child, done };
    }

    const reports = () => ({ NFV_REPORTS: join(folder, "reports") });
    const looked = () => `${tmpdir()} check --cwd ${folder} --stack dev --at-most 1 --json\n`;

    it("is stopped when its time is up, and nothing is healed", async () => {
        const { code, output } = await heal({ ...reports(), NFV_CHECK_TIMEOUT: "1s" }).done;
        assert.deepEqual([code, /nothing was changed/.test(output), notes()], [130, true, looked()], output);
    });

    for (const [name, to] of [["the script", 1] as const, ["its process group", -1] as const])
        it(`is stopped by a signal to ${name}, and nothing is healed`, async () => {
            const { child, done } = heal(reports());
            await until(() => notes() !== "");
            process.kill(to * child.pid!, "SIGTERM");
            const { code, output } = await done;
            assert.deepEqual([code, notes()], [130, looked()], output);
        });
});
