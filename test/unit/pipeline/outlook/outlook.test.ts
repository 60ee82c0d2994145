import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { changedInTurn, instantiated, planOfFleet } from "../../../../bench/simulation/run-events";
import { markdownReport, type Plan } from "../../../../pipeline";
import { type Durations, median, noDurations, withRun } from "../../../../pipeline/outlook/durations";
import { readDurations, writeDurations } from "../../../../pipeline/outlook/durations-file";
import { aboutSeconds, withEstimate } from "../../../../pipeline/outlook/estimate";
import { timelineOf } from "../../../../pipeline/timeline/timeline";

const recorded = (events: Parameters<typeof timelineOf>[0], former: Durations = noDurations) =>
    withRun(former, timelineOf(events));
const changing = (workers: number): Plan => planOfFleet({ masters: 1, workers }, "changes");

describe("how long a run usually takes", () => {
    it("is not said where nothing, or not all of it, is recorded", () => {
        const plan = changing(4);
        assert.deepEqual(withEstimate(plan, noDurations), plan);
        const known = recorded(changedInTurn({ masters: 1, workers: 4 }, 2));
        const other = {
            ...plan,
            nodes: plan.nodes.map(node => ({ ...node, steps: [{ title: "another step", fingerprint: "a" }] })),
        };
        const { estimate, nodes, lastRun } = withEstimate(other, known);
        assert.equal(estimate, undefined);
        assert.ok(lastRun !== undefined && nodes.every(({ usualSeconds }) => usualSeconds === undefined));
        assert.equal(
            withEstimate({ ...plan, operations: [{ ...plan.operations[0]!, continues: true }] }, known).estimate,
            undefined,
        );
    });

    it("is that of the same run, and grows with nodes that take turns as many at once as were seen", () => {
        const known = recorded(changedInTurn({ masters: 1, workers: 4 }, 2));
        assert.deepEqual(withEstimate(changing(4), known).estimate, { seconds: 27, runs: 1 });
        assert.deepEqual(withEstimate(changing(8), known).estimate, { seconds: 47, runs: 1 });
        assert.equal(withEstimate(changing(8), known, 1).estimate!.seconds, 87);
        assert.deepEqual(withEstimate(changing(4), known).nodes[0]!.usualSeconds, 10);
    });

    it("is not said of more nodes than were seen at once where none had to wait", () => {
        const known = recorded(changedInTurn({ masters: 1, workers: 4 }, 4));
        assert.equal(withEstimate(changing(3), known).estimate!.seconds, 17);
        assert.equal(withEstimate(changing(8), known).estimate, undefined);
    });

    it("of a new cluster: machines at once, control-plane nodes one after another, then workers", () => {
        const [small, large] = [
            { masters: 3, workers: 2 },
            { masters: 3, workers: 9 },
        ];
        const known = recorded(instantiated(small));
        const took = timelineOf(instantiated(small)).seconds;
        const [same, more] = [small, large].map(fleet => withEstimate(planOfFleet(fleet), known).estimate!.seconds);
        // The first control-plane node takes another time than the others, of which the median is taken.
        assert.ok(Math.abs(same! - took) <= 5, `${same} ${took}`);
        assert.equal(more, same);
    });

    it("is the median of the last runs, so one slow run changes little; what is kept has bounds", () => {
        let known = noDurations;
        for (const seconds of [10, 10, 11, 300, 9, 10])
            known = recorded(changedInTurn({ masters: 1, workers: 2 }, 1, seconds), known);
        assert.equal(withEstimate(changing(2), known).nodes[0]!.usualSeconds, 10);
        for (let i = 0; i < 60; i++) known = recorded(changedInTurn({ masters: 1, workers: 2 }, 1, 20), known);
        assert.ok(Object.values(known.seconds).every(times => times.length <= 9));
        assert.ok(JSON.stringify(recorded(instantiated({ masters: 5, workers: 1500 }))).length < 100_000);
    });

    it("is learned from no run that failed", () => {
        const failed = instantiated({ masters: 1, workers: 2, failing: { node: "w1", text: "no" } });
        assert.equal(recorded(failed), noDurations);
    });

    it("does not change the plan's hash, and is shown in the report for a pull request", () => {
        const known = recorded(changedInTurn({ masters: 1, workers: 4 }, 2));
        const plan = {
            ...withEstimate(changing(4), known),
            service: { core: { api: "available" as const, podsMoveFrom: [] } },
        };
        assert.equal(plan.hash, changing(4).hash);
        const text = markdownReport([{ type: "plan", time: "2026-11-27T08:00:00.000Z", plan }]);
        assert.match(text, /core: about 25 s; API of the cluster available throughout; no pod moves\n/);
        assert.match(text, /\| disruptive \| usual duration \|[\s\S]*\| about 10 s \|/);
    });

    it("is rounded as far as it is known", () => {
        assert.deepEqual([3, 27, 56, 245, 1500, 9000].map(aboutSeconds), [
            "about 5 s",
            "about 25 s",
            "about 1 min",
            "about 4 min",
            "about 25 min",
            "about 2.5 h",
        ]);
        assert.deepEqual([median([]), median([3, 1, 2]), median([4, 1])], [undefined, 2, 2.5]);
    });
});

describe("the file of durations", () => {
    let folder = "";
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-durations-"));
    });
    after(() => rmSync(folder, { recursive: true }));

    it("is read as it was written, and leaves no draft", () => {
        const known = recorded(instantiated({ masters: 1, workers: 2 }));
        writeDurations(join(folder, "runs", "a.json"), known);
        assert.deepEqual(readDurations(join(folder, "runs", "a.json")), known);
        assert.deepEqual(readdirSync(join(folder, "runs")), ["a.json"]);
    });

    it("counts as empty if it is missing or is no such file", () => {
        assert.deepEqual(readDurations(join(folder, "none")), noDurations);
        fc.assert(
            fc.property(fc.oneof(fc.string(), fc.json(), fc.constant('{"version":1,"seconds":{"a":["x"]}}')), text => {
                writeFileSync(join(folder, "b"), text);
                assert.deepEqual(readDurations(join(folder, "b")), noDurations);
            }),
            { numRuns: 50 },
        );
    });
});
