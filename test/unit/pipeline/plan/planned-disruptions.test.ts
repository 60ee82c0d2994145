import assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { type Guards, refusals } from "../../../../pipeline/plan/guards";
import { planOf } from "../../../../pipeline/plan/plan";
import { descriptors } from "../../../../provider/adapters/descriptors";
import { acted, controlPlane, machineOf, startOf, worker } from "../engine-events";

const nodes = { m1: controlPlane, m2: controlPlane, m3: controlPlane, w1: worker, w2: worker };
const start = acted("same", "OperationStart", "core", { old: startOf({ nodes }), next: startOf({ nodes }) });
const plan = (...events: EngineEvent[]) => planOf("dev", [start, ...events]);
const none: Guards = { maxDisruption: { controlPlaneNodes: 0, workers: 0 } };

const onAll = Object.fromEntries(Object.keys(nodes).map(name => [name, "what happens"]));
const onMasters = { m1: "x", m2: "x", m3: "x" };
const title = "apply kube-proxy";
const packed = (steps: object) => ({ spec: JSON.stringify({ steps }) });

describe("resources of a whole cluster", () => {
    const rows: [type: string, op: string, state: object, inputs: object, refused: string[]][] = [
        ["OsUpgrade", "create", {}, { requestId: "a", nodes: onAll }, ["controlPlaneNodes", "workers"]],
        ["OsUpgrade", "update", { done: "a" }, { requestId: "b", nodes: onAll }, ["controlPlaneNodes", "workers"]],
        ["OsUpgrade", "delete", { done: "a", nodes: onAll }, {}, []],
        ["RuntimeRestart", "create", {}, { requestId: "a", nodes: onAll }, ["controlPlaneNodes", "workers"]],
        ["EtcdRestore", "create", {}, { requestId: "a", nodes: onAll }, ["controlPlaneNodes", "workers"]],
        ["ServiceAccountRotation", "update", {}, { word: "b", nodes: onMasters }, ["controlPlaneNodes"]],
        ["AuthorityRotation", "update", {}, { requestId: "b", nodes: onAll }, ["controlPlaneNodes", "workers"]],
        ["AuthorityRotation", "update", {}, { word: "b", nodes: "04da6b54" }, ["controlPlaneNodes", "workers"]],
        ["EncryptionRotation", "update", {}, { word: "b", nodes: onMasters }, []],
        ["ClusterNetwork", "update", { done: "{}" }, packed({ [title]: "1" }), ["controlPlaneNodes", "workers"]],
        ["ClusterNetwork", "update", { done: '{"id":"1"}' }, packed({ [title]: "1" }), []],
        [
            "ClusterNetwork",
            "update",
            { done: '{"id":"1"}', drift: { id: { title, fingerprint: "1", lines: [] } } },
            packed({ [title]: "1" }),
            ["controlPlaneNodes", "workers"],
        ],
        ["ClusterNetwork", "update", { done: "{}" }, packed({ "apply CoreDNS": "1" }), []],
        [
            "OperationEnd",
            "update",
            { endpointNumber: 1, done: "{}" },
            { endpointNumber: 2, spec: JSON.stringify({ steps: {}, nodes: onAll }) },
            ["controlPlaneNodes", "workers"],
        ],
        ["OperationEnd", "update", { done: "{}" }, packed({ "wait for the nodes": "1" }), []],
    ];
    for (const [type, op, state, inputs, refused] of rows)
        it(`${op} ${type} ${JSON.stringify(inputs).slice(0, 60)}: limits of 0 refuse ${refused.join(", ") || "nothing"}`, () => {
            const event = acted(op, type, "core", {
                ...(op !== "create" && { old: { inputs: {}, outputs: { spec: "{}", ...state } } }),
                ...(op !== "delete" && { next: { inputs } }),
            });
            const found = refusals(plan(event), none).map(text => /maxDisruption\.(\w+)/.exec(text)?.[1]);
            assert.deepEqual(found, refused);
        });

    it("count a node once that its own steps interrupt, too, and none that joins", () => {
        const steps = { "apply kubelet settings": "1" };
        const old = machineOf("w1", "worker", {});
        const events = [
            acted("create", "OsUpgrade", "core", { next: { inputs: { nodes: { w1: "x", w2: "x" } } } }),
            acted("update", "Node", "core-w1", { old, next: machineOf("w1", "worker", steps) }),
            acted("create", "Host", "core-w2", { next: machineOf("w2", "worker", steps) }),
            acted("create", "Node", "core-w2", { next: machineOf("w2", "worker", steps) }),
        ];
        assert.deepEqual(refusals(plan(...events), { maxDisruption: { workers: 1 } }), []);
        assert.match(refusals(plan(...events), none).join(), /1 of 1 nodes would be disrupted \(w1\)/);
    });

    it("are refused where a limit is set, if no limit can count them", () => {
        const strange = acted("update", "TurnAllOff", "core", { old: {}, next: {} });
        const workload = acted("update", "WorkloadRollout", "core", {
            old: { outputs: { objectsHash: "1" } },
            next: { inputs: { objectsHash: "2" } },
        });
        for (const each of [strange, workload]) {
            assert.equal(refusals(plan(each), { maxDisruption: { workers: "100%" } }).length, 1);
            assert.deepEqual(refusals(plan(each), {}), []);
        }
    });

    it("belong to an operation: a restore to its own, a second half of a rotation to modify_information", () => {
        const restore = acted("create", "EtcdRestore", "core", {
            next: { inputs: { requestId: "a", nodes: onAll } },
        });
        assert.deepEqual(
            plan(restore).operations.map(each => each.names),
            [["restore"]],
        );
        assert.equal(refusals(plan(restore), { allow: ["modify_information"] }).length, 1);
        const ends = acted("update", "ServiceAccountRotation", "core", {
            old: { outputs: { rotated: "a" } },
            next: { inputs: { word: "a", nodes: onMasters } },
        });
        assert.deepEqual(
            plan(ends).operations.map(each => each.names),
            [["modify_information"]],
        );
        assert.equal(refusals(plan(ends), { allow: ["heal"] }).length, 1);
    });

    it("declare what they interrupt, all types of this package", () => {
        for (const [type, { disrupts }] of Object.entries(descriptors))
            assert.ok(typeof disrupts === "function" || ["no node", "its node"].includes(disrupts), type);
        const withNodes = Object.entries(descriptors).filter(([, { disrupts }]) => disrupts !== "no node");
        // Another list means that somebody has decided so.
        assert.deepEqual(withNodes.map(([type]) => type).sort(), [
            "AuthorityRotation",
            "CloudProvider",
            "ClusterNetwork",
            "EtcdRestore",
            "Host",
            "Node",
            "OperationEnd",
            "OsUpgrade",
            "RuntimeRestart",
            "ServiceAccountRotation",
            "WorkloadRollout",
        ]);
    });
});
