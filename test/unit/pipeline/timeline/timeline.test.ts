import assert from "node:assert/strict";
import * as fc from "fast-check";
import { changedInTurn, instantiated } from "../../../../bench/simulation/run-events";
import type { PipelineEvent } from "../../../../pipeline";
import { criticalPath } from "../../../../pipeline/timeline/critical-path";
import { busySeconds, timelineOf } from "../../../../pipeline/timeline/timeline";
import { Waits, waitGroups } from "../../../../pipeline/timeline/waits";

const at = (seconds: number) => new Date(Date.parse("2026-11-27T08:00:00.000Z") + seconds * 1000).toISOString();
const node = (seconds: number, state: "begin" | "end" | "failed", name = "w1", cluster = "core"): PipelineEvent => ({
    ...{ type: "node", time: at(seconds), node: name, cluster, resource: "Node", act: "create", state },
});
const step = (seconds: number, title: string, name = "w1", cluster = "core"): PipelineEvent => ({
    ...{ type: "step", time: at(seconds), node: name, cluster, resource: "Node", step: title, number: 1, of: 2 },
});

describe("the timeline of a run", () => {
    it("has a bar for each step, from its begin to the begin of the next one or the end of the act", () => {
        const { rows, seconds } = timelineOf([
            node(0, "begin"),
            step(1, "a"),
            step(3, "a"),
            step(4, "b"),
            node(9, "end"),
        ]);
        const bars = rows[0]!.spans[0]!.bars.map(({ title, begin, end, outcome }) => [title, begin, end, outcome]);
        assert.deepEqual(bars, [
            ["a", 1, 4, "done"],
            ["b", 4, 9, "done"],
        ]);
        assert.equal(seconds, 9);
    });

    it("keeps nodes of the same name in two clusters apart", () => {
        const events = [
            node(0, "begin"),
            node(0, "begin", "w1", "edge"),
            step(1, "a", "w1", "edge"),
            node(2, "end"),
            node(5, "end", "w1", "edge"),
        ];
        const rows = timelineOf(events).rows.map(({ cluster, spans }) => [
            cluster,
            spans[0]!.end,
            spans[0]!.bars.length,
        ]);
        assert.deepEqual(rows, [
            ["core", 2, 0],
            ["edge", 5, 1],
        ]);
    });

    it("of a run that was killed says what was not finished", () => {
        const { result, rows } = timelineOf([node(0, "begin"), step(1, "a"), step(4, "b")]);
        assert.equal(result, "running");
        assert.deepEqual(
            rows[0]!.spans.map(({ outcome, bars }) => [outcome, bars.at(-1)!.outcome]),
            [["unfinished", "unfinished"]],
        );
    });

    it("marks the step that failed, not the one before", () => {
        const error: PipelineEvent = { type: "error", time: at(5), node: "w1", step: "b", text: "exit code 3" };
        const { rows, result } = timelineOf([node(0, "begin"), step(1, "a"), step(4, "b"), node(5, "failed"), error]);
        assert.equal(result, "failed");
        assert.deepEqual(
            rows[0]!.spans[0]!.bars.map(({ outcome }) => outcome),
            ["done", "failed"],
        );
        assert.equal(rows[0]!.errors.length, 1);
    });

    it("counts the last run of several", () => {
        const plan = instantiated({ masters: 1, workers: 1 });
        assert.equal(
            timelineOf([node(0, "begin", "old"), node(1, "end", "old"), ...plan]).rows.some(
                ({ name }) => name === "old",
            ),
            false,
        );
    });

    it("of a chain of upgrades has all of them", () => {
        const version = (number: number) =>
            ({
                type: "version",
                time: "2026-11-27T10:00:00.000Z",
                version: "1.34.4",
                number,
                of: 2,
                state: "begin",
            }) as const;
        const once = instantiated({ masters: 1, workers: 1 });
        const { rows } = timelineOf([node(0, "begin", "old"), version(1), ...once, version(2), ...once]);
        assert.deepEqual(
            rows.filter(({ isNode }) => isNode).map(({ name, spans }) => [name, spans.length]),
            timelineOf(once)
                .rows.filter(({ isNode }) => isNode)
                .map(({ name, spans }) => [name, 2 * spans.length]),
        );
    });

    it("begins when Pulumi did, and lasts as long as the terminal says", () => {
        const up = { type: "stage", time: at(4), stage: "up" } as const;
        const end = {
            type: "summary",
            time: at(60),
            preview: false,
            result: "succeeded",
            seconds: 54,
            changes: {},
        } as const;
        const late: PipelineEvent = { type: "message", time: at(63), severity: "warning", text: "not recorded" };
        const { began, seconds, rows } = timelineOf([up, node(10, "begin"), node(50, "end"), end, late]);
        assert.deepEqual([began, seconds, rows[0]!.spans[0]!.begin], [at(6), 54, 4]);
    });

    it("does not count the time in which a node waits for its turn", () => {
        const { rows } = timelineOf(changedInTurn({ masters: 1, workers: 4 }, 1));
        assert.deepEqual(
            rows.map(({ spans }) => busySeconds(spans[0]!)),
            [10, 10, 10, 10],
        );
    });
});

describe("what waited for what", () => {
    it("names for workers that join the last control-plane node, and for each control-plane node the one before it", () => {
        const timeline = timelineOf(instantiated({ masters: 3, workers: 2 }));
        const name = (key: string) => timeline.rows.find(row => row.key === key)!.name;
        const groups = waitGroups(new Waits(timeline).all()).map(group => [
            group.rows.map(name).sort().join(),
            name(group.for.row),
        ]);
        assert.deepEqual(groups.sort(), [
            ["m2,m3,w1,w2", "m1"],
            ["m3,w1,w2", "m2"],
            // Until the control plane's machines were prepared, and for its last node.
            ["w1,w2", "m1"],
            ["w1,w2", "m3"],
        ]);
    });

    it("ascribes no wait to an act that did not run that long", () => {
        const events = instantiated({ masters: 3, workers: 2 });
        const masters = (seconds: number, state: "begin" | "end"): PipelineEvent => ({
            ...{ type: "resource", name: "core", resource: "Masters", act: "create", state },
            time: new Date(Date.parse("2026-11-27T08:00:00.000Z") + seconds * 1000).toISOString(),
        });
        const begun = events.findIndex(({ type }) => type === "phase");
        const timeline = timelineOf([
            ...events.slice(0, begun),
            masters(7, "begin"),
            masters(9, "end"),
            ...events.slice(begun),
        ]);
        const all = [
            ...new Waits(timeline).all(),
            ...new Waits(timelineOf(changedInTurn({ masters: 1, workers: 6 }, 1))).all(),
        ];
        assert.ok(all.some(({ for: { resource } }) => resource === "Masters"));
        for (const { from, until, for: act } of all)
            assert.ok(
                until - from <= act.end - act.begin + 1,
                `${until - from} s for ${act.resource}, which ran ${act.end - act.begin} s`,
            );
    });

    it("names for a node that waits for its turn one that ended then", () => {
        const timeline = timelineOf(changedInTurn({ masters: 1, workers: 4 }, 2));
        const name = (key: string) => timeline.rows.find(row => row.key === key)!.name;
        const waits = new Waits(timeline)
            .all()
            .map(wait => [name(wait.row), name(wait.for.row), wait.until - wait.from]);
        assert.deepEqual(waits, [
            ["w3", "w1", 10],
            ["w4", "w1", 10],
        ]);
    });
});

describe("the critical path", () => {
    it("of a new cluster goes over the control-plane nodes to a worker", () => {
        const timeline = timelineOf(instantiated({ masters: 3, workers: 5, failing: { node: "w5", text: "no" } }));
        const name = (key: string) => timeline.rows.find(row => row.key === key)!.name;
        const path = criticalPath(timeline).map(({ span }) => `${name(span.row)} ${span.resource}`);
        assert.deepEqual(path.slice(1, 4), ["m1 Node", "m2 Node", "m3 Node"]);
        assert.match(path[0]!, /^m\d Host$/);
        assert.match(path.at(-1)!, /^w\d Node$/);
    });

    it("goes on before a resource of no phase by what ended when that began", () => {
        const timeline = timelineOf(instantiated({ masters: 1, workers: 1 }));
        const names = criticalPath(timeline).map(({ span }) => timeline.rows.find(row => row.key === span.row)!.name);
        assert.deepEqual(names, ["m1", "m1", "w1", "upf"]);
    });

    it("goes over the turns of a pool, without the time in which its nodes waited", () => {
        const path = criticalPath(timelineOf(changedInTurn({ masters: 1, workers: 6 }, 2)));
        assert.deepEqual(
            path.map(({ from, until }) => [from, until]),
            [
                [5, 15],
                [15, 25],
                [25, 35],
            ],
        );
    });

    it("never goes back in time, and ends, whatever the events are", () => {
        const event = fc.tuple(
            fc.nat(20),
            fc.constantFrom("begin", "end", "failed", "step", "wait"),
            fc.constantFrom("m1", "w1", "w2"),
        );
        fc.assert(
            fc.property(fc.array(event, { maxLength: 40 }), list => {
                const events = list.map(([seconds, kind, name]): PipelineEvent => {
                    if (kind === "step") return step(seconds, "a", name);
                    const waits = {
                        type: "progress",
                        time: at(seconds),
                        node: name,
                        cluster: "core",
                        resource: "Node",
                        text: "waits: its turn",
                    } as const;
                    return kind === "wait" ? waits : node(seconds, kind as "begin", name);
                });
                const path = criticalPath(timelineOf(events));
                for (const [i, { from, until }] of path.entries()) {
                    assert.ok(from <= until);
                    if (i > 0) assert.ok(path[i - 1]!.until <= from + 1);
                }
            }),
        );
    });
});
