import assert from "node:assert/strict";
import { type ClusterKeysInputs, clusterKeys } from "../../../../provider/cluster/cluster-keys";
import { unknownValue } from "../../../../provider/common/unknown-value";
import { listener } from "../support/cluster";

const inputs = (changes: Partial<ClusterKeysInputs> = {}): ClusterKeysInputs => ({
    clusterId: "core-1a2b3c4d",
    ...changes,
});
const reasons = (olds: Partial<ClusterKeysInputs>, news: ClusterKeysInputs) =>
    (clusterKeys.check(olds, news).failures ?? []).map(({ reason }) => reason);

describe("the keys of a cluster", () => {
    it("stay the same whatever else changes; another generation is an update, never a replacement", async () => {
        const { id, outs } = await clusterKeys.create(inputs(), listener());
        assert.deepEqual(clusterKeys.diff(id, outs, inputs()), { changes: false });
        assert.deepEqual(clusterKeys.diff(id, outs, inputs({ generation: 0, validDays: 5 })), { changes: false });
        assert.deepEqual(clusterKeys.diff(id, outs, inputs({ generation: 1 })), { changes: true });
        assert.deepEqual((await clusterKeys.read(id, outs, listener())).props, outs);
    });

    it("keep the former ones, and only these, when they change", async () => {
        const { id, outs: first } = await clusterKeys.create(inputs(), listener());
        assert.equal(first.keys.previous, undefined);
        const { outs: second } = await clusterKeys.update(id, first, inputs({ generation: 1 }), listener());
        assert.deepEqual(second.keys.previous, first.keys.current);
        assert.deepEqual(second.certificates.previous, first.certificates.current);
        assert.notEqual(second.keys.current.caKey, first.keys.current.caKey);
        const { outs: third } = await clusterKeys.update(id, second, inputs({ generation: 2 }), listener());
        assert.deepEqual(third.keys.previous, second.keys.current);
        assert.ok(!JSON.stringify(third).includes(JSON.stringify(first.keys.current.caKey)));
    });

    it("are those of one cluster: another id is refused, one that is not known yet is not", () => {
        assert.deepEqual(reasons({}, inputs()), []);
        assert.deepEqual(reasons(inputs(), inputs({ clusterId: unknownValue })), []);
        assert.match(reasons(inputs(), inputs({ clusterId: "edge-1" }))[0]!, /keys of core-1a2b3c4d, .* of edge-1/);
    });

    it("are valid for a number of days, or refused", () => {
        assert.deepEqual(reasons({}, inputs({ validDays: 1 })), []);
        assert.match(reasons({}, inputs({ validDays: 0 }))[0]!, /must be a number of days, got 0/);
    });
});
