import assert from "node:assert/strict";
import { check } from "../../../provider";
import { isMemory } from "../../../provider/irreplaceable";

const resourceUrn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/nfv:ClusterIdentity::core";

describe("the memory of a cluster", () => {
    const inputs = { clusterName: "core", resourceUrn };

    it("is refused as a new one where the state has it: what comes of it, and the way out of a taint", () => {
        const { failures } = check("ClusterIdentity", {}, { ...inputs, known: true });
        const reason = failures![0]!.reason;
        assert.match(reason, /ClusterIdentity: INVALID_INPUT[\s\S]*cannot be replaced: it holds the cluster's name/);
        assert.ok(reason.includes(`pulumi state untaint '${resourceUrn}'`), reason);
    });

    it("is made where the state has none, and kept where check is told what the state has; the mark goes no further", () => {
        for (const [olds, known] of [
            [{}, false],
            [inputs, true],
            [inputs, false],
        ] as const) {
            const checked = check("ClusterIdentity", olds, { ...inputs, known });
            assert.deepEqual(checked.failures ?? [], []);
            assert.ok(!Object.hasOwn(checked.inputs, "known"));
        }
    });

    it("is no machine: a Host or Node may be replaced by name", () => {
        assert.deepEqual(["Host", "Node", "CnfObjects"].filter(isMemory), []);
    });
});
