import assert from "node:assert/strict";
import { findings } from "../../../../provider/health/findings";
import { type Found, nodesToHeal, verdictOn } from "../../../../tools/check/verdict";

describe("what a pipeline should do about a cluster", () => {
    const healable = (node: string): Found => ({ node, code: "kubelet-stopped", text: "t", up: "starts it again" });
    const drifted = (node: string): Found => ({ node, code: "drift", text: "t", up: "puts it back" });
    const hopeless = (node: string): Found => ({ node, code: "disk-full", text: "t", person: "free the disk" });
    const unknown = (node: string): Found => ({ node, code: "unknown", text: "t", person: "look why" });
    const gone = (node: string): Found => ({ node, code: "server-gone", text: "t", up: "replaces it" });
    const limits = { atMost: 2, share: 0.34 };

    const table: [promise: string, found: Found[], nodes: number, name: string, exitCode: number, reason: RegExp][] = [
        ["nothing", [], 6, "healthy", 0, /nothing was found/],
        ["heal", [healable("w1")], 6, "heal", 20, /heals 1 of 6 \(w1\)/],
        ["heal as many as allowed", [healable("w1"), healable("w2")], 6, "heal", 20, /2 of 6/],
        ["count a node once", [healable("w1"), healable("w1")], 3, "heal", 20, /1 of 3 \(w1\)/],
        [
            "not more than the share",
            [healable("w1"), healable("w2")],
            5,
            "too many",
            21,
            /would heal 2 of 5 \(w1, w2\), but --share 0.34 allows 1$/,
        ],
        ["not more than the number", ["w1", "w2", "w3"].map(healable), 99, "too many", 21, /but --at-most 2 allows 2$/],
        ["always one, in a small cluster, too", [healable("w1")], 2, "heal", 20, /1 of 2/],
        [
            "heal a broken node whatever has drifted",
            [healable("w1"), drifted("w2"), drifted("m1")],
            9,
            "heal",
            20,
            /1 of 9 \(w1\)/,
        ],
        ["put drift back where nothing is broken", [drifted("w1")], 9, "heal", 20, /1 of 9 \(w1\)/],
        ["put drift back of so many", ["w1", "w2", "w3"].map(drifted), 99, "too many", 21, /3 of 99/],
        ["call a person", [gone("w1"), hopeless("w2")], 9, "a person", 22, /does not heal 1 of 9 \(w2\)$/],
        [
            "say that it does not know",
            [unknown("w2")],
            9,
            "unknown",
            22,
            /not everything could be asked of 1 of 9 \(w2\)$/,
        ],
        ["call a person first", [unknown("w1"), hopeless("w2")], 9, "a person", 22, /1 of 9 \(w2\)$/],
        [
            "heal what is certain meanwhile",
            [healable("w1"), hopeless("w2")],
            9,
            "a person",
            22,
            /does not heal 1 of 9 \(w2\); nfv repair heals 1 of 9 \(w1\) meanwhile$/,
        ],
    ];
    for (const [promise, found, nodes, name, exitCode, reason] of table) {
        it(promise, () => {
            const verdict = verdictOn(found, nodes, limits);
            assert.deepEqual([verdict.name, verdict.exitCode], [name, exitCode]);
            assert.match(verdict.reason, reason);
        });
    }

    it("names the nodes that a repair brings back, without those that have only drifted", () => {
        assert.deepEqual(nodesToHeal([drifted("w2"), healable("w1"), drifted("w1"), hopeless("w3")]), ["w1"]);
    });

    it("beside what is in doubt heals services of nodes of which all is known, within the limits, and nothing else", () => {
        const heals = (...found: Found[]) => verdictOn(found, 9, limits).heals;
        const consequence = { node: "w1", code: "not-ready", text: "t" };
        assert.deepEqual(heals(healable("w1"), consequence, drifted("w1"), unknown("w2")), ["w1"]);
        assert.deepEqual(heals(healable("w1"), unknown("w1")), [], "the same node");
        assert.deepEqual(heals(healable("w1"), hopeless("w1")), [], "the same node");
        assert.deepEqual(heals(gone("w1"), unknown("w2")), [], "a new server");
        assert.deepEqual(heals(healable("w1"), gone("w1"), unknown("w2")), [], "a repair does all that a node needs");
        assert.deepEqual(heals(...["w1", "w2", "w3"].map(healable), unknown("w4")), [], "the limit");
        assert.deepEqual(heals(...["w1", "w2", "w3"].map(healable)), [], "too many");
        assert.deepEqual(heals(gone("w1")), ["w1"], "where nothing is in doubt");
    });

    it("heal nothing, if the limit says so", () => {
        const { exitCode, reason } = verdictOn([healable("w1")], 9, { atMost: 0, share: 1 });
        assert.equal(exitCode, 21);
        assert.match(reason, /but --at-most 0 allows none$/);
    });

    it("go by the cause where a node is only NotReady because of it", () => {
        const ready = { status: "Unknown", since: "2026-02-28T23:00:00Z" };
        const facts = { uptimeSeconds: 86_400, joined: true, runtime: "active", runtimeAnswers: true };
        const machine = { ...facts, kubelet: "inactive", disks: [], certificates: {}, pods: {} };
        const seen = (sight: object) => findings({ name: "w1", joined: true, node: { ready }, ...sight });
        const of = (sight: object) => seen(sight).map((each): Found => ({ node: "w1", ...each }));
        assert.deepEqual(
            of({ machine }).map(({ code }) => code),
            ["not-ready", "kubelet-stopped"],
        );
        assert.equal(verdictOn(of({ machine }), 9, limits).name, "heal");
        assert.equal(verdictOn(of({}), 9, limits).name, "a person");
        assert.equal(verdictOn([...of({ machine }), hopeless("w1")], 9, limits).name, "a person");
        assert.equal(verdictOn([{ node: "w1", code: "not-ready", text: "t" }], 9, limits).name, "a person");
    });
});
