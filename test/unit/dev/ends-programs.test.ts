import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startOfProcess } from "../../../provider/common/process-start";
import { projectRoot } from "../../support/user-project";

const file = (name: string) => JSON.stringify(join(projectRoot, "dev", name));

describe("a process of tests that gets SIGTERM", () => {
    let own: ChildProcess | undefined;
    const pids: number[] = [];
    afterEach(() => {
        for (const pid of pids.splice(0)) if (startOfProcess(pid) !== undefined) process.kill(pid, "SIGKILL");
        own?.kill("SIGKILL");
    });

    /** Starts a process with these programs in the background. Each prints its own pid and that of a program of its own. Returns these pids. */
    async function starts(head: string, programs: { script: string; detached?: boolean }[]): Promise<number[][]> {
        const code = `${head}
            const { spawn } = require("node:child_process");
            for (const { script, detached } of ${JSON.stringify(programs)}) {
                const child = spawn("sh", ["-c", script], { detached, stdio: ["ignore", "pipe", "inherit"] });
                child.stdout.once("data", data => console.log(String(child.pid), String(data).trim()));
            }
            setInterval(() => {}, 1000);`;
        own = spawn(process.execPath, ["--require", "tsx/cjs", "--eval", code], {
            cwd: projectRoot,
            stdio: ["ignore", "pipe", "inherit"],
        });
        const said: number[][] = [];
        for await (const line of createInterface({ input: own.stdout! }))
            if (said.push(line.split(" ").map(Number)) === programs.length) break;
        // The first program comes first, whichever has printed first.
        said.sort(([one = 0], [other = 0]) => one - other);
        pids.push(...said.flat());
        return said;
    }
    const running = () => pids.filter(pid => startOfProcess(pid) !== undefined);

    it("ends the programs of its story and what these have started, then itself, and no lab node", async () => {
        const script = "sleep 300 & echo $!; wait";
        const programs = [{ script }, { script, detached: true }];
        const [story, node] = await starts(`require(${file("ends-programs")});`, programs);
        assert.deepEqual(running(), [...story!, ...node!]);
        own!.kill("SIGTERM");
        assert.deepEqual(await once(own!, "exit"), [null, "SIGTERM"]);
        assert.deepEqual(running(), node);
    });

    it("kills after a while what does not end by itself, also where its parent has ended", async () => {
        const stubborn = `trap "" TERM; sleep 300 & echo $!; while :; do wait; sleep 1; done`;
        const orphan = `(trap "" TERM; exec sleep 300) & echo $!; wait`;
        const head = `process.once("SIGTERM", () => require(${file("process-tree")}).endPrograms(process.pid, 0.5));`;
        await starts(head, [{ script: stubborn }, { script: orphan }]);
        assert.equal(running().length, 4);
        own!.kill("SIGTERM");
        for (let turn = 0; turn < 100 && running().length > 0; turn++)
            await new Promise(resolve => setTimeout(resolve, 50));
        assert.deepEqual(running(), []);
        assert.equal(own!.exitCode ?? own!.signalCode, null, "the process itself goes on");
    });
});
