import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { abortOnSignals } from "../../../pipeline/signals";

describe("a process that is asked to end", () => {
    it("stops all its runs, also those that would begin later, and listens once", async () => {
        const before = process.listenerCount("SIGHUP");
        const first = abortOnSignals();
        for (let i = 0; i < 20; i++) assert.equal(abortOnSignals(), first);
        assert.equal(process.listenerCount("SIGHUP"), before + 1);
        const [listener] = process.listeners("SIGHUP").slice(-1);
        process.kill(process.pid, "SIGHUP");
        for (let i = 0; i < 100 && !first.aborted; i++) await sleep(10);
        assert.match(String(first.reason), /CANCELLED\n.*SIGHUP/);
        assert.equal(abortOnSignals().aborted, true);
        const killed: unknown[] = [];
        const { kill } = process;
        process.kill = (...args) => {
            killed.push(args);
            return true;
        };
        try {
            for (const wait of [0, 1100]) {
                await sleep(wait);
                listener!("SIGTERM");
                assert.equal(killed.length, wait === 0 ? 0 : 1, "one wish may come twice");
            }
        } finally {
            process.kill = kill;
        }
        assert.deepEqual(killed, [[process.pid, "SIGTERM"]]);
        for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(name, listener!);
    });
});
