import assert from "node:assert/strict";
import { lockedError } from "../../../../pipeline/report/failure";
import { type Here, holderOf, isAbandoned, locksIn, type Runner } from "../../../../pipeline/stack/stack-lock";

const printed = `error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.
  file:///x/locks/organization/fleet/dev/3a49.json?no_tmp_dir=true: created by root@vm (pid 10965) at 2026-11-27T04:48:24Z
  file:///x/locks/organization/fleet/dev/77.json: created by ci@other (pid 7) at 2026-11-27T04:50:00Z`;
const lock = { user: "root", host: "vm", pid: 10965, since: "2026-11-27T04:48:24Z" };

describe("the lock of a stack", () => {
    it("is read from what Pulumi prints", () => {
        assert.deepEqual(locksIn(printed), [
            lock,
            { user: "ci", host: "other", pid: 7, since: "2026-11-27T04:50:00Z" },
        ]);
        const blank = locksIn(printed.replace("ci@other", "CORP\\Jane Doe@site.org@other"))!.at(-1);
        assert.deepEqual([blank!.user, blank!.host, blank!.pid], ["CORP\\Jane Doe@site.org", "other", 7]);
        assert.deepEqual(locksIn("error: [409] Conflict: Another update is currently in progress."), []);
        assert.equal(locksIn("error: no stack named dev"), undefined);
    });

    const record: Runner = {
        ...{ host: "vm", boot: "b1", pidNamespace: "pid:[1]", operation: "up", since: "2026-11-27T04:48:20Z" },
        pulumi: { pid: 10965, started: "500" },
    };
    const here: Here = { host: "vm", boot: "b1", pidNamespace: "pid:[1]", startOf: () => undefined };
    const rows: [string, Partial<Here>, Runner | undefined, string][] = [
        ["process is gone", {}, record, "dead"],
        ["pid belongs to a younger process", { startOf: () => "900" }, record, "dead"],
        ["process runs", { startOf: () => "500" }, record, "alive"],
        ["run left no record here", {}, undefined, "unknown"],
        ["run had not started Pulumi", {}, { ...record, pulumi: undefined } as unknown as Runner, "unknown"],
        ["pid is not the recorded one", {}, { ...record, pulumi: { pid: 3, started: "1" } }, "unknown"],
        ["machine was started since, or is another one with this name", { boot: "b2" }, record, "unknown"],
        ["container is another one", { pidNamespace: "pid:[2]" }, record, "unknown"],
        ["machine has another name", { host: "vm2" }, record, "unknown"],
    ];
    for (const [what, machine, known, expected] of rows) {
        it(`whose ${what}: its holder is ${expected}`, () =>
            assert.equal(holderOf(lock, known, { ...here, ...machine }), expected));
    }

    it("is abandoned only if each holder is dead", () => {
        const other = { ...lock, pid: 7 };
        assert.equal(isAbandoned([lock, other], ["dead", "unknown"]), false);
        assert.equal(isAbandoned([], []), false);
        assert.equal(lockedError("dev", [lock], ["dead"]).code, "RUN_ABANDONED");
        assert.match(lockedError("dev", [lock], ["dead"]).message, /root@vm, process 10965, since[\s\S]*--take-over/);
        assert.equal(lockedError("dev", [lock], ["alive"]).code, "STACK_LOCKED");
        const twice = lockedError("dev", [lock, lock], ["alive", "alive"]).message;
        assert.equal(twice.match(/process 10965/g)?.length, 1, "Pulumi prints a lock more than once");
        assert.match(lockedError("dev", [], []).message, /dev is held by another run/);
    });
});
