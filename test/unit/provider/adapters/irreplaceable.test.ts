import assert from "node:assert/strict";
import { check } from "../../../../provider";
import { isMemory } from "../../../../provider/adapters/irreplaceable";

const resourceUrn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/nfv:ClusterId::core";

describe("the memory of a cluster", () => {
    const inputs = { clusterName: "core", resourceUrn };

    it("is refused as a new one where the state has it: what comes of it, and the way out of a taint", async () => {
        const { failures } = await check("ClusterId", {}, { ...inputs, known: true });
        const reason = failures![0]!.reason;
        assert.match(reason, /ClusterId: INVALID_INPUT[\s\S]*cannot be replaced: it holds the cluster's id/);
        assert.ok(reason.includes(`pulumi state untaint '${resourceUrn}'`), reason);
    });

    it("is both the id and the keys: neither is replaced by --replace or a taint", async () => {
        for (const type of ["ClusterId", "ClusterKeys"]) {
            const { failures } = await check(type, {}, { ...inputs, clusterId: "core-1a2b3c4d", known: true });
            assert.match(failures![0]!.reason, new RegExp(`${type}: INVALID_INPUT[\\s\\S]*nothing was touched`));
        }
    });

    it("is made where the state has none, and kept where check is told what the state has; the mark goes no further", async () => {
        for (const [olds, known] of [
            [{}, false],
            [inputs, true],
            [inputs, false],
        ] as const) {
            const checked = await check("ClusterId", olds, { ...inputs, known });
            assert.deepEqual(checked.failures ?? [], []);
            assert.ok(!Object.hasOwn(checked.inputs, "known"));
        }
    });

    it("is no machine: a Host or Node may be replaced by name", () => {
        assert.deepEqual(["Host", "Node", "CnfObjects"].filter(isMemory), []);
    });
});
