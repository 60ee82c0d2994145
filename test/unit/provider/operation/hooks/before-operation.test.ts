import assert from "node:assert/strict";
import { runFacts } from "../../../../../provider/contract/run-facts";
import { unknownValue } from "../../../../../provider/contract/values";
import { beforeOperation } from "../../../../../provider/operation/hooks/before-operation";
import { checkAs, checkedBefore, endRun, listener } from "../../support/cluster";
import { inputsOf } from "../../support/start-inputs";

const reach = { machines: { m1: { connection: { host: "10.0.0.11", user: "root" } } } };

describe("what the last operation has left", () => {
    afterEach(endRun);

    it("is what the program of this run has found in the state", () => {
        const context = listener();
        checkedBefore(context, { reach: JSON.stringify(reach), completed: 6 });
        assert.deepEqual(beforeOperation(context, "c0ffee"), {
            reach,
            completed: 6,
            endedHooks: [],
            ends: [],
            lost: [],
        });
    });

    it("is nothing for other clusters, other runs and new clusters", async () => {
        const nothing = { reach: { machines: {} }, completed: 0, endedHooks: [], ends: [], lost: [] };
        checkedBefore(listener(), { reach: JSON.stringify(reach), completed: 6 });
        assert.deepEqual(beforeOperation(listener(), "other"), nothing);
        await endRun();
        assert.deepEqual(beforeOperation(listener(), "c0ffee"), nothing);
        for (const unset of ["", unknownValue, undefined]) {
            checkedBefore(listener(), { reach: unset, completed: 0 });
            assert.deepEqual(beforeOperation(listener(), "c0ffee"), nothing, String(unset));
        }
        checkedBefore(listener(), unknownValue as never);
        assert.deepEqual(beforeOperation(listener(), "c0ffee"), nothing);
    });

    it("is stored nowhere: it has logins, and each run has its own", () => {
        const before = { reach: JSON.stringify(reach), completed: 6, endedHooks: [], ends: [], lost: [] };
        const { inputs } = checkAs("OperationStart", {}, { ...inputsOf(["m1"]), before }, listener());
        assert.equal("before" in inputs, false);
    });

    it("has servers as lost that this run's refresh did not find, of nodes that were finished", () => {
        const machine = (serverId: string) => ({ serverId, connection: { host: "10.0.0.11", user: "root" } });
        const machines = {
            w1: machine("a"),
            w2: machine("b"),
            m1: { connection: { host: "10.0.0.12", user: "root" } },
        };
        const context = listener();
        checkedBefore(context, { reach: JSON.stringify({ machines }), ends: ["w1", "w2", "m1"] });
        assert.deepEqual(beforeOperation(context, "c0ffee").lost, []);
        runFacts(context).seen.servers.set("c0ffee", new Set(["b", "c"]));
        assert.deepEqual(beforeOperation(context, "c0ffee").lost, ["w1"]);
        assert.deepEqual(beforeOperation(context, "other").lost, []);
    });
});
