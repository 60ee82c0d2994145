import assert from "node:assert/strict";
import { runFacts } from "../../../../../provider/contract/run-facts";
import { unknownValue } from "../../../../../provider/contract/values";
import { beforeOperation, hookReach } from "../../../../../provider/operation/hooks/hook-reach";
import { checkAs, endRun, listener } from "../../support/cluster";

const reach = { machines: { m1: { connection: { host: "10.0.0.11", user: "root" } } } };

describe("how a cluster was reached before an operation", () => {
    afterEach(endRun);

    it("is told to the run by a check, and stored nowhere", () => {
        const context = listener();
        const news = { clusterId: "c0ffee", reach: JSON.stringify(reach), completed: 6 };
        const { inputs, failures } = checkAs("HookReach", {}, news, context);
        assert.deepEqual([inputs, failures], [{ clusterId: "c0ffee" }, []]);
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
        checkAs("HookReach", {}, { clusterId: "c0ffee", reach: JSON.stringify(reach), completed: 6 }, listener());
        assert.deepEqual(beforeOperation(listener(), "other"), nothing);
        await endRun();
        assert.deepEqual(beforeOperation(listener(), "c0ffee"), nothing);
        for (const unset of ["", unknownValue, undefined]) {
            checkAs("HookReach", {}, { clusterId: "c0ffee", reach: unset, completed: 0 }, listener());
            assert.deepEqual(beforeOperation(listener(), "c0ffee"), nothing, String(unset));
        }
    });

    it("knows servers as lost that this run's refresh did not find, of nodes that were finished", () => {
        const machine = (serverId: string) => ({ serverId, connection: { host: "10.0.0.11", user: "root" } });
        const machines = {
            w1: machine("a"),
            w2: machine("b"),
            m1: { connection: { host: "10.0.0.12", user: "root" } },
        };
        const news = { clusterId: "c0ffee", reach: JSON.stringify({ machines }), ends: ["w1", "w2", "m1"] };
        const context = listener();
        checkAs("HookReach", {}, news, context);
        assert.deepEqual(beforeOperation(context, "c0ffee").lost, []);
        runFacts(context).seen.servers.set("c0ffee", new Set(["b", "c"]));
        assert.deepEqual(beforeOperation(context, "c0ffee").lost, ["w1"]);
        assert.deepEqual(beforeOperation(context, "other").lost, []);
    });

    it("never changes, so a run without an operation has nothing to do", () => {
        const inputs = { clusterId: "c0ffee" };
        assert.deepEqual(hookReach.diff("id", inputs, inputs), { changes: false });
    });

    it("needs the id of the cluster", () => {
        assert.equal(checkAs("HookReach", {}, { clusterId: undefined as never }, listener()).failures!.length, 1);
    });
});
