import assert from "node:assert/strict";
import { compare } from "../../../bench/harness";
import { changesOf, noChange, questionsOf, sideOf, urnOf } from "../../../bench/scale/changes";

describe("the changes of the bench scale", () => {
    const changes = changesOf(["m1", "m2", "m3"], ["w1", "w2"]);

    it("end where they began, so that a round can follow", () => {
        assert.deepEqual(
            changes.map(({ byHand, workers, replace }) => [...byHand, workers, replace]),
            [
                ["out", "w2", 1, undefined],
                ["in", "w2", 2, undefined],
                ["heal", "m3", 2, "m3"],
            ],
        );
    });

    it("are compared each with the same one by hand", () => {
        const [out] = changes;
        const samples = { [sideOf.ours(out!)]: [11, 22], [sideOf.byHand(out!)]: [10, 20] };
        const [, ofOut] = questionsOf(changes);
        const { ratio, met, n } = compare(samples, ofOut!);
        assert.deepEqual([ratio, met, n], [1.1, true, 2]);
    });

    it("have a run without a change before them, which has no goal", () => {
        const [nothing, ...others] = questionsOf(changes);
        assert.deepEqual([nothing!.ours, nothing!.goal], [noChange, undefined]);
        assert.equal(others.length, changes.length);
    });

    it("find the resource that is replaced by the node's exact name", () => {
        const urn = (type: string, name: string) =>
            `urn:pulumi:s::p::C$pulumi-nodejs:dynamic/nfv:${type}::core-${name}`;
        const resources = [urn("Host", "m3"), urn("Node", "m33"), urn("Node", "m3")].map(each => ({ urn: each }));
        const exported = JSON.stringify({ deployment: { resources } });
        assert.equal(urnOf(exported, "Node", "m3"), urn("Node", "m3"));
        assert.throws(() => urnOf(exported, "Node", "m4"), /no Node of m4/);
    });
});
