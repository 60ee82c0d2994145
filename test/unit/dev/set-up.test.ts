import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../../dev/levels";
import { type SetUp, SetUpFailed, type SetUpName, withSetUp } from "../../../dev/set-up";
import { startOfProcess } from "../../../provider/common/process-start";
import { scratch } from "../tools/scratch";

describe("the set-up of a level", () => {
    let log: string[];
    const makes = (name: string): SetUp => ({
        make: async () => void log.push(`make ${name}`),
        start: async () => async () => void log.push(`remove ${name}`),
    });
    const fails: SetUp = {
        make: async () => {
            throw new Error("no packages");
        },
    };
    const names: SetUpName[] = ["lab", "cloud"];
    const work = async () => void log.push("test");

    beforeEach(() => {
        log = [];
    });

    it("is made before the first test and removed after the last, the last one first", async () => {
        await withSetUp(names, work, { lab: makes("lab"), cloud: makes("cloud") });
        assert.deepEqual(log, ["make lab", "make cloud", "test", "remove cloud", "remove lab"]);
    });

    it("that fails runs no test, says which one and why, and removes what was made before it", async () => {
        await assert.rejects(
            withSetUp(names, work, { lab: makes("lab"), cloud: fails }),
            (error: Error) => error instanceof SetUpFailed && error.message === 'set-up "cloud" failed: no packages',
        );
        assert.deepEqual(log, ["make lab", "remove lab"]);
    });

    it("is removed, too, when the tests end with an error", async () => {
        const broken = () => Promise.reject(new Error("mocha"));
        await assert.rejects(withSetUp(names, broken, { lab: makes("lab"), cloud: makes("cloud") }), /mocha/);
        assert.deepEqual(log, ["make lab", "make cloud", "remove cloud", "remove lab"]);
    });
});

describe("a set-up that is made ahead", () => {
    const { folder } = scratch();

    it("ends with the process that wanted it, and the compilers with it", async () => {
        const file = join(projectRoot, "dev");
        const preload = join(folder(), "preload.cjs");
        const compiles = `require("node:child_process").spawn("sleep", ["100"]).pid`;
        const setUps = `require(${JSON.stringify(join(file, "set-up"))}).setUps`;
        writeFileSync(
            preload,
            `${setUps}.lab.make = async () => { console.log(${compiles}); await new Promise(() => {}); };`,
        );
        const argv = [
            "--require",
            require.resolve("tsx/cjs"),
            "--require",
            preload,
            join(file, "make-ahead.ts"),
            "lab",
        ];
        const child = spawn(process.execPath, argv, { detached: true, stdio: ["pipe", "pipe", "inherit"] });
        const [line] = await once(child.stdout, "data");
        const compiler = Number(String(line));
        assert.ok(startOfProcess(compiler));
        // What the kernel does when a process ends, whatever ended it.
        child.stdin.destroy();
        await once(child, "close");
        while (startOfProcess(compiler) !== undefined) await sleep(20);
    });
});
