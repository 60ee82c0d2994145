import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation";
import { Engine, patience } from "../../../../pipeline/operations/engine";
import { acted } from "../engine-events";

type Given = { signal: AbortSignal; onEvent: (event: EngineEvent) => void };

/** A Pulumi that ends only by its signal, as one that was killed by it. */
function stackOf(begins: boolean): { stack: Stack; given: () => Given | undefined } {
    let given: Given | undefined;
    const up = (options: Given) =>
        new Promise((_, reject) => {
            given = options;
            const end = () => reject(new Error(begins ? "code: 255" : "Command was killed with SIGINT"));
            options.signal.addEventListener("abort", end);
        });
    const stack = {
        name: "dev",
        workspace: { envVars: {} },
        getAllConfig: async () => ({}),
        exportStack: async () => ({}),
        up,
    };
    return { stack: stack as unknown as Stack, given: () => given };
}

describe("an up that is stopped just as it begins", () => {
    const { stop } = patience;
    afterEach(() => {
        patience.stop = stop;
    });

    it("goes on to Pulumi's first event: before that Pulumi may have the lock, and would leave it", async () => {
        const { stack, given } = stackOf(true);
        const asked = new AbortController();
        const engine = await Engine.start(stack, () => {}, asked.signal);
        let isBegun = false;
        const outcome = engine.act({ destroys: false, refresh: false }, [], () => {
            isBegun = true;
        });
        await sleep(10);
        asked.abort();
        await sleep(50);
        assert.equal(given()!.signal.aborted, false);
        given()!.onEvent(acted("same", "OperationStart", "core"));
        const found = await outcome;
        assert.equal(isBegun, true);
        assert.ok(!("locks" in found) && found.error?.code === "CANCELLED" && !found.isKilled, JSON.stringify(found));
    });

    it("is stopped nevertheless where none comes; then it counts as killed, because it may have left the lock", async () => {
        patience.stop = 30;
        const { stack } = stackOf(false);
        const asked = new AbortController();
        const engine = await Engine.start(stack, () => {}, asked.signal);
        const outcome = engine.act({ destroys: false, refresh: false }, [], () => {});
        await sleep(10);
        asked.abort();
        const found = await outcome;
        assert.ok(!("locks" in found) && found.error?.code === "CANCELLED" && found.isKilled, JSON.stringify(found));
    });

    it("is stopped at its first event if its begin fails: the lock is another run's, or the configuration cannot be written", async () => {
        const { stack, given } = stackOf(true);
        const engine = await Engine.start(stack, () => {}, new AbortController().signal);
        let asked = 0;
        const outcome = engine.act({ destroys: false, refresh: false }, [], () => {
            asked++;
            throw new Error("EACCES: permission denied");
        });
        const failed = assert.rejects(outcome, /EACCES/);
        await sleep(10);
        for (const name of ["core", "edge"]) given()!.onEvent(acted("same", "OperationStart", name));
        assert.equal(given()!.signal.aborted, true, "the run goes on");
        assert.equal(asked, 1);
        await failed;
    });
});
