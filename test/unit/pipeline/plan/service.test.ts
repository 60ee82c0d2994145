import assert from "node:assert/strict";
import type { Plan, PlannedNode } from "../../../../pipeline";
import { serviceOf, serviceText } from "../../../../pipeline/plan/service";
import { disruptionOf } from "../../../../provider/cluster/known-steps";

const shared = new Set(["core"]);
const node = (name: string, change: PlannedNode["change"], steps: string[] = [], said?: string[]): PlannedNode => ({
    ...{ cluster: "core", node: name, group: name.startsWith("m") ? "controlPlane" : "workers", change },
    steps: steps.map(title => ({ title, fingerprint: "a" })),
    disruptions: said ?? steps.flatMap(title => disruptionOf({ title }) ?? []),
});
const plan = (nodes: PlannedNode[], more: Partial<Plan> & { masters?: number } = {}): Plan => {
    const names = Array.from({ length: more.masters ?? 3 }, (_, i) => `m${i + 1}`);
    return {
        ...{ stack: "dev", wanted: {}, resources: [], warnings: [], hash: "", nodes },
        groups: { core: { controlPlane: names, workers: ["w1", "w2"] } },
        operations: [{ cluster: "core", names: ["modify_information"], text: "modify information" }],
        ...more,
    };
};
const switched = ["it switches to Kubernetes 1.34.5: kubelet and static pods restart"];

const known: [string, Plan, string[]][] = [
    [
        "a worker leaves",
        plan([node("w1", "leaves")]),
        ["API of the cluster available throughout", "pods of w1 move once"],
    ],
    [
        "workers rejoin",
        plan([node("w1", "rejoins"), node("w2", "rejoins")]),
        ["API of the cluster available throughout", "pods of w1, w2 move"],
    ],
    ["a worker joins", plan([node("w3", "joins")]), ["API of the cluster available throughout", "no pod moves"]],
    [
        "kubelets restart",
        plan([node("m1", "changes", ["apply kubelet settings"])], { masters: 1 }),
        ["API of the cluster available throughout", "no pod moves"],
    ],
    [
        "three API servers restart in turn",
        plan([node("m1", "changes", ["apply control-plane settings"])]),
        ["API of the cluster available throughout", "no pod moves"],
    ],
    [
        "one of two API servers restarts",
        plan([node("m1", "changes", ["apply control-plane settings"])], { masters: 2 }),
        ["API of the cluster interrupted while its control-plane nodes change", "no pod moves"],
    ],
    [
        "an upgrade",
        plan([node("m1", "changes", [], switched), node("w1", "changes", [], switched)]),
        ["API of the cluster available throughout", "pods of m1, w1 move"],
    ],
];
const osUpgrade = { resources: [{ urn: "", name: "core", type: "OsUpgrade", act: "update" as const }] };
known.push(
    ["reboots of three control-plane nodes in turn", plan([], osUpgrade), ["API of the cluster available throughout"]],
    [
        "reboots of two control-plane nodes",
        plan([], { ...osUpgrade, masters: 2 }),
        ["API of the cluster interrupted while its control-plane nodes change"],
    ],
    ["reboots beside a new control-plane node", plan([node("m4", "joins")], osUpgrade), []],
);
const unknown: [string, Plan, string[]][] = [
    ["a new control-plane node", plan([node("m4", "joins"), node("m1", "leaves")]), ["pods of m1 move once"]],
    ["a machine that may be gone", plan([node("w1", "new machine")]), ["API of the cluster available throughout"]],
    ["an interruption that this table does not have", plan([node("m1", "changes", [], ["something stops"])]), []],
    ["a router id that changes", plan([node("m1", "changes", ["configure keepalived"])]), ["no pod moves"]],
    [
        "another pod network",
        plan([node("w1", "leaves")], { resources: [{ urn: "", name: "core", type: "ClusterNetwork", act: "update" }] }),
        [],
    ],
    [
        "a new cluster",
        plan([node("m1", "joins")], { operations: [{ cluster: "core", names: ["instantiate"], text: "instantiate" }] }),
        [],
    ],
    [
        "another endpoint",
        plan([node("w1", "changes")], {
            operations: [{ cluster: "core", names: ["change_external_connectivity"], text: "" }],
        }),
        [],
    ],
];

describe("what users of a cluster notice", () => {
    for (const [name, its, words] of [...known, ...unknown]) {
        it(`${name}: ${words.join("; ") || "nothing is said"}`, () => {
            const service = serviceOf(its, shared)["core"];
            assert.deepEqual(service === undefined ? [] : serviceText(service), words);
        });
    }

    it("does not call the API available where its endpoint is one node", () => {
        const { core } = serviceOf(plan([node("m1", "changes", ["apply control-plane settings"])]), new Set());
        assert.equal(core?.api, undefined);
    });
});
