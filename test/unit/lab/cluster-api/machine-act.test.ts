import assert from "node:assert/strict";
import { finalizer, machineAct, type SeenMachine } from "../../../../lab/cluster-api/machine-act";
import type { LabMachine } from "../../../../lab/cluster-api/types";

const now = "2026-01-01T00:00:00Z";
const at = { namespace: "default", uid: "1" };

/** A machine for which everything is there: what is next is to report its node. */
function seen(changes: Partial<SeenMachine> = {}, machine: Partial<LabMachine> = {}): SeenMachine {
    return {
        machine: { metadata: { ...at, name: "a-1", finalizers: [finalizer] }, ...machine },
        owner: { metadata: { ...at, name: "a-1" }, spec: { bootstrap: { dataSecretName: "a-1-data" } } },
        cluster: { metadata: { ...at, name: "a" }, status: { initialization: { infrastructureProvisioned: true } } },
        node: { state: "on", address: "10.99.0.101" },
        ...changes,
    };
}

/** The same after it was reported. */
function reported(changes: Partial<SeenMachine> = {}): SeenMachine {
    const act = machineAct(seen(), now);
    assert.equal(act.do, "report");
    return seen(changes, { ...seen().machine, spec: { providerID: act.providerID }, status: act.status });
}

const later = "2026-01-02T00:00:00Z";
const readyOf = (each: SeenMachine) => {
    const act = machineAct(each, later);
    return act.do === "report" ? act.status.conditions![0] : act;
};

describe("what is done for a machine of Cluster API", () => {
    it("is nothing before its Machine, its cluster's infrastructure and its bootstrap data are there", () => {
        const cluster = { metadata: { ...at, name: "a" } };
        const owner = { metadata: { ...at, name: "a-1" } };
        for (const missing of [{ owner: undefined }, { cluster: undefined }, { cluster }, { owner }]) {
            assert.deepEqual(machineAct(seen({ node: undefined, ...missing }), now), { do: "wait" });
        }
    });

    it("is first our finalizer, so that nothing is made that would not be removed", () => {
        const unheld = { metadata: { ...at, name: "a-1" } };
        assert.deepEqual(machineAct(seen({ node: undefined }, unheld), now), { do: "hold" });
    });

    it("is then to make the node, also when the making was interrupted", () => {
        const make = { do: "make", bootstrapSecret: "a-1-data" };
        assert.deepEqual(machineAct(seen({ node: undefined }), now), make);
        assert.deepEqual(machineAct(seen({ node: { state: "off", address: "10.99.0.101" } }), now), make);
    });

    it("is to report provider id, addresses and health of a node, once", () => {
        const act = machineAct(seen(), now);
        assert.deepEqual(act, {
            do: "report",
            providerID: "lab:///a-1",
            status: {
                addresses: [
                    { type: "InternalIP", address: "10.99.0.101" },
                    { type: "Hostname", address: "a-1" },
                ],
                conditions: [{ type: "Ready", status: "True", reason: "NodeOn", message: "", lastTransitionTime: now }],
                initialization: { provisioned: true },
            },
        });
        assert.deepEqual(machineAct(reported(), later), { do: "wait" });
    });

    it("says of a node that is off, cut off or gone that it is not healthy, and never makes it again", () => {
        for (const [node, reason] of [
            [{ state: "off", address: "10.99.0.101" }, "NodeOff"],
            [{ state: "cut", address: "10.99.0.101" }, "NodeCut"],
            [undefined, "NodeGone"],
        ] as const) {
            const ready = readyOf(reported({ node })) as unknown as Record<string, string>;
            assert.deepEqual([ready["status"], ready["reason"], ready["lastTransitionTime"]], ["False", reason, later]);
        }
    });

    it("keeps the time since when a machine is not healthy", () => {
        const off = reported({ node: { state: "off", address: "10.99.0.101" } });
        const act = machineAct(off, now);
        assert.equal(act.do, "report");
        const gone = { ...off, machine: { ...off.machine, status: act.status }, node: undefined };
        const ready = readyOf(gone) as unknown as Record<string, string>;
        assert.deepEqual([ready["reason"], ready["lastTransitionTime"]], ["NodeGone", now]);
    });

    it("is to remove the node of a deleted machine, and nothing once our finalizer is away", () => {
        const deleted = { ...at, name: "a-1", deletionTimestamp: now };
        const ours = { metadata: { ...deleted, finalizers: [finalizer] } };
        assert.deepEqual(machineAct(seen({ node: undefined }, ours), now), { do: "remove" });
        assert.deepEqual(machineAct(seen({}, { metadata: deleted }), now), { do: "wait" });
    });

    it("is nothing while the cluster or the machine is paused, not even a removal", () => {
        const deleted = { metadata: { ...at, name: "a-1", deletionTimestamp: now, finalizers: [finalizer] } };
        const paused = { ...seen().cluster!, spec: { paused: true } };
        assert.deepEqual(machineAct(seen({ cluster: paused }, deleted), now), { do: "wait" });
        const annotated = { metadata: { ...deleted.metadata, annotations: { "cluster.x-k8s.io/paused": "" } } };
        assert.deepEqual(machineAct(seen({}, annotated), now), { do: "wait" });
    });
});
