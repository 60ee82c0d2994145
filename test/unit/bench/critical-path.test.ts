import assert from "node:assert/strict";
import { parseJournal } from "../../../bench/cluster/journal";
import { criticalPath, earliest, oneAfterAnother } from "../../../bench/critical-path";
import { kindOf, readRecordedSteps, recordedSeconds, recordingOf } from "../../../bench/recorded-steps";

const machine = (name: string) => ({ name, master: name.startsWith("m"), host: ["prepare"], node: ["join"] });
const cluster = (...names: string[]) => ({ machines: names.map(machine), network: ["network"], end: ["end"] });
const seconds = (times: Record<string, number>) => (name: string, step: string) =>
    times[`${name} ${step}`] ?? times[step] ?? 0;

describe("the critical path", () => {
    it("has one preparation, one join of each master, one of all workers, and the end", () => {
        const steps = cluster("m1", "m2", "m3", "w1", "w2");
        const times = seconds({ prepare: 10, join: 5, end: 2 });
        assert.equal(criticalPath(steps, times), 10 + 3 * 5 + 5 + 2);
        assert.equal(oneAfterAnother(steps, times), 5 * 15 + 2);
    });

    it("waits for a machine that is slow to prepare, where it is needed", () => {
        const steps = cluster("m1", "m2", "w1", "w2");
        assert.equal(criticalPath(steps, seconds({ "w2 prepare": 100, join: 5 })), 105);
        assert.equal(criticalPath(steps, seconds({ "m2 prepare": 50, join: 5 })), 50 + 3 * 5);
    });

    it("begins with each machine when it arrives, and tells when each part is done", () => {
        const steps = cluster("m1", "m2", "w1");
        const arrival = (name: string) => ({ m1: 20, m2: 30, w1: 60 })[name]!;
        const times = seconds({ prepare: 10, join: 5, network: 1, end: 2 });
        const expected = { mastersPrepared: 40, firstMaster: 45, masters: 50, workers: 75, end: 77 };
        assert.deepEqual(earliest(steps, times, arrival), expected);
    });

    it("waits for the pod network only if it lasts longer than everything else", () => {
        const steps = cluster("m1", "m2", "w1");
        assert.equal(criticalPath(steps, seconds({ join: 5, network: 3 })), 15);
        assert.equal(criticalPath(steps, seconds({ join: 5, network: 30, end: 1 })), 36);
    });
});

describe("recorded steps", () => {
    it("knows who initialises the cluster and who joins", () => {
        assert.deepEqual(["m1", "m2", "w1"].map(kindOf), ["first", "master", "worker"]);
    });

    it("reads the seconds of a node's journal", () => {
        const text =
            "cluster.join 0123456789ab 2026-01-01T00:00:00Z 17\nnode.keys ba9876543210 2026-01-01T00:00:00Z 0\n*\n";
        assert.deepEqual(parseJournal(text), { "cluster.join": 17, "node.keys": 0 });
    });

    it("takes the median of machines of one kind and drops what took no time", () => {
        const journals = { m1: { a: 9 }, w1: { a: 1, b: 0 }, w2: { a: 3, b: 0 }, w3: { a: 50, b: 0 } };
        const recorded = recordingOf(journals, "test");
        assert.deepEqual(recorded.seconds, { first: { a: 9 }, master: {}, worker: { a: 3 } });
        assert.equal(recordedSeconds(recorded)("w7", "a"), 3);
        assert.equal(recordedSeconds(recorded)("w7", "b"), 0);
    });

    it("says in the recording where it is from", () => {
        const recorded = readRecordedSteps("image");
        assert.ok(recorded.source.length > 20);
        assert.ok(recordedSeconds(recorded)("m1", "cluster.join") > 0);
    });
});
