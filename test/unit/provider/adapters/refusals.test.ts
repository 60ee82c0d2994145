import assert from "node:assert/strict";
import { serve } from "../../../../provider/adapters/serve";
import { operationStart } from "../../../../provider/cluster/operation-start";
import { NfvError } from "../../../../provider/common/errors";
import { RunSession } from "../../../../provider/common/run-session";
import type { CheckFailure } from "../../../../provider/contract/types";

describe("what check refuses", () => {
    const provider = () => serve(new RunSession(), { report: () => {}, warn: () => {}, note: () => {} });

    it("has an error code, as docs/errors.md promises: that of wrong inputs if the refusal says none", async () => {
        const [before, after] = [{ clusterId: "core-1" }, { clusterId: "core-2" }];
        const { failures } = await provider().check("ClusterKeys", before, after);
        assert.deepEqual(failures, [
            {
                property: "",
                reason: "INVALID_INPUT: clusterId: these are the keys of core-1, they cannot become those of core-2",
            },
        ]);
    });

    it("names no property to the engine, which would print its value: a hook's begins with the code, too", async () => {
        const { check, checkInCloud } = operationStart;
        const reason = new NfvError({ code: "INVALID_INPUT", cause: "hook dns: ./dns.ts cannot be loaded" }).message;
        Object.assign(operationStart, {
            check: (_: object, inputs: object) => ({ inputs }),
            checkInCloud: async () => ({ failures: [{ property: "hooks", reason }] }),
        });
        try {
            const { failures } = await provider().check("OperationStart", {}, {});
            assert.deepEqual(failures, [{ property: "", reason }]);
        } finally {
            Object.assign(operationStart, { check, checkInCloud });
        }
    });

    it("has its code once", async () => {
        const error = new NfvError({ code: "BUNDLE_INVALID", node: "core", cause: "a\nb" });
        for (const problems of [error.message, "INVALID_INPUT: a"]) {
            const { failures } = await provider().check("ClusterId", {}, { clusterName: "core", problems });
            assert.deepEqual(failures, [{ property: "", reason: problems }]);
        }
        const untold = "the masters cannot all be replaced\nlast seen: CONNECT_FAILED";
        const { failures } = await provider().check("ClusterId", {}, { clusterName: "core", problems: untold });
        assert.deepEqual(failures, [{ property: "", reason: `INVALID_INPUT: ${untold}` }]);
    });

    it("has a code, too, where the cloud or a cluster was asked", async () => {
        const { check, checkInCloud } = operationStart;
        const refused: CheckFailure[] = [{ property: "", reason: "the cloud says no" }];
        Object.assign(operationStart, {
            check: (_: object, inputs: object) => ({ inputs }),
            checkInCloud: async () => ({ failures: refused }),
        });
        try {
            const { failures } = await provider().check("OperationStart", {}, {});
            assert.deepEqual(failures, [{ property: "", reason: "INVALID_INPUT: the cloud says no" }]);
        } finally {
            Object.assign(operationStart, { check, checkInCloud });
        }
    });
});
