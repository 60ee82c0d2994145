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
    it("stay the same whatever else changes", async () => {
        const { id, outs } = await clusterKeys.create(inputs(), listener());
        assert.deepEqual(clusterKeys.diff(id, outs, inputs()), { changes: false });
        assert.deepEqual(clusterKeys.diff(id, outs, inputs({ validDays: 5 })), { changes: false });
        assert.deepEqual((await clusterKeys.read(id, outs, listener())).props, outs);
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
