import { strict as assert } from "node:assert";
import { existsSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lockTimes, withLock } from "../../../tools/lock";
import { scratch } from "./scratch";

/** Work that counts how often it runs at the same time. */
function counted() {
    let inside = 0;
    let most = 0;
    const work = async () => {
        inside += 1;
        most = Math.max(most, inside);
        await sleep(20);
        inside -= 1;
    };
    return { work, most: () => most };
}

describe("a lock file", () => {
    const { folder } = scratch();
    const path = () => join(folder(), "lock");
    const quiet = () => {};
    const { beatMilliseconds } = lockTimes;
    before(() => {
        lockTimes.beatMilliseconds = 20;
    });
    after(() => {
        lockTimes.beatMilliseconds = beatMilliseconds;
    });

    it("lets one at a time in, and is gone afterwards", async () => {
        const { work, most } = counted();
        await Promise.all([1, 2, 3].map(() => withLock(path(), quiet, work)));
        assert.equal(most(), 1);
        assert.equal(existsSync(path()), false);
    });

    it("is gone after work that failed", async () => {
        await assert.rejects(
            withLock(path(), quiet, async () => {
                throw new Error("no");
            }),
        );
        assert.equal(existsSync(path()), false);
    });

    for (const [holder, text] of Object.entries({
        "a process that died": "4194305 123 abc",
        "a process whose number another has now": `${process.pid} 1 abc`,
        "nobody, as the file is empty": "",
    })) {
        it(`is taken over from ${holder}`, async () => {
            writeFileSync(path(), text);
            assert.equal(await withLock(path(), quiet, async () => "done"), "done");
        });
    }

    it("of another container is taken over only without a sign of life: its pids say nothing here", async () => {
        writeFileSync(path(), "4194305 123 boot/pid:[1] abc");
        const waits = async () => {
            const refuse = (pid: string) => {
                throw new Error(`held by ${pid}`);
            };
            await withLock(path(), refuse, async () => {});
        };
        await assert.rejects(waits(), /held by 4194305/);
        const before = new Date(Date.now() - 3_600_000);
        utimesSync(path(), before, before);
        await waits();
        assert.equal(existsSync(path()), false);
    });

    it("that another has taken over meanwhile is not touched and not removed, and the work is told to stop", async () => {
        const before = new Date(Date.now() - 30_000);
        const other = "1 2 boot/pid:[1] other";
        await withLock(path(), quiet, async ({ lost, isOurs }) => {
            assert.equal(isOurs(), true);
            // as another container does, for which this process was silent for too long
            writeFileSync(`${path()}.other`, other);
            utimesSync(`${path()}.other`, before, before);
            renameSync(`${path()}.other`, path());
            assert.equal(isOurs(), false);
            const end = Date.now() + 10_000;
            while (!lost.aborted && Date.now() < end) await sleep(10);
            assert.match(lost.reason.message, /taken over/);
        });
        assert.equal(readFileSync(path(), "utf8"), other);
        assert.equal(Math.round(statSync(path()).mtimeMs), before.getTime());
    });

    it("of a process that works shows a sign of life", async () => {
        await withLock(path(), quiet, async () => {
            const before = new Date(Date.now() - 30_000);
            utimesSync(path(), before, before);
            const end = Date.now() + 10_000;
            while (statSync(path()).mtimeMs <= before.getTime() && Date.now() < end) await sleep(10);
            assert.ok(statSync(path()).mtimeMs > before.getTime());
        });
    });

    it("is taken over by one only, when several find it stale", async () => {
        writeFileSync(path(), "4194305 123 abc");
        const { work, most } = counted();
        await Promise.all(Array.from({ length: 8 }, () => withLock(path(), quiet, work)));
        assert.equal(most(), 1);
    });
});
