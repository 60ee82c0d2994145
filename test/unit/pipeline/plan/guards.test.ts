import assert from "node:assert/strict";
import { type Guards, refusals, refuseUnknownWords } from "../../../../pipeline/plan/guards";
import type { Plan } from "../../../../pipeline/plan/plan";
import type { PlannedNode } from "../../../../pipeline/plan/planned-nodes";

const names = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
const node = (name: string, change: PlannedNode["change"], disruptions = ["its pods move"]): PlannedNode => ({
    cluster: "core",
    node: name,
    group: name.startsWith("m") ? "controlPlane" : name.startsWith("g") ? "gpu" : "workers",
    ...{ change, disruptions, steps: [] },
});

const plan = (nodes: PlannedNode[], more: Partial<Plan> = {}): Plan => ({
    ...{ stack: "dev", wanted: {}, resources: [], warnings: [], hash: "" },
    operations: [{ cluster: "core", names: ["scale", "heal"], text: "scale out workers +1 (w9); heal w1" }],
    groups: { core: { controlPlane: names("m", 3), workers: names("w", 8), gpu: names("g", 2) } },
    nodes,
    ...more,
});

const leaving = [node("w1", "leaves"), node("w2", "rejoins"), node("g1", "new machine")];

const machine = "urn:pulumi:dev::site::pulumi-nodejs:dynamic/nfv:Node::core-w2";

describe("guards of what is part of no cluster", () => {
    const bucket = { urn: "urn:b", name: "archive", type: "aws:s3/bucket:Bucket", act: "delete" as const };
    const of = (more: object, allow: Guards["allow"], names: Plan["operations"][number]["names"] = ["scale"]) =>
        refusals(
            plan([], {
                resources: [{ ...bucket, ...more }],
                operations: [{ cluster: "core", names, text: names.join() }],
            }),
            { ...(allow && { allow }) },
        );

    it("refuse its deletion and replacement where only operations are allowed, also without an operation", () => {
        const [said] = of({}, ["scale"]);
        assert.match(
            said!,
            /^aws:s3\/bucket:Bucket archive: delete: it is part of no cluster, and removal is not allowed$/,
        );
        assert.equal(of({ act: "replace" }, ["scale"]).length, 1);
        const none = plan([], { resources: [bucket], operations: [] });
        assert.equal(refusals(none, { allow: ["heal"] }).length, 1);
    });

    it("let it go by the word removal, without a list, as part of a cluster, with all clusters, or if it only changes", () => {
        for (const found of [
            of({}, ["scale", "removal"]),
            of({}, undefined),
            of({ cluster: "core" }, ["scale"]),
            of({}, ["terminate"], ["terminate"]),
            of({ act: "update" }, ["scale"]),
        ])
            assert.deepEqual(found, []);
    });
});

describe("guards", () => {
    const rows: [string, PlannedNode[], Guards, number][] = [
        ["without any", leaving, {}, 0],
        ["that allow all operations", [], { allow: ["heal", "scale"] }, 0],
        ["that allow one of two", [], { allow: ["scale"] }, 1],
        ["that allow none", [], { allow: [] }, 1],
        ["for all workers together, enough", leaving, { maxDisruption: { workers: 3 } }, 0],
        ["for all workers together, too few", leaving, { maxDisruption: { workers: 2 } }, 1],
        ["with a share, rounded down: 3 of 10", leaving, { maxDisruption: { workers: "39%" } }, 0],
        ["with a share that is too small", leaving, { maxDisruption: { workers: "29%" } }, 1],
        [
            "with a share of less than one node: one may always",
            [node("g1", "leaves")],
            { maxDisruption: { gpu: "1%" } },
            0,
        ],
        ["with a share of nothing", [node("g1", "leaves")], { maxDisruption: { gpu: "0%" } }, 1],
        ["of the control plane do not count workers", leaving, { maxDisruption: { controlPlaneNodes: 0 } }, 0],
        ["of the control plane", [node("m1", "rejoins")], { maxDisruption: { controlPlaneNodes: 0 } }, 1],
        [
            "do not count a change that interrupts nothing",
            [node("w1", "changes", [])],
            { maxDisruption: { workers: 0 } },
            0,
        ],
        [
            "with a share of the nodes that are there, without those that join: 1 of 6",
            [
                ...["w1", "w2"].map(name => node(name, "rejoins")),
                ...["w5", "w6", "w7", "w8"].map(name => node(name, "joins", [])),
            ],
            { maxDisruption: { workers: "20%" } },
            1,
        ],
        ["do not count a node that joins", [node("w9", "joins", [])], { maxDisruption: { workers: 0 } }, 0],
        ["that forbid to replace a node, by name", leaving, { forbidReplace: ["w2"] }, 1],
        ["that forbid to replace w, not w1", leaving, { forbidReplace: ["w"] }, 0],
        [
            "that forbid to replace a node, by the URN of its resource",
            [{ ...node("w2", "rejoins"), replaces: [machine] }],
            { forbidReplace: [machine] },
            1,
        ],
        [
            "that forbid to replace a node, by the name of its resource",
            [{ ...node("w2", "rejoins"), replaces: [machine] }],
            { forbidReplace: ["core-w2"] },
            1,
        ],
        ["that forbid to replace a group", leaving, { forbidReplace: ["workers"] }, 2],
        ["that forbid to replace, for a node that only changes", [node("w2", "changes")], { forbidReplace: ["w2"] }, 0],
    ];
    for (const [title, nodes, guards, count] of rows) {
        it(`${title}: ${count === 0 ? "pass" : "stop"}`, () =>
            assert.equal(refusals(plan(nodes), guards).length, count, refusals(plan(nodes), guards).join("\n")));
    }

    it("name a group that exists: a typing error would switch the guard off", () => {
        assert.throws(
            () => refusals(plan(leaving), { maxDisruption: { worker: 1 } }),
            /maxDisruption\.worker: there is no such group; there are controlPlaneNodes, workers, gpu; did you mean "workers"\?/,
        );
        assert.deepEqual(refusals(plan([], { groups: {} }), { maxDisruption: { gpu: 1 } }), []);
    });

    it("stop an operation that is not recognised", () => {
        const strange = plan([], { operations: [{ cluster: "core", names: [], text: "dance" }] });
        assert.equal(refusals(strange, { allow: ["scale"] }).length, 1);
    });

    it("that forbid to replace a resource by name, type or URN", () => {
        const volume = {
            urn: "urn:a",
            name: "data",
            type: "openstack:blockstorage/volume:Volume",
            act: "delete" as const,
        };
        for (const word of [volume.urn, volume.name, volume.type])
            assert.equal(refusals(plan([], { resources: [volume] }), { forbidReplace: [word] }).length, 1);
        assert.deepEqual(
            refusals(plan([], { resources: [{ ...volume, act: "update" }] }), { forbidReplace: ["data"] }),
            [],
        );
    });

    it("count a node that a former run took out of the program and that still has to leave", () => {
        const groups = { core: { controlPlane: ["m1"], workers: ["w1"] } };
        const found = refusals(plan([node("w2", "leaves")], { groups }), { maxDisruption: { workers: 0 } });
        assert.match(found.join(), /1 of 2 nodes would be disrupted \(w2\)/);
    });

    it("name how many nodes, which, and the limit", () =>
        assert.deepEqual(refusals(plan(leaving), { maxDisruption: { workers: 1 } }), [
            "core: 3 of 10 nodes would be disrupted (g1, w1, w2), maxDisruption.workers allows 1",
        ]));

    it("that forbid to replace what is not there are refused, with what is there", () => {
        const known = ["core", "data", machine, "core-w2"];
        const refuse =
            (...forbidReplace: string[]) =>
            () =>
                refuseUnknownWords(plan(leaving), { forbidReplace }, known);
        assert.throws(
            refuse("w11"),
            /there is no w11; there are nodes g1, g2, m1, m2, m3 and 8 more; groups controlPlane, workers, gpu; resources core, data/,
        );
        assert.throws(refuse("workers", "controlPlaneNodes"), /there is no controlPlaneNodes/);
        assert.doesNotThrow(refuse("w1", "gpu", "Node", "Host", "StorageMachine", machine, "core-w2", "data"));
        assert.doesNotThrow(() => refuseUnknownWords(plan([node("w99", "leaves")]), { forbidReplace: ["w99"] }, []));
        assert.doesNotThrow(() => refuseUnknownWords(plan([], { groups: {} }), { forbidReplace: ["w11"] }, []));
    });

    it("that cannot be understood are refused", () => {
        const wrong = [
            { allow: ["scaled"] },
            { maxDisruption: { workers: "many" } },
            { maxDisruption: { workers: -1 } },
            { maxDisruption: { workers: "120%" } },
            { allowed: [] },
        ];
        for (const guards of wrong) assert.throws(() => refusals(plan([]), guards as Guards), /INVALID_INPUT/);
    });
});
