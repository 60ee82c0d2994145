import assert from "node:assert/strict";
import fc from "fast-check";
import type { CloudStartInputs } from "../../../../provider/cloud/cloud-start-inputs";
import { operationStart as anyStart } from "../../../../provider/cluster/operation-start";
import type { ResourceType } from "../../../../provider/contract/types";
import { type Heals, serverHealUpTo } from "../../../../provider/operation/heals";
import { isReplacement, type ReplaceWish } from "../../../../provider/operation/replacements";

const operationStart = anyStart as unknown as ResourceType<CloudStartInputs, CloudStartInputs>;
const all = ["m1", "m2", "m3", "w1", "w2"];
const workers = ["w1", "w2"];
const shape = { flavor: "small", availabilityZone: "none", bootVolume: "none", "volumes.data.type": "fast" };

interface More {
    names?: string[];
    /** Of all nodes. */
    shape?: Record<string, string>;
    spec?: object;
    inputs?: object;
}

const inputs = (wish?: Partial<ReplaceWish>, more: More = {}) =>
    ({
        resourceUrn: "urn:start",
        spec: {
            clusterId: "core-00000001",
            clusterName: "core",
            backEnd: "nova",
            kubernetesVersion: "1.36.3",
            nodes: Object.fromEntries(
                (more.names ?? all).map(name => [
                    name,
                    { role: name.startsWith("m") ? "controlPlane" : "worker", shape: { ...shape, ...more.shape } },
                ]),
            ),
            ...more.spec,
        },
        ...more.inputs,
        ...(wish && { replaceServers: { run: "one", nodes: workers, ...wish } }),
    }) as unknown as CloudStartInputs;
/** What the engine has after a run with these inputs. */
const stateAfter = (news: CloudStartInputs, olds: Partial<CloudStartInputs> = {}) =>
    operationStart.check(olds, news).inputs;
const old = stateAfter(inputs());
const reasons = (news: CloudStartInputs, olds: Partial<CloudStartInputs> = old) =>
    (operationStart.check(olds, news).failures ?? []).map(({ reason }) => reason);

describe("servers that a program replaces", () => {
    it("are refused among control-plane nodes that a stopped upgrade has left behind, not among workers", () => {
        const wish = { nodes: ["m1"], pending: ["m1"], behind: ["m2", "m3"] };
        assert.match(
            reasons(inputs(wish)).join(),
            /replaceServers: m2, m3 have not moved to kubernetes\.version 1\.36\.3/,
        );
        assert.deepEqual(reasons(inputs({ ...wish, nodes: ["w1"], pending: ["w1"] })), []);
        assert.deepEqual(reasons(inputs({ ...wish, behind: [] })), []);
    });

    it("are refused beside workers of their pool that this run moves in place, also if the version is one of a former run", () => {
        const said = (wish: Partial<ReplaceWish>) => reasons(inputs(wish)).join();
        const left = { nodes: ["w1"], pending: ["w1"] };
        assert.match(said({ ...left, behind: ["w2"] }), /and w2 would move in place beside w1.*Name whole pools/);
        assert.match(said({ ...left, behind: ["w1", "w2"] }), /and w2 would move in place beside w1/);
        // All have their servers, or all get one.
        assert.equal(said({ ...left, behind: ["w1"] }), "");
        assert.equal(said({ nodes: workers, pending: workers, behind: workers }), "");
        const once = stateAfter(inputs(left), old);
        assert.deepEqual(reasons(inputs({ nodes: ["w1"], pending: [], behind: ["w2"] }), once), []);
    });

    it("are an operation, which names the nodes and the word", () => {
        const { inputs: found, notes } = operationStart.check(old, inputs({ nodes: ["w2", "w1"] }));
        assert.equal(found.operation, "heal w1, w2 (new servers: one)");
        assert.deepEqual(notes, ["operation: heal w1, w2 (new servers: one)"]);
        assert.deepEqual(found.heals, {
            nodes: { w1: 1, w2: 1 },
            servers: { w1: [1], w2: [1] },
            replaced: { w1: { run: "one", number: 1 }, w2: { run: "one", number: 1 } },
        });
        assert.equal(found.replaceServers, undefined);
        assert.equal(operationStart.diff("id", old, found).changes, true);
        assert.ok(isReplacement(found.heals!, "w1"));
    });

    it("are replaced once for a request; under the same one further nodes follow, and no node twice", () => {
        const once = stateAfter(inputs({ nodes: ["w1"] }), old);
        for (const news of [inputs({ nodes: ["w1"] }), inputs()]) {
            const again = stateAfter(news, once);
            assert.deepEqual([again.heals, again.operations], [once.heals, once.operations]);
            assert.equal(operationStart.diff("id", once, again).changes, false);
        }
        const rest = stateAfter(inputs({}), once);
        assert.equal(rest.operation, "heal w2 (new servers: one)");
        assert.deepEqual(rest.heals!.nodes, { w1: 1, w2: 2 });
        const next = stateAfter(inputs({ run: "two", nodes: ["w1"] }), rest);
        assert.deepEqual(next.heals!.servers!["w1"], [1, 3]);
    });

    it("are not those of nodes that are made under the word: these are new", () => {
        const made = stateAfter(inputs({}));
        assert.match(made.operation!, /^instantiate/);
        assert.deepEqual(stateAfter(inputs({}), made).operations, made.operations);
        const more = stateAfter(inputs({ nodes: [...workers, "w3"] }, { names: [...all, "w3"] }), made);
        assert.match(more.operation!, /^scale out/);
        assert.deepEqual(more.heals!.replaced!["w3"], { run: "one", number: 0 });
        assert.ok(!isReplacement(more.heals!, "w3"));
    });

    it("have numbers of their own beside heals: no number is given twice, and a heal on the old server replaces nothing", () => {
        fc.assert(
            fc.property(fc.array(fc.tuple(fc.boolean(), fc.subarray(workers, { minLength: 1 }))), rows => {
                let state = old;
                for (const [i, [heals, nodes]] of rows.entries()) {
                    const before = state.heals;
                    const heal = { run: `word-${i}`, nodes, cure: "rejoin" as const };
                    state = stateAfter(
                        heals ? inputs(undefined, { inputs: { heal } }) : inputs({ run: `word-${i}`, nodes }),
                        state,
                    );
                    const now: Heals = state.heals!;
                    for (const name of nodes) {
                        assert.ok(now.nodes[name]! > Math.max(0, ...Object.values(before?.nodes ?? {})));
                        assert.equal(isReplacement(now, name), !heals);
                        const server = serverHealUpTo(now, name, Number.POSITIVE_INFINITY);
                        assert.equal(server === now.nodes[name], !heals);
                    }
                }
            }),
        );
    });

    it("may get another flavor, zone or boot volume; one that keeps its server may not, and the refusal says how", () => {
        const other = { flavor: "large", bootVolume: "20 GiB" };
        const withWorkers = (wish: Partial<ReplaceWish>, changed = other) => {
            const news = inputs(wish);
            for (const name of workers) Object.assign(news.spec.nodes[name]!.shape, changed);
            return news;
        };
        assert.deepEqual(reasons(withWorkers({})), []);
        const found = reasons(withWorkers({ nodes: ["w1"] }));
        assert.deepEqual(
            found.map(reason => reason.split(" cannot")[0]),
            ["w2: flavor", "w2: bootVolume"],
        );
        assert.match(found[0]!, /replaceServers: \{ run: "new-flavor", nodes: \["w2"\] \} in the program/);
        const [ofMaster] = reasons(inputs({}, { shape: { flavor: "large" } }));
        assert.match(ofMaster!, /^m1: flavor cannot be changed .*replaceServers: .*nodes: \["m1"\]/);
        assert.deepEqual(reasons(inputs({ nodes: all }, { shape: { flavor: "large" } })), []);
        const volume = { shape: { "volumes.data.type": "slow" } };
        const [refusal, ...others] = reasons(inputs({ nodes: ["w1"] }, volume));
        assert.equal(others.length, 4, "the volumes of all five nodes stay");
        assert.doesNotMatch(refusal!, /replaceServers/);
    });

    const table: [promise: string, wish: Partial<ReplaceWish>, more: More, said: RegExp][] = [
        ["names of no node", { nodes: ["w7"] }, {}, /^replaceServers\.nodes: .* no node and no pool w7; it has m1, m2/],
        ["what is protected", { nodes: ["w1"] }, { spec: { protect: true } }, /: the server of w1 .*deleteProtection/],
        [
            "nodes beside a heal",
            { nodes: ["w1"] },
            { inputs: { heal: { run: "x", nodes: ["w2"], cure: "rejoin" } } },
            /1\. heal \(w2\).*; 2\. replaceServers \(w1\)/,
        ],
        [
            "control-plane nodes beside another version of Kubernetes",
            { nodes: ["m1"] },
            { spec: { kubernetesVersion: "1.36.4" } },
            /kubernetes\.version cannot change in .*m1/,
        ],
        [
            "a part of a pool beside another version of Kubernetes",
            { nodes: ["w1"] },
            { spec: { kubernetesVersion: "1.36.4" } },
            /^replaceServers: .* and w2 would move in place beside w1/,
        ],
    ];
    for (const [promise, wish, more, said] of table) {
        it(`are refused for ${promise}, before anything is touched`, () => {
            const [reason] = reasons(inputs(wish, more));
            assert.match(reason ?? "", said);
        });
    }
    for (const [promise, wish, more, said] of table.filter(([, , { spec, inputs }]) => spec ?? inputs)) {
        it(`go on after a stopped run, but not with ${promise}`, () => {
            const begun = stateAfter(inputs(wish), old);
            const left = { ...wish, pending: wish.nodes! };
            assert.deepEqual(reasons(inputs(left), begun), []);
            assert.match(reasons(inputs(left, more), begun)[0] ?? "", said);
            // All have their new servers.
            assert.deepEqual(reasons(inputs({ ...wish, pending: [] }, more), begun), []);
        });
    }

    it("may be whole pools that move to another version of Kubernetes by it, also with a worker that joins", () => {
        const moved = { spec: { kubernetesVersion: "1.36.4" } };
        const found = stateAfter(inputs({}, moved), old);
        assert.equal(
            found.operation,
            "heal w1, w2 (new servers: one); change current package: Kubernetes 1.36.3 to 1.36.4",
        );
        const names = [...all, "w3"];
        assert.deepEqual(reasons(inputs({ nodes: [...workers, "w3"] }, { ...moved, names })), []);
        // pauseAfter holds the others of the pool, so none of it moves in place.
        assert.deepEqual(reasons(inputs({ nodes: ["w1"], held: ["w2"] }, moved)), []);
        // One that has had its turn under the word would move in place.
        const once = stateAfter(inputs({ nodes: ["w1"] }), old);
        assert.match(reasons(inputs({}, moved), once).join(), /and w1 would move in place beside w2/);
    });

    it("may be control-plane nodes, but never the only one", () => {
        const found = stateAfter(inputs({ nodes: ["m2", "w1", "m1"] }), old);
        assert.equal(found.operation, "heal m1, m2, w1 (new servers: one)");
        const single = stateAfter(inputs(undefined, { names: ["m1", "w1"] }));
        const [reason] = reasons(inputs({ nodes: ["m1", "w1"] }, { names: ["m1", "w1"] }), single);
        assert.match(reason!, /^replaceServers: m1 is the only control-plane node/);
        assert.deepEqual(reasons(inputs({ nodes: ["w1"] }, { names: ["m1", "w1"] }), single), []);
    });

    it("do not matter any more when they have had their turn: a name that left", () => {
        const once = stateAfter(inputs({}), old);
        const later = inputs({ nodes: workers }, { names: ["m1", "m2", "m3", "w1"] });
        assert.deepEqual(reasons(later, once), []);
    });
});
