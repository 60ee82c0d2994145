import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { NodeName } from "../../../../components/infrastructure/infrastructure";
import {
    heldReplacements,
    joiningNodes,
    nodesBehind,
    pendingReplacements,
    type Turns,
    turnAfter,
} from "../../../../components/infrastructure/replacing";
import type { StateOutputs } from "../../../../provider/adapters/own-state";
import type { Heals } from "../../../../provider/operation/heals";

const master = (name: string): NodeName => ({ name, role: "controlPlane" });
const worker = (name: string, pool: string): NodeName => ({ name, role: "worker", pool });
const made = [
    ...["m1", "m2", "m3"].map(master),
    ...["a1", "a2", "a3"].map(name => worker(name, "a")),
    worker("b1", "b"),
];

describe("the turns of servers that are replaced", () => {
    const together = { joining: new Set<string>(), turnOf: () => 0 };
    const turns = (pending: string[], maxUnavailable = {}, more: Partial<Turns> = {}) =>
        Object.fromEntries(
            pending.map(name => [
                name,
                turnAfter(name, { made, pending: new Set(pending), maxUnavailable, ...together, ...more }),
            ]),
        );

    it("begin when the new workers of their pool have joined, so that it never has fewer than before", () => {
        const joining = new Set(["a3", "b1"]);
        deepStrictEqual(turns(["a1", "a2"], {}, { joining }), { a1: ["m3", "a3"], a2: ["m3", "a1", "a3"] });
        deepStrictEqual(turns(["m1"], {}, { joining: new Set(["m3", "a3"]) }), { m1: [] });
    });

    it("do not wait for one that joins in a later turn of kubernetes.upgrade.order, nor for one that a stopped run has taken out", () => {
        const turnOf = ({ name }: NodeName) => (name === "a1" ? 0 : 1);
        deepStrictEqual(turns(["a1", "a2"], {}, { joining: new Set(["a3"]), turnOf }), {
            a1: ["m3"],
            a2: ["m3", "a1", "a3"],
        });
        deepStrictEqual(turns(["a1", "a2"], {}, { joining: new Set(["a1"]) }), { a1: ["m3"], a2: ["m3", "a1"] });
    });

    it("come after the control plane, pool by pool", () => {
        deepStrictEqual(turns(["a1", "a2", "a3", "b1"]), {
            ...{ a1: ["m3"], a2: ["m3", "a1"], a3: ["m3", "a2"] },
            b1: ["m3", "a3"],
        });
    });

    it("go through the control plane one by one: each waits for the one before it, and workers for the last", () => {
        deepStrictEqual(turns(["m1", "m2", "m3", "a1"]), { m1: [], m2: ["m1"], m3: ["m2"], a1: ["m3"] });
        deepStrictEqual(turns(["m3"]), { m3: ["m2"] });
    });

    it("are as many of a pool at once as maxUnavailable says; nodes that keep their servers are not waited for", () => {
        deepStrictEqual(turns(["a1", "a2", "a3", "b1"], { a: 2 }), {
            ...{ a1: ["m3"], a2: ["m3"], a3: ["m3", "a1"] },
            b1: ["m3", "a2", "a3"],
        });
        deepStrictEqual(turns(["a2", "b1"]), { a2: ["m3"], b1: ["m3", "a2"] });
    });

    it("begin where the order of upgrades has a new entry only when all of the former one have joined, whatever maxUnavailable allows", () => {
        const turnOf = ({ name }: NodeName) => (name === "a1" ? 0 : 1);
        deepStrictEqual(turns(["a1", "a2", "a3", "b1"], { a: 3 }, { turnOf }), {
            ...{ a1: ["m3"], a2: ["m3", "a1"], a3: ["m3", "a1"] },
            b1: ["m3", "a1", "a2", "a3"],
        });
    });

    it("never lead to a node that is made later, and never let more of a pool go than allowed", () => {
        const pools = ["a", "b", "c"];
        const groups = fc.array(fc.constantFrom(...pools), { maxLength: 12 });
        fc.assert(
            fc.property(groups, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.boolean()), (given, max, is) => {
                const all = [master("m1"), ...given.map((pool, i) => worker(`w${i}`, pool))];
                const pending = new Set(all.slice(1).flatMap(({ name }) => (is.next().value ? [name] : [])));
                const maxUnavailable = Object.fromEntries(pools.map(pool => [pool, max]));
                const behind = new Map<string, Set<string>>();
                for (const [at, { name }] of all.entries()) {
                    const direct = pending.has(name)
                        ? turnAfter(name, { made: all, pending, maxUnavailable, ...together })
                        : [];
                    ok(direct.every(each => all.slice(0, at).some(earlier => earlier.name === each)));
                    behind.set(name, new Set(direct.flatMap(each => [each, ...behind.get(each)!])));
                }
                // Those of which none is behind another may go together.
                for (const { name, pool } of all.slice(1).filter(each => pending.has(each.name))) {
                    const free = all.filter(
                        each =>
                            pending.has(each.name) &&
                            !behind.get(name)!.has(each.name) &&
                            !behind.get(each.name)!.has(name),
                    );
                    ok(free.every(each => each.pool === pool));
                }
            }),
        );
    });
});

describe("the servers that are still to be replaced", () => {
    const urn = (type: string, name: string) =>
        `urn:pulumi:dev::p::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;
    const nodes = ["w1", "w2", "w3"].map(name => worker(name, "workers"));
    const start = (heals?: Heals, names = ["w1", "w2"]) => ({
        spec: JSON.stringify({
            clusterName: "core",
            clusterId: "core-1",
            nodes: Object.fromEntries(names.map(name => [name, { role: "worker" }])),
        }),
        ...(heals && { heals }),
    });
    const node = (name: string, heal?: number) => ({
        [urn("Node", name)]: { outputs: { spec: JSON.stringify({ clusterId: "core-1", name }), heal } },
    });
    const found = (state: StateOutputs, run = "one") =>
        pendingReplacements(
            { clusterName: "core", wish: { run, nodes: nodes.map(({ name }) => name) }, nodes },
            async () => state,
        );
    const pending = async (...given: Parameters<typeof found>) => [...(await found(...given)).keys()];
    const heals = {
        nodes: { w1: 2, w2: 2 },
        replaced: { w1: { run: "one", number: 2 }, w2: { run: "one", number: 2 }, w3: { run: "one", number: 0 } },
    };

    it("are all that had none under the word; not one that joins, and none in the run that makes the cluster", async () => {
        deepStrictEqual(await pending({ [urn("OperationStart", "core")]: { outputs: start() } }), ["w1", "w2"]);
        deepStrictEqual(await pending({}), []);
    });

    it("are those that a stopped run has left: a node that is out, or was not begun", async () => {
        const asked = { [urn("OperationStart", "core")]: { outputs: start(heals, ["w1", "w2", "w3"]) } };
        deepStrictEqual(await pending({ ...asked, ...node("w1", 2), ...node("w2", 1) }), ["w2"]);
        deepStrictEqual(await pending({ ...asked, ...node("w2") }), ["w1", "w2"]);
        deepStrictEqual(await pending({ ...asked, ...node("w1", 2), ...node("w2", 3) }), []);
        deepStrictEqual(await pending({ ...asked, ...node("w1", 2), ...node("w2", 2) }, "two"), ["w1", "w2", "w3"]);
    });

    it("are known with the server and the version that they have, by which preview says what changes", async () => {
        const seen = node("w1");
        const spec = JSON.stringify({ clusterId: "core-1", name: "w1", kubernetesVersion: "1.34.3" });
        Object.assign(Object.values(seen)[0]!.outputs, { serverId: "s1", spec });
        const asked = { [urn("OperationStart", "core")]: { outputs: start() } };
        deepStrictEqual(
            [...(await found({ ...asked, ...seen }))],
            [
                ["w1", { id: "s1", version: "1.34.3" }],
                ["w2", undefined],
            ],
        );
    });

    it("wait for nodes that join a cluster that exists, also after a kill or a failure; not for one that was healed before, and that may wait for others", async () => {
        const joining = async (state: StateOutputs, asksToHeal = true) => [
            ...(await joiningNodes({ clusterName: "core", nodes, asksToHeal: () => asksToHeal }, async () => state)),
        ];
        const asked = (given?: Heals) => ({
            [urn("OperationStart", "core")]: { outputs: start(given, ["w1", "w2", "w3"]) },
        });
        deepStrictEqual(await joining({ ...asked(), ...node("w1"), ...node("w2") }), ["w3"]);
        deepStrictEqual(await joining({ ...asked(heals), ...node("w2") }), ["w3"]);
        deepStrictEqual(await joining({ ...asked(heals), ...node("w2") }, false), ["w1", "w3"]);
        const failed = node("w3");
        Object.assign(Object.values(failed)[0]!.outputs, { pending: ["join the cluster"] });
        deepStrictEqual(await joining({ ...asked(), ...node("w1"), ...node("w2"), ...failed }), ["w3"]);
        deepStrictEqual(await joining({}), []);
    });

    it("are not those that pauseAfter holds at another version; one whose replacement has begun goes on", async () => {
        const at = (name: string, version: string, heal?: number) => {
            const seen = node(name, heal);
            const spec = JSON.stringify({ clusterId: "core-1", name, kubernetesVersion: version });
            return { [Object.keys(seen)[0]!]: { outputs: { spec, heal } } };
        };
        const wish = { run: "two", nodes: ["w1", "w2", "w3"] };
        const held = (state: StateOutputs, names: readonly string[]) =>
            heldReplacements(
                { clusterName: "core", wish, nodes, holds: name => names.includes(name), version: "1.34.5" },
                async () => state,
            );
        const state = (given?: Heals) => ({
            [urn("OperationStart", "core")]: { outputs: start(given, ["w1", "w2", "w3"]) },
            ...at("w1", "1.34.5", 2),
            ...at("w2", "1.34.4", 2),
            ...at("w3", "1.34.4"),
        });
        deepStrictEqual(await held(state(heals), ["w1", "w2", "w3"]), ["w2", "w3"]);
        deepStrictEqual(await held(state(heals), ["w3"]), ["w3"]);
        deepStrictEqual(await held(state({ nodes: { w2: 2, w3: 3 } }), ["w2", "w3"]), ["w2"]);
        deepStrictEqual(await held({}, ["w2"]), []);
    });

    it("are known beside those that a former run has left at another version, and that this one does not hold back", async () => {
        const { spec } = start();
        const wanted = JSON.stringify({ ...JSON.parse(spec), kubernetesVersion: "1.34.5" });
        const at = (name: string, kubernetesVersion: string) => {
            const seen = node(name);
            Object.assign(Object.values(seen)[0]!.outputs, {
                spec: JSON.stringify({ clusterId: "core-1", name, kubernetesVersion }),
            });
            return seen;
        };
        const state = {
            [urn("OperationStart", "core")]: { outputs: { spec: wanted } },
            ...{ ...at("w1", "1.34.4"), ...at("w2", "1.34.4"), ...at("w3", "1.34.5") },
        };
        const behind = (holds: (name: string) => boolean) =>
            nodesBehind({ clusterName: "core", holds }, async () => state);
        deepStrictEqual(await behind(() => false), ["w1", "w2"]);
        deepStrictEqual(await behind(name => name === "w2"), ["w1"]);
    });

    it("are not those of another cluster of the stack", async () => {
        const other = { ...start(), spec: start().spec.replace('"core"', '"edge"') };
        deepStrictEqual(await pending({ [urn("OperationStart", "edge")]: { outputs: other } }), []);
    });
});
