import assert from "node:assert/strict";
import { factsFor, type Moment, type RecordedOperation } from "../../../../../provider/operation/hooks/facts";
import { specOf } from "./fixtures";

const operation: RecordedOperation = {
    id: "7",
    kind: "scale",
    direction: "out",
    ...{ added: ["w2"], removed: [], replaced: [], changed: [], reasons: ["workers +1 (w2)"] },
    before: {
        m1: { role: "controlPlane", machine: "10.0.0.11" },
        ["constructor" as string]: { role: "worker", pool: "workers" },
    },
    after: { m1: { role: "controlPlane" }, w2: { role: "worker", pool: "workers" } },
};

const moment: Moment = {
    operation,
    moment: "end",
    cluster: { id: "c0ffee", name: "core", endpoint: "https://10.0.0.100:6443" },
    stack: { project: "site", name: "dev" },
    machines: {
        before: { m1: { address: "10.0.0.11", sshAddress: "192.0.2.11" } },
        after: { m1: { address: "10.0.0.11" }, w2: { address: "10.0.0.22", serverId: "server-2" } },
    },
};
const first = { attempt: 1, interrupted: false, errorHandlingData: {} };

describe("what a hook is told", () => {
    it("is the operation, the cluster, and the nodes before and after, each with its machine of that time", () => {
        const facts = factsFor(specOf({ parameters: { site: "north" } }), moment, first);
        assert.deepEqual([facts.event, facts.etsiEvent, facts.hook], ["scaleEnd", "scale_end", "mgmt"]);
        assert.deepEqual(facts.nodes, {
            before: [
                { name: "m1", role: "controlPlane", address: "10.0.0.11", sshAddress: "192.0.2.11" },
                // A name that each object has as a property is no machine.
                { name: "constructor", role: "worker", pool: "workers" },
            ],
            after: [
                { name: "m1", role: "controlPlane", address: "10.0.0.11" },
                { name: "w2", role: "worker", pool: "workers", address: "10.0.0.22", serverId: "server-2" },
            ],
            ...{ added: ["w2"], removed: [], replaced: [] },
        });
        assert.deepEqual([facts.cluster, facts.stack], [moment.cluster, moment.stack]);
        assert.deepEqual(facts.parameters, { site: "north" });
    });

    it("has the operation without the descriptions of its nodes, which are in nodes", () => {
        const { operation: told } = factsFor(specOf(), moment, first);
        assert.deepEqual(Object.keys(told).sort(), [
            ...["added", "changed", "direction", "id", "kind", "reasons", "removed", "replaced"],
        ]);
        assert.deepEqual(factsFor(specOf(), moment, first).parameters, {});
    });

    it("says what is known of former attempts, and of an operation that is taken back", () => {
        const attempt = { attempt: 3, interrupted: true, errorHandlingData: { ticket: 5 } };
        const back = { ...moment, operation: { ...operation, rollbackOf: "6" } };
        const facts = factsFor(specOf(), back, attempt);
        assert.deepEqual({ ...facts, ...attempt }, facts);
        assert.deepEqual([facts.event, facts.operation.rollbackOf], ["scaleRollbackEnd", "6"]);
    });

    it("is plain data: it survives JSON", () => {
        const facts = factsFor(specOf(), moment, first);
        assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts);
    });
});
