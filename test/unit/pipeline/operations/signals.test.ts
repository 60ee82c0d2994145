import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { onEndOfNpm } from "../../../../pipeline/operations/signals";

/** The module as a process loads it first: another test file in this mocha process may have begun to listen already. */
function freshlyLoaded(): typeof import("../../../../pipeline/operations/signals") {
    const file = require.resolve("../../../../pipeline/operations/signals");
    const loaded = require.cache[file];
    delete require.cache[file];
    try {
        return require(file);
    } finally {
        require.cache[file] = loaded;
    }
}

describe("a process that is asked to end", () => {
    it("stops all its runs, also those that would begin later, and listens once", async () => {
        const { abortOnSignals } = freshlyLoaded();
        const others = process.listeners("SIGHUP"); // a run of another file must not take the signal below for its own
        for (const other of others) process.off("SIGHUP", other);
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
        for (const other of others) process.on("SIGHUP", other);
    });

    const starts: [string, Record<string, string>, number][] = [
        ["stops when npx or npm, which passes no signal on, has ended", { npm_lifecycle_event: "npx" }, 1],
        ["goes on where a parent ends that is not npm, such as the shell of nohup", {}, 0],
    ];
    for (const [what, env, times] of starts) {
        it(what, async () => {
            let [parent, ended] = [7, 0];
            onEndOfNpm(
                env,
                () => ended++,
                () => parent,
                2,
            );
            await sleep(15);
            assert.equal(ended, 0);
            parent = 1;
            await sleep(30);
            assert.equal(ended, times);
        });
    }
});
