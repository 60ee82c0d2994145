import assert from "node:assert/strict";
import fc from "fast-check";
import { classify } from "../../../../provider/operation/classify";
import {
    type ClusterDescription,
    type NodeDescription,
    type Operation,
    operationLine,
} from "../../../../provider/operation/operation";

const master = (machine?: string): NodeDescription => ({ role: "controlPlane", ...(machine && { machine }) });
const worker = (machine?: string, pool = "workers"): NodeDescription => ({
    role: "worker",
    pool,
    ...(machine && { machine }),
});

const cluster = (changes: Partial<ClusterDescription> = {}): ClusterDescription => ({
    nodes: { m1: master("a1"), w1: worker("b1"), w2: worker("b2") },
    kubernetesVersion: "1.34.4",
    endpoint: "vip 10.0.0.10:8443",
    settings: { registries: "r1", "controlPlane.endpoint": "e1", "infrastructure.nova.access": "n1" },
    operations: 4,
    ...changes,
});

const base = cluster();
const nodes = (changes: Record<string, NodeDescription>, ...leave: string[]) => ({
    nodes: Object.fromEntries(Object.entries({ ...base.nodes, ...changes }).filter(([name]) => !leave.includes(name))),
});
const settings = (changes: Record<string, string | undefined>) => ({ settings: { ...base.settings, ...changes } });

/** A change of the cluster, and the line that describes it. */
const table: [what: string, before: ClusterDescription | undefined, after: ClusterDescription | undefined, string][] = [
    ["a new cluster", undefined, base, "instantiate control plane +1 (m1), workers +2 (w1, w2)"],
    ["a cluster that goes", base, undefined, "terminate control plane -1 (m1), workers -2 (w1, w2)"],
    ["nothing before, nothing after", undefined, undefined, ""],
    ["a worker more", base, cluster(nodes({ w3: worker("b3") })), "scale out workers +1 (w3)"],
    [
        "nodes of several pools, masters first",
        base,
        cluster(nodes({ g1: worker("g1", "gpu"), w10: worker("x"), w3: worker("y"), m2: master("a2") })),
        "scale out control plane +1 (m2), gpu +1 (g1), workers +2 (w3, w10)",
    ],
    [
        "many nodes",
        base,
        cluster(nodes(Object.fromEntries([3, 4, 5, 6, 7, 8, 9, 10].map(i => [`w${i}`, worker(`x${i}`)])))),
        "scale out workers +8 (w3, w4, w5, w6, w7 and 3 more)",
    ],
    ["a worker less", base, cluster(nodes({}, "w2")), "scale in workers -1 (w2)"],
    [
        "one comes, another goes",
        base,
        cluster(nodes({ w3: worker("b3") }, "w2")),
        "scale out workers +1 (w3); scale in workers -1 (w2)",
    ],
    [
        "the same where nodes leave first",
        base,
        cluster({ ...nodes({ w3: worker("b3") }, "w2"), leavesFirst: true }),
        "scale in workers -1 (w2); scale out workers +1 (w3)",
    ],
    [
        "names that are alike",
        base,
        cluster(nodes({ w11: worker("b1") }, "w1")),
        "scale out workers +1 (w11); scale in workers -1 (w1)",
    ],
    ["another machine under the name", base, cluster(nodes({ w1: worker("c1") })), "heal w1 (another machine)"],
    [
        "nodes that a person asks to heal",
        base,
        cluster({ asked: { run: "today", nodes: ["w2", "m1"] } }),
        "heal m1, w2 (asked for: today)",
    ],
    [
        "the same of one that is lost, of one that leaves, and of one on another machine",
        cluster({ lost: ["m1"] }),
        cluster({ ...nodes({ w1: worker("c1") }, "w2"), asked: { run: "today", nodes: ["m1", "w1", "w2"] } }),
        "heal m1 (its server is gone), w1 (another machine); scale in workers -1 (w2)",
    ],
    ["a server that is gone", cluster({ lost: ["w2"] }), base, "heal w2 (its server is gone)"],
    ["a jump server that is gone", cluster({ lost: ["jump"] }), base, "heal jump (its server is gone)"],
    [
        "a server that is gone, of a node that leaves",
        cluster({ lost: ["w2"] }),
        cluster(nodes({}, "w2")),
        "scale in workers -1 (w2)",
    ],
    ["a machine that is not known", base, cluster(nodes({ w1: worker() })), ""],
    [
        "a worker that becomes a master",
        base,
        cluster(nodes({ w1: master("b1") })),
        "scale out control plane +1 (w1); scale in workers -1 (w1)",
    ],
    [
        "a worker of another pool",
        base,
        cluster(nodes({ w1: worker("b1", "gpu") })),
        "modify information: pools (w1 in another pool)",
    ],
    [
        "another version",
        base,
        cluster({ kubernetesVersion: "1.34.5" }),
        "change current package: Kubernetes 1.34.4 to 1.34.5",
    ],
    ["a version that is not known", base, cluster({ kubernetesVersion: undefined }), ""],
    [
        "another source",
        base,
        cluster(settings({ "kubernetes.source": "s2" })),
        "change current package: kubernetes.source",
    ],
    [
        "another endpoint, which is said once",
        base,
        cluster({ endpoint: "external lb:6443", ...settings({ "controlPlane.endpoint": "e2" }) }),
        "change external connectivity: endpoint vip 10.0.0.10:8443 to external lb:6443",
    ],
    [
        "the endpoint's interface",
        base,
        cluster(settings({ "controlPlane.endpoint": "e2" })),
        "change external connectivity: controlPlane.endpoint",
    ],
    [
        "addresses from outside",
        base,
        cluster(settings({ "infrastructure.nova.access": "n2" })),
        "change external connectivity: infrastructure.nova.access",
    ],
    [
        "inputs that change, come and go",
        base,
        cluster({ settings: { ...base.settings, registries: "r2", proxy: "p1" } }),
        "modify information: proxy, registries",
    ],
    [
        "a pool that comes with inputs of its own",
        base,
        cluster({ ...nodes({ g1: worker("g1", "gpu") }), ...settings({ "pools.gpu.labels": "p1" }) }),
        "scale out gpu +1 (g1)",
    ],
    [
        "a pool that stays, whose name another one begins with",
        cluster({ ...nodes({ g1: worker("g1", "gpu") }), ...settings({ "pools.gpu.labels": "p1" }) }),
        cluster({
            ...nodes({ g1: worker("g1", "gpu") }),
            ...settings({ "pools.gpu.labels": "p2", "pools.gp.labels": "p1" }),
        }),
        "modify information: pools.gpu.labels",
    ],
    ["an input that goes", cluster(settings({ proxy: "p1" })), base, "modify information: proxy"],
    ["an input whose value is not known", base, cluster(settings({ registries: undefined })), ""],
    ["a new input whose value is not known", base, cluster(settings({ proxy: undefined })), ""],
    ["a state that kept no inputs", cluster({ settings: undefined }), base, ""],
    [
        "all at once, in the order in which they are done",
        cluster({ lost: ["m1"] }),
        cluster({
            ...nodes({ w3: worker("b3") }, "w2"),
            kubernetesVersion: "1.35.0",
            endpoint: "external lb:6443",
            ...settings({ registries: "r2" }),
        }),
        "heal m1 (its server is gone); change current package: Kubernetes 1.34.4 to 1.35.0; modify information: registries; " +
            "scale out workers +1 (w3); change external connectivity: endpoint vip 10.0.0.10:8443 to external lb:6443; " +
            "scale in workers -1 (w2)",
    ],
];

describe("which operation a change of a cluster is", () => {
    for (const [what, before, after, line] of table) {
        it(`${what}: ${line || "no operation"}`, () => {
            assert.equal(operationLine(classify(before, after)), line);
        });
    }

    it("names nodes and inputs as data, too", () => {
        const after = cluster({ ...nodes({ w3: worker("b3"), w1: worker("c1") }, "w2"), ...settings({ proxy: "p" }) });
        const empty = { added: [], removed: [], replaced: [], changed: [] };
        assert.deepEqual(classify(base, after), [
            { id: "5", kind: "heal", ...empty, replaced: ["w1"], reasons: ["w1 (another machine)"] },
            { id: "6", kind: "modify_information", ...empty, changed: ["proxy"], reasons: ["proxy"] },
            { id: "7", kind: "scale", direction: "out", ...empty, added: ["w3"], reasons: ["workers +1 (w3)"] },
            { id: "8", kind: "scale", direction: "in", ...empty, removed: ["w2"], reasons: ["workers -1 (w2)"] },
        ] satisfies Operation[]);
        const [moved] = classify(base, cluster(nodes({ w1: worker("b1", "gpu") })));
        assert.deepEqual(moved!.changed, ["pools"]);
    });

    it("counts the operations of a cluster from its first one", () => {
        assert.equal(classify(undefined, base)[0]!.id, "1");
        assert.equal(classify(cluster({ operations: 1 }), cluster({ lost: [], endpoint: "x" }))[0]!.id, "2");
    });
});

/** Names that resemble each other, and some that JavaScript's objects have. */
const name = fc.constantFrom("w1", "w11", "w111", "m1", "m", "1", "01", "__proto__", "constructor", "toString");
const node = fc.record(
    {
        role: fc.constantFrom("controlPlane" as const, "worker" as const),
        pool: fc.constantFrom("a", "b"),
        machine: fc.constantFrom("x", "y"),
    },
    { requiredKeys: ["role"] },
);
const described: fc.Arbitrary<ClusterDescription> = fc.record(
    {
        nodes: fc.array(fc.tuple(name, node)).map(entries => Object.fromEntries(entries)),
        kubernetesVersion: fc.constantFrom("1.34.4", "1.35.0"),
        endpoint: fc.constantFrom("vip 10.0.0.10:8443", "external lb:6443"),
        settings: fc
            .array(
                fc.tuple(fc.constantFrom("registries", "kubernetes.source", "constructor"), fc.constantFrom("1", "2")),
            )
            .map(entries => Object.fromEntries(entries)),
        leavesFirst: fc.boolean(),
        operations: fc.nat(9),
    },
    { requiredKeys: ["nodes"] },
);

const all = (operations: readonly Operation[], list: "added" | "removed" | "replaced" | "changed") =>
    operations.flatMap(operation => operation[list]).sort();

describe("classify, whatever the two clusters are", () => {
    const always = (holds: (before: ClusterDescription, after: ClusterDescription) => void) =>
        fc.assert(fc.property(described, described, holds));

    it("says nothing of a cluster that stays as it is", () => {
        always(before => assert.deepEqual(classify(before, structuredClone(before)), []));
    });

    it("lists exactly the nodes that come and go, by their whole names and their roles", () => {
        const only = ({ nodes: some }: ClusterDescription, { nodes: others }: ClusterDescription) => {
            const rest = Object.entries(others).map(([each, { role }]) => `${role} ${each}`);
            return Object.entries(some).flatMap(([each, { role }]) => (rest.includes(`${role} ${each}`) ? [] : [each]));
        };
        always((before, after) => {
            const operations = classify(before, after);
            assert.deepEqual(all(operations, "added"), only(after, before).sort());
            assert.deepEqual(all(operations, "removed"), only(before, after).sort());
        });
    });

    it("lists exactly the nodes that stay on another machine", () => {
        always((before, after) => {
            const expected = Object.entries(after.nodes).flatMap(([each, { role, machine }]) => {
                const former = Object.entries(before.nodes).find(([same]) => same === each)?.[1];
                return former?.role === role && former.machine && machine && former.machine !== machine ? [each] : [];
            });
            assert.deepEqual(all(classify(before, after), "replaced"), expected.sort());
        });
    });

    it("has each kind and direction once, with a reason, and ids that count on", () => {
        always((before, after) => {
            const operations = classify(before, after);
            const kinds = operations.map(({ kind, direction }) => `${kind} ${direction}`);
            assert.equal(new Set(kinds).size, kinds.length);
            assert.ok(operations.every(({ reasons }) => reasons.length > 0));
            const first = (before.operations ?? 0) + 1;
            assert.deepEqual(
                operations.map(({ id }) => id),
                operations.map((_, i) => String(first + i)),
            );
        });
    });

    it("says the way there and the way back with the same nodes", () => {
        always((before, after) => {
            const [there, back] = [classify(before, after), classify(after, before)];
            assert.deepEqual(all(there, "added"), all(back, "removed"));
            assert.deepEqual(all(there, "replaced"), all(back, "replaced"));
            assert.deepEqual(all(there, "changed"), all(back, "changed"));
        });
    });
});
