import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Guarded, runGuarded } from "../../../../../provider/operation/hooks/guarded-child";
import { ownFolder } from "./fixtures";
import { endOthers, otherProcess, runs, untilGone } from "./other-process";

describe("a program that a hook runs", () => {
    const folder = ownFolder();
    afterEach(endOthers);

    const env = { PATH: process.env["PATH"]! };
    const run = async (script: string, change: Partial<Guarded> = {}) => {
        const lines: string[] = [];
        const code = await runGuarded({
            ...{ program: "/bin/sh", args: ["-c", script], cwd: folder.path, env, input: "" },
            onLine: line => lines.push(line),
            signal: new AbortController().signal,
            ...change,
        });
        return { code, lines };
    };
    /** The process that the script has written to this file. */
    const pidIn = async (file: string): Promise<number> => {
        const path = join(folder.path, file);
        for (const end = Date.now() + 10_000; Date.now() < end; await sleep(20)) {
            const text = existsSync(path) ? readFileSync(path, "utf8") : "";
            if (text.endsWith("\n")) return Number(text);
        }
        throw new Error(`no process in ${file}`);
    };

    it("returns its exit code, and each line of both outputs, also the last one without an end", async () => {
        const { code, lines } = await run("echo one; echo two >&2; printf three; exit 7");
        assert.equal(code, 7);
        assert.deepEqual(lines.sort(), ["one", "three", "two"]);
    });

    it("gets its input, its folder and only the given environment", async () => {
        const { lines } = await run('cat; pwd; echo "$GIVEN $HOME."', {
            input: "from stdin\n",
            env: { ...env, GIVEN: "x" },
        });
        assert.deepEqual(lines, ["from stdin", folder.path, "x ."]);
    });

    it("may end without reading a large input", async () => {
        assert.equal((await run("exit 3", { input: "x".repeat(4_000_000) })).code, 3);
    });

    it("may print much", async () => {
        const { code, lines } = await run("seq 1 100000");
        assert.deepEqual([code, lines.length, lines.at(-1)], [0, 100_000, "100000"]);
    });

    it("says in a line that it does not exist, and returns 127", async () => {
        const { code, lines } = await run("", { program: join(folder.path, "gone"), args: [] });
        assert.equal(code, 127);
        assert.match(lines.join("\n"), /ENOENT/);
    });

    it("returns 128 if a signal ended it", async () => {
        assert.equal((await run("kill -9 $$")).code, 128);
    });

    it("leaves no process behind when it ends by itself", async () => {
        await run("sleep 60 & echo $! >background; exit 0");
        await untilGone(await pidIn("background"), 2000);
    });

    it("is not waited for by what it left behind in a session of its own, which holds its outputs", async () => {
        const began = Date.now();
        const { code, lines } = await run("setsid sleep 20 & echo $! >left; seq 1 20000; exit 3");
        assert.deepEqual([code, lines.at(-1)], [3, "20000"]);
        assert.ok(Date.now() - began < 10_000);
        process.kill(await pidIn("left"));
    });

    it("is told to end at an abort, and may end in order", async () => {
        const stop = new AbortController();
        const script = "trap 'echo ended in order; exit 5' TERM; echo $$ >pid; while :; do sleep 0.05; done";
        const ending = run(script, { signal: stop.signal });
        await pidIn("pid");
        stop.abort();
        const { code, lines } = await ending;
        assert.deepEqual([code, lines.at(-1)], [5, "ended in order"]);
    });

    it("is ended 5 seconds after an abort that it ignores, with all that it started", async () => {
        const stop = new AbortController();
        const script =
            "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >inner; sleep 61; sleep 61' & echo $$ >pid; sleep 62; sleep 62";
        const ending = run(script, { signal: stop.signal });
        const pids = [await pidIn("pid"), await pidIn("inner")];
        const began = Date.now();
        stop.abort();
        await ending;
        assert.ok(Date.now() - began >= 4500, "it had its 5 seconds");
        for (const pid of pids) await untilGone(pid, 2000);
    });

    it("ends at once if the run was stopped before", async () => {
        const began = Date.now();
        const { code } = await run("sleep 60", { signal: AbortSignal.abort() });
        assert.notEqual(code, 0);
        assert.ok(Date.now() - began < 5000);
    });

    it("ends with its parent, also if that is killed by kill -9", async () => {
        const parent = otherProcess(`
            const { runGuarded } = require("./provider/operation/hooks/guarded-child");
            runGuarded({
                program: "/bin/sh", args: ["-c", "echo $$ >pid; sleep 63; sleep 63"],
                cwd: ${JSON.stringify(folder.path)}, env: { PATH: process.env.PATH }, input: "",
                onLine() {}, signal: new AbortController().signal,
            });`);
        const pid = await pidIn("pid");
        assert.equal(runs(pid), true);
        parent.child.kill("SIGKILL");
        await untilGone(pid, 3000);
    });
});
