import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withMemoryFolder } from "../../../dev/memory-folder";

describe("the folder for temporary files of a level", () => {
    let place: string;
    beforeEach(() => {
        place = mkdtempSync(join(tmpdir(), "nfv-memory-"));
    });
    afterEach(() => rmSync(place, { recursive: true }));

    it("is empty, and goes with the level, also with one that breaks off", async () => {
        const folders: string[] = [];
        const look = (folder: string | undefined) => {
            folders.push(folder!);
            assert.deepEqual(readdirSync(folder!), []);
        };
        await withMemoryFolder(async folder => look(folder), place);
        const brokeOff = withMemoryFolder(async folder => {
            look(folder);
            throw new Error("broke off");
        }, place);
        await assert.rejects(brokeOff, /broke off/);
        assert.equal(new Set(folders).size, 2);
        assert.ok(!folders.some(existsSync));
    });

    it("is left out on a machine without such a place", async () => {
        assert.equal(await withMemoryFolder(async folder => folder, join(place, "none")), undefined);
    });
});
