import assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import * as fc from "fast-check";
import { operationsIn } from "../../../../pipeline/plan/operation-names";
import { planOf, withoutRepairs } from "../../../../pipeline/plan/plan";
import { switchVersion } from "../../../../provider/member/upgrade/switch-version";
import { operationLine } from "../../../../provider/operation/operation";
import { acted, controlPlane, machineOf, startOf, urnOf, worker } from "../engine-events";

const nodes = { m1: controlPlane, w1: worker };
const steps = { "set labels and taints": "a1", "apply kubelet settings": "b1" };
const start = (before: object, after: object, op = "update") =>
    acted(op, "OperationStart", "core", { old: startOf({ nodes, ...before }), next: startOf({ nodes, ...after }) });
const plan = (...events: EngineEvent[]) => planOf("dev", events);
const changed = { ...steps, "apply kubelet settings": "b2" };

const scaleOut = [
    start(
        { operations: 1, operation: "x" },
        { operations: 2, operation: "scale out workers +1 (w2)", nodes: { ...nodes, w2: worker } },
    ),
    acted("create", "Host", "core-w2", { next: machineOf("w2", "worker", { "set the host name": "c1" }) }),
    acted("create", "Node", "core-w2", { next: machineOf("w2", "worker", steps) }),
];

describe("the plan of a run", () => {
    it("has the operation, the node that joins, its steps, and the groups", () => {
        const { operations, nodes: found, groups, wanted } = plan(...scaleOut);
        assert.deepEqual(operations, [{ cluster: "core", names: ["scale"], text: "scale out workers +1 (w2)" }]);
        assert.deepEqual(
            found.map(({ node, group, change, steps: todo, disruptions }) => [
                node,
                group,
                change,
                todo.length,
                disruptions,
            ]),
            [["w2", "workers", "joins", 3, []]],
        );
        assert.deepEqual(groups, { core: { controlPlane: ["m1"], workers: ["w1", "w2"] } });
        assert.deepEqual(wanted["core"], { kubernetesVersion: "1.34.4", groups: groups["core"] });
    });

    it("names only steps that differ from what is recorded, and what they interrupt", () => {
        const update = acted("update", "Node", "core-w1", {
            old: machineOf("w1", "worker", steps),
            next: machineOf("w1", "worker", changed),
        });
        const [node] = plan(
            start({ operations: 1 }, { operations: 2, operation: "modify information: kubelet" }),
            update,
        ).nodes;
        assert.deepEqual(node!.steps, [{ title: "apply kubelet settings", fingerprint: "b2" }]);
        assert.deepEqual(node!.disruptions, ["kubelet restarts: pods go on"]);
    });

    const both = (host: string, node: string) => {
        const on = (op: string, type: string) => [
            acted(op === "replace" ? "delete-replaced" : op, type, "core-w1", {
                ...(op !== "create" && { old: machineOf("w1", "worker", steps) }),
                ...(op !== "delete" && { next: machineOf("w1", "worker", steps) }),
            }),
        ];
        return plan(start({}, {}, "same"), ...on(host, "Host"), ...on(node, "Node")).nodes.map(({ change }) => change);
    };
    const changes: [string, string, string[]][] = [
        ["create", "create", ["joins"]],
        ["same", "create", ["joins"]],
        ["same", "replace", ["rejoins"]],
        ["replace", "replace", ["new machine"]],
        ["replace", "same", ["new machine"]],
        ["delete", "delete", ["leaves"]],
        ["update", "same", ["changes"]],
        ["same", "same", []],
    ];
    for (const [host, node, expected] of changes) {
        it(`of Host ${host} and Node ${node}: ${expected}`, () => assert.deepEqual(both(host, node), expected));
    }

    it("goes on with an operation that did not end, and knows steps that are done again without one", () => {
        const rest = { operations: 2, operation: "heal w1 (asked for: a)" };
        const node = acted("create", "Node", "core-w1", { next: machineOf("w1", "worker", steps) });
        const end = (op: string) => acted(op, "OperationEnd", "core", { old: {}, next: {} });
        assert.deepEqual(plan(start(rest, rest, "same"), node, end("update")).operations, [
            { cluster: "core", names: ["heal"], text: "heal w1 (asked for: a)", continues: true },
        ]);
        const again = plan(start(rest, rest, "same"), node, end("same"));
        assert.deepEqual(again.operations[0]!.names, ["modify_information"]);
        assert.deepEqual(withoutRepairs(again).operations, [], "it is no difference of the program");
        const program = plan(start(rest, { operations: 3, operation: "change labels of w1" }), node);
        assert.equal(withoutRepairs(program).operations.length, 1);
    });

    it("goes on with an upgrade whose nodes waited while another one was healed: that is no repair", () => {
        const rest = { operations: 3, operation: "heal m1 (asked for: a)" };
        const { title } = switchVersion.row;
        const moves = { ...steps, [title]: "v2" };
        const old = machineOf("w1", "worker", { ...steps, [title]: "v1" }, { pending: [title] });
        const node = acted("update", "Node", "core-w1", { old, next: machineOf("w1", "worker", moves) });
        const found = plan(start(rest, rest, "same"), node);
        assert.deepEqual(
            found.operations.map(({ names }) => names),
            [["change_current_package"]],
        );
        assert.equal(withoutRepairs(found).operations.length, 1);
        assert.match(found.nodes[0]!.disruptions.join(), /^it switches to Kubernetes/);
    });

    it("goes on with a scale in whose nodes have not left, also where its end is done", () => {
        const rest = { operations: 2, operation: "scale in workers -1 (w2)" };
        const begin = start(rest, rest, "same");
        const leaves = acted("delete", "Node", "core-w2", { old: machineOf("w2", "worker", steps) });
        const going = { cluster: "core", names: ["scale"], text: "scale in workers -1 (w2)", continues: true };
        assert.deepEqual(plan(begin, leaves).operations, [going]);
        const other = acted("create", "Node", "core-w1", { next: machineOf("w1", "worker", steps) });
        const names = plan(begin, leaves, other).operations.map(operation => operation.names);
        assert.deepEqual(names, [["scale"], ["modify_information"]]);
        const stays = acted("delete", "Node", "core-w1", { old: machineOf("w1", "worker", steps) });
        assert.deepEqual(plan(begin, stays).operations[0]!.names, ["modify_information"], "the program has this node");
    });

    it("names the resources of a node that are replaced or deleted", () => {
        const replaced = acted("replace", "Node", "core-w1", {
            old: machineOf("w1", "worker", steps),
            next: machineOf("w1", "worker", steps),
        });
        assert.deepEqual(plan(start({}, {}, "same"), replaced).nodes[0]!.replaces, [urnOf("Node", "core-w1")]);
        assert.equal(plan(...scaleOut).nodes[0]!.replaces, undefined);
    });

    it("keeps two clusters apart that have the same name in different components", () => {
        const inSite = (event: EngineEvent) => {
            const copy = structuredClone(event);
            const { metadata } = copy.resourcePreEvent!;
            const prefix = "urn:pulumi:dev::site::my:index:Site$pulumi-nfv:index:KubernetesCluster";
            metadata.urn = metadata.urn.replace(/^.*KubernetesCluster/, prefix);
            for (const state of [metadata.old, metadata.new])
                if (state) Object.assign(state, { urn: metadata.urn, parent: `${prefix}::core` });
            return copy;
        };
        const both = (op: string) =>
            acted(op, "Node", "core-w1", {
                old: machineOf("w1", "worker", steps),
                next: machineOf("w1", "worker", steps),
            });
        const same = start({}, {}, "same");
        for (const all of [
            [same, both("replace"), inSite(same), inSite(both("same"))],
            [inSite(same), inSite(both("same")), same, both("replace")],
        ]) {
            const { nodes: found, groups } = plan(...all);
            assert.deepEqual(Object.keys(groups).sort(), [
                "my:index:Site$pulumi-nfv:index:KubernetesCluster::core",
                "pulumi-nfv:index:KubernetesCluster::core",
            ]);
            assert.deepEqual(
                found.map(({ cluster, change }) => [cluster, change]),
                [["pulumi-nfv:index:KubernetesCluster::core", "rejoins"]],
            );
        }
    });

    it("of a destroy is terminate", () => {
        const destroyed = plan(
            acted("delete", "OperationStart", "core", { old: startOf({ nodes, operation: "heal w1", operations: 4 }) }),
            acted("delete", "Node", "core-w1", { old: machineOf("w1", "worker", steps) }),
        );
        assert.deepEqual(destroyed.operations[0]!.names, ["terminate"]);
        assert.equal(destroyed.nodes[0]!.change, "leaves");
        assert.deepEqual(destroyed.nodes[0]!.disruptions, ["its pods end: the whole cluster goes"]);
    });
});

describe("the hash of a plan", () => {
    const other = (type: string, inputs: object, op = "update") =>
        acted(op, type, "x", { old: { inputs: {} }, next: { inputs } });
    const hashOf = (...events: EngineEvent[]) => plan(...events).hash;

    it("covers where resources of a provider are made, and inputs of others whatever their names", () => {
        const region = (name: string) => other("pulumi:providers:openstack", { region: name });
        assert.notEqual(hashOf(...scaleOut, region("r1")), hashOf(...scaleOut, region("r2")));
        assert.deepEqual(plan(region("r1")).resources, []);
        const database = (owner: string) => other("postgresql:index/database:Database", { owner });
        assert.notEqual(hashOf(database("app")), hashOf(database("mallory")));
        assert.equal(hashOf(other("ClusterKeys", { mark: "a" })), hashOf(other("ClusterKeys", { mark: "b" })));
    });

    it("is the same for each way to write the stack's name, and each order of clusters", () => {
        assert.equal(planOf("dev", scaleOut).hash, planOf("organization/site/dev", scaleOut).hash);
        const edge = structuredClone(scaleOut).map(event => {
            const { metadata } = event.resourcePreEvent!;
            const rename = (text: string) => text.replace("::core", "::edge");
            metadata.urn = rename(metadata.urn);
            for (const state of [metadata.old, metadata.new])
                if (state) Object.assign(state, { urn: metadata.urn, parent: rename(state.parent) });
            return event;
        });
        assert.equal(hashOf(...scaleOut, ...edge), hashOf(...edge, ...scaleOut));
    });

    it("does not depend on the order of events, nor on what a preview makes at random", () => {
        const several = [
            ...scaleOut,
            acted("create", "Node", "core-w10", { next: machineOf("w10", "worker", steps) }),
            acted("create", "Node", "core-m1", { next: machineOf("m1", "controlPlane", steps) }),
        ];
        const { hash, nodes: ordered } = plan(...several);
        assert.deepEqual(
            ordered.map(({ node }) => node),
            ["m1", "w2", "w10"],
        );
        const mark = (value: string) => acted("create", "OwnerMark", "core", { next: { inputs: { mark: value } } });
        assert.equal(plan(...scaleOut, mark("1")).hash, plan(...scaleOut, mark("2")).hash);
        fc.assert(
            fc.property(fc.shuffledSubarray(several, { minLength: several.length }), events => {
                assert.equal(plan(...events).hash, hash);
            }),
        );
    });

    it("differs by stack, operation, node, step, fingerprint, and inputs of any other resource", () => {
        const node = (fingerprint: string) =>
            acted("create", "Node", "core-w2", { next: machineOf("w2", "worker", { join: fingerprint }) });
        const other = (data: string) =>
            acted("update", "kubernetes:core/v1:ConfigMap", "settings", { next: { inputs: { data } } });
        const hashes = [
            plan(...scaleOut),
            planOf("other", scaleOut),
            plan(...scaleOut.slice(0, 2)),
            plan(scaleOut[0]!, scaleOut[1]!, node("1")),
            plan(scaleOut[0]!, scaleOut[1]!, node("2")),
            plan(...scaleOut, other("a")),
            plan(...scaleOut, other("b")),
        ].map(({ hash }) => hash);
        assert.equal(new Set(hashes).size, hashes.length);
    });
});

it("each operation is read back from the line that preview shows", () => {
    const base = { id: "1", added: [], removed: [], replaced: [], changed: [], reasons: ["workers +1 (w3; w4)"] };
    const kinds = [
        "instantiate",
        "scale",
        "heal",
        "change_current_package",
        "modify_information",
        "change_external_connectivity",
        "terminate",
    ] as const;
    for (const kind of kinds) {
        const operation = { ...base, kind, ...(kind === "scale" && { direction: "out" as const }) };
        assert.deepEqual(operationsIn(operationLine([operation])), [kind]);
        assert.deepEqual(operationsIn(operationLine([{ ...operation, rollbackOf: "0" }, operation])), [
            "rollback",
            kind,
        ]);
    }
});
