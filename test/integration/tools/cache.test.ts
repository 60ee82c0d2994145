import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryFolder, lookUp, obtain } from "../../../tools/cache";
import { packageRoot } from "../../../tools/settings";
import { scratch } from "../../unit/tools/scratch";

const request = { group: "tools", name: "thing", inputs: 1 };
const cacheModule = require.resolve("../../../tools/cache");

/** A process that writes half of the entry, reports it, and goes on after `milliseconds`. */
function builder(milliseconds: number) {
    const script = `
        const { obtain } = require(${JSON.stringify(cacheModule)});
        const { writeFileSync } = require("node:fs");
        obtain(${JSON.stringify(request)}, async folder => {
            writeFileSync(folder + "/program", "half");
            console.log("half");
            await new Promise(done => setTimeout(done, ${milliseconds}));
            writeFileSync(folder + "/program", "whole");
            return { by: "the other" };
        });`;
    return spawn(process.execPath, ["--require", "tsx/cjs", "--eval", script], {
        cwd: packageRoot(),
        stdio: ["ignore", "pipe", "inherit"],
    });
}

describe("the cache between processes", () => {
    scratch();
    const build = async (folder: string) => {
        writeFileSync(join(folder, "program"), "whole");
        return { by: "this one" };
    };

    it("takes over from a process that was killed in the middle, and cleans up after it", async () => {
        const child = builder(60_000);
        await once(child.stdout, "data");
        assert.equal(await lookUp(request), undefined);
        child.kill("SIGKILL");
        await once(child, "close");
        const entry = await obtain(request, build);
        assert.deepEqual(entry.notes, { by: "this one" });
        assert.equal(readFileSync(join(entry.folder, "program"), "utf8"), "whole");
        const parent = dirname(entryFolder(request));
        assert.deepEqual(readdirSync(parent), [entry.folder.slice(parent.length + 1)]);
    });

    it("waits for a process that is building, and uses what it built", async () => {
        const child = builder(1000);
        await once(child.stdout, "data");
        const lines: string[] = [];
        const entry = await obtain(request, build, line => lines.push(line));
        assert.deepEqual(entry.notes, { by: "the other" });
        assert.equal(readFileSync(join(entry.folder, "program"), "utf8"), "whole");
        assert.deepEqual(lines, [`thing: process ${child.pid} is making it, waiting`]);
        assert.ok(existsSync(entry.folder));
    });
});
