import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandResult, Connection, RunOptions } from "../../../../provider/ssh/types";
import { encodeBatch, formatBegin, formatStepEnd } from "../../../../provider/steps/batch";
import { leftRunning, whatRuns } from "../../../../provider/steps/left-running";

describe("what a stopped run has left running", () => {
    let folder: string;
    let holders: ChildProcess[];

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "left-running-"));
        holders = [];
    });
    afterEach(() => {
        for (const { pid } of holders) process.kill(-pid!, "SIGKILL");
        rmSync(folder, { recursive: true });
    });

    /** As the agent leaves it; the lock is held as long as the batch runs. */
    const batch = async (id: string, { out, runs = true }: { out: string; runs?: boolean }) => {
        const place = join(folder, "steps", id);
        mkdirSync(place, { recursive: true });
        const steps = [
            { id: "storage.volumes", fingerprint: "0123456789ab", timeoutSeconds: 600, script: "true" },
            { id: "storage.restore", fingerprint: "0123456789ac", timeoutSeconds: 86_400, script: "echo 'it''s'" },
        ];
        for (const [name, text] of Object.entries({ out, batch: encodeBatch(steps), script: "", alive: "" }))
            writeFileSync(join(place, name), text);
        utimesSync(join(place, "script"), 1_790_000_000, 1_790_000_000);
        if (!runs) return;
        const holder = spawn("flock", [join(place, "alive"), "sh", "-c", "echo held; sleep 60"], { detached: true });
        holders.push(holder);
        await once(holder.stdout, "data");
    };
    const machine = {
        target: { host: "10.0.0.31" },
        exec: (argv: readonly string[], { stdin }: RunOptions) =>
            new Promise<CommandResult>(resolve => {
                const [program, ...rest] = argv as [string, ...string[]];
                const run = spawn(program, rest);
                const said = { stdout: "", stderr: "" };
                for (const each of ["stdout", "stderr"] as const) run[each].on("data", data => (said[each] += data));
                run.on("close", code => resolve({ code: code!, ...said }));
                run.stdin.end(stdin);
            }),
    } as unknown as Connection;
    const before = formatBegin("storage.volumes") + formatStepEnd("storage.volumes", "0123456789ab", 0, 2);

    it("is told with the step that it has come to, since when, and until when at the latest", async () => {
        await batch("storage.volumes", { out: `${before}${formatBegin("storage.restore")}restore lost: latest ...\n` });
        await batch("storage.proxy", { out: before, runs: false });
        const [found, ...others] = await leftRunning(machine, "st1", folder);
        assert.deepEqual(
            [found, others],
            [
                {
                    batch: "storage.volumes",
                    step: "storage.restore",
                    began: new Date("2026-09-21T14:13:20Z"),
                    until: new Date("2026-09-22T14:13:20Z"),
                },
                [],
            ],
        );
        assert.equal(
            whatRuns(found!, "st1", [{ id: "storage.restore", title: "restore folders from backups" }]),
            "restore folders from backups, since 2026-09-21 14:13:20 UTC, until 2026-09-22 14:13:20 UTC at the latest. To end it, on st1: " +
                "systemctl stop nfv-batch-storage.volumes (what it has restored so far is deleted, and the next run that has this restore does it again)",
        );
    });

    it("is told without a way to end it where a step must not be ended, and as far as it is known", async () => {
        await batch("storage.volumes", { out: formatBegin("storage.volumes") });
        const [found] = await leftRunning(machine, "st1", folder);
        assert.match(whatRuns(found!, "st1"), /^storage\.volumes, since .* at the latest$/);
        assert.equal(whatRuns({ batch: "storage.volumes" }, "st1"), "storage.volumes");
        rmSync(join(folder, "steps/storage.volumes/out"));
        assert.deepEqual((await leftRunning(machine, "st1", folder))[0]!.step, undefined);
    });

    it("is nothing where nothing runs, and where the machine cannot be asked", async () => {
        assert.deepEqual(await leftRunning(machine, "st1", folder), []);
        const silent = { target: {}, exec: () => Promise.reject(new Error("away")) } as unknown as Connection;
        assert.deepEqual(await leftRunning(silent, "st1"), []);
    });
});
