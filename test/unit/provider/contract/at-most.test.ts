import assert from "node:assert/strict";
import { RunSession } from "../../../../provider/common/run-session";
import { atMost } from "../../../../provider/contract/at-most";

/** Jobs that end when the test says so. */
function jobs(count: number, afterFailure?: (error: unknown) => Error, signal?: AbortSignal) {
    const session = new RunSession();
    const running = new Map<string, { end: () => void; fail: (error: Error) => void }>();
    const waited: string[] = [];
    const start = (name: string, kind = "a") =>
        atMost(
            count,
            { session },
            kind,
            () =>
                new Promise<string>((resolve, fail) => running.set(name, { end: () => resolve(name), fail })).finally(
                    () => running.delete(name),
                ),
            { waiting: () => waited.push(name), afterFailure, signal },
        );
    return { start, running, waited, now: () => [...running.keys()] };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

describe("at most N jobs of one kind", () => {
    it("run at once, the others in the order of the calls", async () => {
        const { start, running, waited, now } = jobs(2);
        const ends = ["1", "2", "3", "4"].map(name => start(name));
        await settled();
        assert.deepEqual(
            [now(), waited],
            [
                ["1", "2"],
                ["3", "4"],
            ],
        );
        running.get("2")!.end();
        await settled();
        assert.deepEqual(now(), ["1", "3"]);
        // A call at the moment in which a place becomes free does not overtake the one that waits.
        running.get("1")!.end();
        ends.push(start("5"));
        await settled();
        assert.deepEqual(now(), ["3", "4"]);
        for (const name of ["3", "4", "5"]) {
            running.get(name)!.end();
            await settled();
        }
        assert.deepEqual(await Promise.all(ends), ["1", "2", "3", "4", "5"]);
        void start("6");
        await settled();
        assert.deepEqual(now(), ["6"], "a place that was given back is free");
    });

    it("do not hold up another kind", async () => {
        const { start, now } = jobs(1);
        void start("1");
        void start("2", "b");
        await settled();
        assert.deepEqual(now(), ["1", "2"]);
    });

    it("end when they have begun, but none begins after a failure, neither one that waits nor one that asks later", async () => {
        const first = new Error("first");
        const { start, running, now } = jobs(2, error => new Error(`not begun: ${(error as Error).message}`));
        const ends = ["1", "2", "3"].map(name => start(name));
        const outcome = Promise.allSettled(ends);
        await settled();
        running.get("1")!.fail(first);
        await settled();
        assert.deepEqual(now(), ["2"]);
        running.get("2")!.end();
        const reasons = (await outcome).map(end => (end.status === "rejected" ? end.reason.message : end.value));
        assert.deepEqual(reasons, ["first", "2", "not begun: first"]);
        await assert.rejects(start("4"), { message: "not begun: first" });
    });

    it("are told of the first failure, though a second one fails later", async () => {
        const { start, running } = jobs(2, error => new Error(`not begun: ${(error as Error).message}`));
        const outcome = Promise.allSettled(["1", "2"].map(name => start(name)));
        await settled();
        running.get("2")!.fail(new Error("two"));
        await settled();
        running.get("1")!.fail(new Error("one"));
        await outcome;
        await assert.rejects(start("3"), { message: "not begun: two" });
    });

    it("say that the run was cancelled, not that another one failed, if both are so", async () => {
        const stop = new AbortController();
        const { start, running } = jobs(1, () => new Error("not begun"), stop.signal);
        const outcome = Promise.allSettled(["1", "2"].map(name => start(name)));
        await settled();
        stop.abort(new Error("cancelled"));
        running.get("1")!.fail(new Error("cancelled"));
        const reasons = (await outcome).map(end => end.status === "rejected" && end.reason.message);
        assert.deepEqual(reasons, ["cancelled", "cancelled"]);
    });
});
