import { strict as assert } from "node:assert";
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { entryFolder, lookUp, obtain } from "../../../tools/cache";
import { scratch } from "./scratch";

const request = { group: "tools", name: "thing", inputs: { version: 1 } };
/** Higher than the kernel's default maximum, so never a living process. */
const deadPid = 4_194_305;

describe("the cache", () => {
    scratch();
    let builds = 0;
    const build = async (folder: string) => {
        builds += 1;
        writeFileSync(join(folder, "program"), "0123456789");
        return { from: `build ${builds}` };
    };
    beforeEach(() => {
        builds = 0;
    });

    it("builds once and then finds what was built, with its notes", async () => {
        const first = await obtain(request, build);
        const second = await obtain(request, build);
        assert.deepEqual(second, first);
        assert.deepEqual(second.notes, { from: "build 1" });
        assert.equal(builds, 1);
    });

    it("keeps entries with other inputs apart", async () => {
        const one = await obtain(request, build);
        const two = await obtain({ ...request, inputs: { version: 2 } }, build);
        assert.notEqual(one.folder, two.folder);
        assert.equal(builds, 2);
    });

    it("keeps nothing of a build that failed", async () => {
        const failing = async (folder: string) => {
            writeFileSync(join(folder, "program"), "half");
            throw new Error("disk full");
        };
        await assert.rejects(obtain(request, failing), /disk full/);
        assert.equal(await lookUp(request), undefined);
        assert.deepEqual(readdirSync(dirname(entryFolder(request))), []);
    });

    it("does not take a folder without its stamp for an entry", async () => {
        mkdirSync(entryFolder(request), { recursive: true });
        writeFileSync(join(entryFolder(request), "program"), "half");
        const entry = await obtain(request, build);
        assert.equal(readFileSync(join(entry.folder, "program"), "utf8"), "0123456789");
    });

    for (const [damage, act] of Object.entries({
        "was cut short": (path: string) => truncateSync(path, 4),
        "is gone": (path: string) => rmSync(path),
    })) {
        it(`makes an entry anew of which a file ${damage}`, async () => {
            const { folder } = await obtain(request, build);
            act(join(folder, "program"));
            assert.equal(await lookUp(request), undefined);
            await obtain(request, build);
            assert.equal(readFileSync(join(folder, "program"), "utf8"), "0123456789");
            assert.equal(builds, 2);
        });
    }

    it("makes an entry anew whose stamp is damaged", async () => {
        const { folder } = await obtain(request, build);
        writeFileSync(join(folder, ".complete.json"), '{"notes":');
        await obtain(request, build);
        assert.equal(builds, 2);
    });

    it("removes the drafts of the entry that died with their process, and no other entry's", async () => {
        const [own, parent] = [basename(entryFolder(request)), dirname(entryFolder(request))];
        const others = [
            `.draft-${basename(entryFolder({ ...request, inputs: {} }))}.abcdef`,
            `.draft-${basename(entryFolder({ ...request, name: "thing-more" }))}.abcdef`,
            `.draft-${own}.more-0123456789abcdef.abcdef`,
        ];
        for (const name of [`.draft-${own}.abcdef`, ...others]) mkdirSync(join(parent, name), { recursive: true });
        await obtain(request, build);
        assert.deepEqual(readdirSync(parent).sort(), [...others, own].sort());
    });

    it("leaves the drafts of builds that run at the same time alone, also of tools whose names begin alike", async () => {
        const slow = async (folder: string) => {
            writeFileSync(join(folder, "part"), "x");
            await sleep(200);
            readFileSync(join(folder, "part"));
            return build(folder);
        };
        const all = [
            obtain({ ...request, name: "pulumi-resource-kubernetes" }, slow),
            obtain({ ...request, name: "pulumi", inputs: {} }, slow),
            sleep(50).then(() => obtain({ ...request, name: "pulumi" }, build)),
        ];
        await Promise.all(all);
        assert.equal(builds, 3);
    });

    it("leaves the entry to the process that has taken the lock over meanwhile", async () => {
        const lock = `${entryFolder(request)}.lock`;
        const overtaken = async (folder: string) => {
            const notes = await build(folder);
            if (builds > 1) return notes;
            // A container was paused; another one has taken the lock, made the entry and is done.
            writeFileSync(lock, `${deadPid} 1 elsewhere 0`);
            rmSync(folder, { recursive: true });
            setTimeout(() => rmSync(lock), 100);
            return notes;
        };
        assert.deepEqual((await obtain(request, overtaken)).notes, { from: "build 2" });
    });

    it("builds once when several want the same at once, and tells the others why they wait", async () => {
        const slow = async (folder: string) => {
            await sleep(100);
            return build(folder);
        };
        const lines: string[] = [];
        const all = await Promise.all([1, 2, 3].map(() => obtain(request, slow, line => lines.push(line))));
        assert.equal(builds, 1);
        assert.equal(new Set(all.map(entry => entry.folder)).size, 1);
        assert.ok(lines.some(line => line.includes(`process ${process.pid} is making it`)));
    });
});
