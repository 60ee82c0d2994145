import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { alone } from "../../../../pipeline/stack/own-lock";
import { lockTimes } from "../../../../tools/lock";

describe("the lock of a run on its machine", () => {
    const { beatMilliseconds } = lockTimes;
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-own-lock-"));
        lockTimes.beatMilliseconds = 20;
    });
    afterEach(() => {
        lockTimes.beatMilliseconds = beatMilliseconds;
        rmSync(folder, { recursive: true });
    });
    const of = (signal: AbortSignal) => ({ path: join(folder, "lock"), stack: "dev", signal });

    it("that another run has taken over stops this one, which leaves it to the other", async () => {
        await alone(of(new AbortController().signal), assert.fail, async lock => {
            lock.need();
            writeFileSync(join(folder, "other"), "another run");
            renameSync(join(folder, "other"), join(folder, "lock"));
            const refused = { code: "STACK_LOCKED", message: /dev: another run of this machine has taken over/ };
            assert.throws(() => lock.need(), refused);
            for (const end = Date.now() + 10_000; !lock.signal.aborted && Date.now() < end; ) await sleep(10);
            assert.throws(() => lock.signal.throwIfAborted(), refused);
        });
        assert.equal(readFileSync(join(folder, "lock"), "utf8"), "another run");
    });

    it("goes on with its signal where somebody stops the run", async () => {
        const stop = new AbortController();
        await alone(of(stop.signal), assert.fail, async lock => {
            stop.abort(new Error("asked"));
            assert.throws(() => lock.signal.throwIfAborted(), /asked/);
        });
    });
});
