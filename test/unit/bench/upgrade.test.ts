import assert from "node:assert/strict";
import { actsIn, commandsIn } from "../../../bench/upgrade/durations";
import { byHandCommands, stagingSeconds, unavoidable } from "../../../bench/upgrade/path";

const line = (at: number, what: string) => `${at.toFixed(6)} m1 nfv-batch[7]: nfv-step-${what} begins`;

describe("the pure parts of bench/upgrade", () => {
    it("takes a part of a move from its beginning to that of the next one, on whichever machine", () => {
        const journals = {
            m1: [line(100, "upgrade.note"), line(101.5, "upgrade.end"), line(103, "node.drain for w1")].join("\n"),
            w1: [line(102, "upgrade.note"), line(110.25, "upgrade.kubelet"), line(112, "upgrade.end")].join("\n"),
        };
        assert.deepEqual(actsIn(journals), {
            m1: { "upgrade.note": 1.5 },
            w1: { "upgrade.note": 1, "node.drain": 7.25, "upgrade.kubelet": 1.75 },
        });
    });

    it("leaves out what a node does before its move, and what the cluster does behind it: both wait for others", () => {
        const text = [
            line(1, "host.images"),
            line(5, "node.labels"),
            line(50, "upgrade.note"),
            line(51, "upgrade.end"),
            line(51.25, "node.control-plane-settings"),
            line(90, "node.labels"),
            line(99, "cluster.coredns"),
        ];
        assert.deepEqual(actsIn({ m1: text.join("\n") }), { m1: { "upgrade.note": 1, "upgrade.end": 0.25 } });
    });

    it("reads what the commands by hand took, by node, in their order", () => {
        assert.deepEqual(commandsIn("m1 plan 1500e-3\nm1 apply 20123e-3\nw1 drain 7e-3\n\n"), {
            m1: { plan: 1.5, apply: 20.12 },
            w1: { drain: 0.01 },
        });
    });

    const stages = { first: 12, master: 11, worker: 5 };
    const moves = { first: { a: 30, b: 1 }, master: { a: 20 }, worker: { a: 10 } };

    it("adds what cannot be avoided: the longest staging, each control-plane node, workers in as many turns as it takes", () => {
        const of = (atOnce: number) => unavoidable({ masters: 3, workers: 5, atOnce }, stages, moves);
        assert.deepEqual([of(1), of(2), of(5)], [12 + 71 + 50, 12 + 71 + 30, 12 + 71 + 10]);
    });

    it("has a person stage and move each node before the next one", () => {
        assert.deepEqual(byHandCommands({ masters: 2, workers: 1 }, stages, moves), [
            ["m1", "stage", 12],
            ["m1", "a", 30],
            ["m1", "b", 1],
            ["m2", "stage", 11],
            ["m2", "a", 20],
            ["w1", "stage", 5],
            ["w1", "a", 10],
        ]);
    });

    it("counts as staging what puts a version on a machine, and nothing else of a recording", () => {
        const seconds = { "host.images": 10, "host.kubernetes-binaries": 2, "host.container-runtime": 13 };
        const all = { first: seconds, master: seconds, worker: {} };
        assert.deepEqual(stagingSeconds({ seconds: all }), { first: 12, master: 12, worker: 0 });
    });
});
