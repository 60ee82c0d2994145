import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { PipelineEvent } from "../../../../pipeline";
import { Run } from "../../../../pipeline/operations/run";

const event = (text: string): PipelineEvent => ({ type: "message", time: "", severity: "info", text });

/** Tells one event now and one later, then ends. */
const telling = (error?: Error) => async (tell: (event: PipelineEvent) => void) => {
    tell(event("a"));
    await sleep(5);
    tell(event("b"));
    if (error) throw error;
    return 7;
};
const textsOf = async (run: Run<number>) => {
    const texts: string[] = [];
    for await (const each of run) if (each.type === "message") texts.push(each.text);
    return texts;
};

describe("a run", () => {
    it("tells each event to a loop, also to one that begins late, and has a result", async () => {
        const run = new Run(telling());
        assert.deepEqual(await textsOf(run), ["a", "b"]);
        assert.equal(await run, 7);
        assert.deepEqual(await textsOf(run), ["a", "b"]);
    });

    it("throws its error to who awaits it and to a loop, after the events", async () => {
        const run = new Run(telling(new Error("broken")));
        const seen: string[] = [];
        await assert.rejects(async () => {
            for await (const each of run) seen.push((each as { text: string }).text);
        }, /broken/);
        assert.deepEqual(seen, ["a", "b"]);
        await assert.rejects(Promise.resolve(run), /broken/);
        assert.equal(run.events.length, 2);
    });

    it("tells each event to a function as well; an error in that ends the run", async () => {
        const texts: PipelineEvent[] = [];
        await new Run(telling(), each => texts.push(each));
        assert.equal(texts.length, 2);
        const failing = new Run(telling(), () => {
            throw new Error("disk full");
        });
        await assert.rejects(Promise.resolve(failing), /disk full/);
    });
});
