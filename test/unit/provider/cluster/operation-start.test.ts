import assert from "node:assert/strict";
import type { CloudStartInputs, CloudStartState } from "../../../../provider/cloud/cloud-start-inputs";
import { unknownValue } from "../../../../provider/contract/values";
import { unknownSetting } from "../../../../provider/operation/operation-start-inputs";
import { inputsOf, operationStart, shape, startNode, stateOf } from "../support/start-inputs";

describe("what is said before the infrastructure is touched", () => {
    const olds = stateOf(inputsOf(["m1", "w1", "w2"]));
    const checked = (news: CloudStartInputs, before: CloudStartInputs = olds) => operationStart.check(before, news);

    it("names who leaves, and nobody the next time", () => {
        const { inputs } = checked(inputsOf(["m1", "w1"]));
        assert.equal(inputs.operation, "scale in workers -1 (w2)");
        assert.equal(operationStart.diff("id", olds, inputs).changes, true);
        const again = checked(inputsOf(["m1", "w1"]), inputs).inputs;
        assert.deepEqual([again.operation, again.operations], [inputs.operation, inputs.operations]);
        assert.equal(operationStart.diff("id", inputs, again).changes, false);
    });

    it("names who leaves for a smaller count, and how others are chosen, with those whose server is gone", () => {
        const notes = (before: CloudStartInputs) => checked(inputsOf(["m1", "w1"]), before).notes;
        const choice = "w2 leaves: a smaller count takes the last by name, unless pools.workers.remove names others";
        assert.deepEqual(notes(olds), ["operation: scale in workers -1 (w2)", choice]);
        const withLost = { ...olds, missing: { w1: "id-w1" } };
        assert.equal(notes(withLost)!.at(-1), `${choice}, such as w1, whose server is gone`);
    });

    it("keeps the names that leave, so that they are known when their nodes are gone", () => {
        const of = (names: string[], remove?: string[]) =>
            inputsOf(names, remove && { removed: { "pools.workers": remove } });
        const shrunk = checked(of(["m1", "w2"], ["w1"]));
        assert.deepEqual([shrunk.failures, shrunk.notes], [[], ["operation: scale in workers -1 (w1)"]]);
        assert.equal(operationStart.diff("id", olds, shrunk.inputs).changes, true);
        assert.deepEqual(checked(of(["m1"], ["w1"]), shrunk.inputs).failures, []);
        const wrong = checked(of(["m1", "w1"], ["w7"])).failures!;
        assert.match(wrong[0]!.reason, /^pools\.workers\.remove names w7, and this cluster has no such node there/);
        const unused = checked(of(["m1", "w1", "w2"], ["w7"]));
        assert.deepEqual(unused.failures, []);
        assert.match(unused.notes![0]!, /^pools\.workers\.remove: w7 is no node now/);
        const again = checked(of(["m1", "w1", "w2"], ["w7"]), unused.inputs);
        assert.equal(again.notes, undefined);
        const later = checked(of(["m1", "w1"], ["w7"]), again.inputs).failures!;
        assert.match(later[0]!.reason, /^pools\.workers\.remove names w7.* while w2 would leave/);
        assert.deepEqual(checked(of(["m1", "w1"], ["w2"]), again.inputs).failures, []);
    });

    it("refuses what a cluster cannot change, too: a run may leave the identity out", () => {
        const kept = (cni: string, masters = ["m1"]) =>
            JSON.stringify({ fixed: { "network.cni": cni }, masters, workers: ["w1"] });
        const of = (keptInputs: string) => ({ ...inputsOf(["m1", "w1", "w2"]), keptInputs });
        const before = stateOf(of(kept("bridge")));
        const [failure] = checked(of(kept("none")), before).failures!;
        assert.match(
            failure!.reason,
            /^network\.cni cannot be changed: this cluster has "bridge", "none" is asked for/,
        );
        assert.deepEqual(checked(of(kept("bridge")), before).failures, []);
        assert.equal(operationStart.diff("id", before, before).changes, false);
        assert.equal(
            operationStart.diff("id", before, { ...before, keptInputs: kept("bridge", ["m1", "m2"]) }).changes,
            true,
        );
    });

    it("counts from one, keeps the count, and begins anew for a node that is new", () => {
        assert.deepEqual(olds.generations, { m1: 1, w1: 1, w2: 1 });
        const { inputs } = checked(inputsOf(["m1", "w1", "w3"]), { ...olds, generations: { m1: 3, w1: 1, w2: 2 } });
        assert.deepEqual(inputs.generations, { m1: 3, w1: 1, w3: 1 });
    });

    it("refuses another name of a volume: the data would go with the former one", () => {
        const withVolumes = (...names: string[]) => {
            const volumes = Object.fromEntries(names.map(name => [`volumes.${name}.type`, "ssd"]));
            const inputs = inputsOf(["m1", "w1"]);
            inputs.spec.nodes.w1 = startNode("w1", { shape: { ...shape, ...volumes } });
            return inputs;
        };
        const failures = (before: string[], after: string[]) =>
            checked(withVolumes(...after), stateOf(withVolumes(...before))).failures!.map(({ reason }) => reason);
        const [reason, ...others] = failures(["data"], ["disk"]);
        assert.deepEqual(others, []);
        assert.match(reason!, /^w1: volumes\.data would be deleted with all data, and an empty disk made/);
        assert.deepEqual(failures(["data", "log"], ["data"]), []);
        assert.deepEqual(failures(["data"], ["data", "log"]), []);
    });

    it("refuses other servers for nodes that exist, with both values, for either back end", () => {
        for (const backEnd of ["heat", "nova"] as const) {
            const news = inputsOf(["m1", "w1", "w2"], { backEnd });
            news.spec.nodes.w1 = startNode("w1", { shape: { ...shape, flavor: "m1.large" } });
            const { failures } = checked(news);
            assert.equal(failures!.length, 1);
            assert.match(
                failures![0]!.reason,
                /^w1: flavor cannot be changed on an existing server yet: it has m1\.small, m1\.large is asked for/,
            );
        }
    });

    it("lets a volume come or go, but not become another one", () => {
        const data = (type?: string) => ({ ...shape, ...(type !== undefined && { "volumes.data.type": type }) });
        const failuresOf = (from?: string, to?: string) => {
            const [olds, news] = [inputsOf(["w1"]), inputsOf(["w1"])];
            olds.spec.nodes.w1 = startNode("w1", { shape: data(from) });
            news.spec.nodes.w1 = startNode("w1", { shape: data(to) });
            return operationStart.check(olds, news).failures ?? [];
        };
        assert.deepEqual(failuresOf(undefined, "fast"), []);
        assert.deepEqual(failuresOf("fast", undefined), []);
        assert.match(
            failuresOf("fast", "slow")[0]!.reason,
            /volumes\.data\.type cannot be changed .* it has fast, slow/,
        );
    });

    it("compares only what both sides say: a template's values may be known later", () => {
        const news = inputsOf(["m1", "w1", "w2"]);
        news.spec.nodes.w1 = startNode("w1", { shape: { ...shape, serverGroup: "affinity" } });
        assert.deepEqual(checked(news).failures, []);
        assert.deepEqual(checked(inputsOf(["m1", "w1", "w2"]), { ...olds, spec: news.spec }).failures, []);
        const none = inputsOf(["w1"]);
        none.spec.nodes.w1 = startNode("w1", { shape: { ...shape, serverGroup: "none" } });
        news.spec.nodes = { w1: news.spec.nodes.w1! };
        assert.match(operationStart.check(none, news).failures![0]!.reason, /it has none, affinity is asked for/);
    });

    it("lets a server that is lost be made again of something else: its flavor or zone may be gone, too", () => {
        const news = inputsOf(["m1", "w1", "w2"]);
        for (const name of ["w1", "w2"]) news.spec.nodes[name] = startNode(name, { shape: { ...shape, flavor: "m2" } });
        const { failures } = checked(news, { ...olds, missing: { w1: "id-w1" } });
        assert.deepEqual(
            failures!.map(({ reason }) => reason.slice(0, 10)),
            ["w2: flavor"],
        );
    });

    it("refuses that nodes or volumes leave while deleteProtection is true, with either back end", () => {
        for (const backEnd of ["heat", "nova"] as const) {
            const before = inputsOf(["m1", "w1", "w2"], { backEnd, protect: true });
            before.spec.nodes.w1 = startNode("w1", { shape: { ...shape, "volumes.data.type": "fast" } });
            const refused = (protect: boolean) =>
                checked(inputsOf(["m1", "w1"], { backEnd, protect }), before).failures!;
            const [volume, node, ...others] = refused(true).map(({ reason }) => reason);
            assert.match(
                volume!,
                /^w1: its volume data, with its data, would be deleted, and deleteProtection is true\./,
            );
            assert.match(
                node!,
                /^w2: its server and volumes would be deleted, and deleteProtection is true\. Set back/,
            );
            assert.deepEqual(others, []);
            assert.deepEqual(refused(false), []);
            assert.deepEqual(checked(before, before).failures, []);
        }
    });

    it("refuses that volumes of the user's own template leave, or are made again, while deleteProtection is true", () => {
        const volume = 'OS::Cinder::Volume image="debian"';
        const refused = (kept: Record<string, string> | undefined, protect = true) => {
            const before = inputsOf(["m1"], { protect: true, kept: { data: volume, net: "OS::Neutron::Net" } });
            return checked(inputsOf(["m1"], { protect, ...(kept && { kept }) }), before).failures!.map(
                each => each.reason,
            );
        };
        assert.deepEqual(refused({ data: volume, net: "OS::Neutron::Net", more: volume }), []);
        const [made, ...others] = refused({ data: 'OS::Cinder::Volume image="other"', net: "OS::Neutron::Net" });
        assert.match(
            made!,
            /^the template's data \(OS::Cinder::Volume image="debian", now OS::Cinder::Volume image="other"\) would be deleted, and deleteProtection/,
        );
        assert.deepEqual(others, []);
        assert.match(refused({ data: volume })[0]!, /^the template's net \(OS::Neutron::Net\) would be deleted/);
        assert.equal(refused(undefined).length, 2);
        assert.deepEqual(refused({}, false), []);
    });

    it("refuses that a node becomes another server of the template, by a renamed resource or another order", () => {
        const of = (servers: Record<string, string>) => {
            const all = inputsOf(Object.keys(servers));
            for (const [name, server] of Object.entries(servers)) all.spec.nodes[name]!.stack!.server = server;
            return all;
        };
        const refused = (before: Record<string, string>, after: Record<string, string>) =>
            operationStart
                .check(stateOf(of(before)), of(after))
                .failures!.map(({ reason }) => /the server of .*?(?=: Heat)/.exec(reason)?.[0]);
        const three = { m1: "a", m2: "b", m3: "c" };
        const says = (node: string, before: string, after: string) =>
            `the server of ${node} is the resource ${before}, and the program now says ${after}`;
        assert.deepEqual(refused(three, { ...three, m2: "x" }), [says("m2", "b", "x")]);
        assert.deepEqual(refused(three, { m1: "c" }), [says("m1", "a", "c")]);
        assert.deepEqual(refused(three, { m1: "b", m2: "a", m3: "c" }), [says("m1", "a", "b"), says("m2", "b", "a")]);
        assert.deepEqual(refused({ m1: "c" }, { m1: "a", m2: "b", m3: "c" }), [
            says("m1", "c", "a"),
            says("m1", "c", "that of m3"),
        ]);
        assert.deepEqual(refused(three, { m1: "a", m2: "b" }), []);
        assert.deepEqual(refused({ m1: "a" }, three), []);
    });

    it("refuses another part of a user's template under a running node, but not under a lost one", () => {
        const parts = { "w1_server/type": "s", "w1_server/image": "a", "net/type": "n" };
        const refused = (after: Record<string, string>, before: Partial<CloudStartState> = {}) => {
            const olds = { ...stateOf(inputsOf(["m1", "w1"], { parts })), ...before };
            const { failures = [] } = operationStart.check(olds, inputsOf(["m1", "w1"], { parts: after }));
            return failures.map(({ reason }) => reason.replace(/ has another value.*/s, ""));
        };
        const says = (part: string) => [`infrastructure.heat.template: ${part}`];
        assert.deepEqual(refused({ ...parts, "w1_server/image": "b" }), says("image of w1_server"));
        assert.deepEqual(refused({ ...parts, "w1_server/security_groups": "g" }), says("security_groups of w1_server"));
        assert.deepEqual(refused({ "w1_server/type": "s", "net/type": "n" }), says("image of w1_server"));
        assert.deepEqual(refused({ ...parts, "net/type": "p" }), says("type of net"));
        assert.deepEqual(refused({ ...parts, "w2_server/type": "s", "w2_server/image": "b" }), []);
        assert.deepEqual(refused({ ...parts, "w1_server/image": unknownSetting }), []);
        assert.deepEqual(refused(parts), []);
        const used = { ...parts, "net/used by way": "y" };
        assert.deepEqual(refused(used), [], "one more way");
        assert.deepEqual(refused(parts, stateOf(inputsOf(["m1", "w1"], { parts: used }))), says("used by way of net"));
        const lost = { missing: { w1: "old-id" } };
        assert.deepEqual(refused({ ...parts, "w1_server/image": "b" }, lost), []);
        assert.deepEqual(refused({ ...parts, "net/type": "p" }, lost), says("type of net"));
        const plain = stateOf(inputsOf(["m1", "w1"]));
        assert.deepEqual(
            operationStart.check(plain, inputsOf(["m1", "w1"], { parts })).failures,
            [],
            "our template before",
        );
    });

    it("refuses to follow another cluster's id, before anything else does: the state has lost the identity", () => {
        const reasons = (clusterId: string, before = olds) =>
            checked(inputsOf(["m1", "w1", "w2"], { clusterId }), before).failures!.map(({ reason }) => reason);
        const [reason, ...others] = reasons("core-ffffffff");
        assert.match(reason!, /resources of the cluster core-00000001, and the program now has core-ffffffff/);
        assert.match(reason!, /pulumi stack import; with a file or bucket as backend, copy/);
        assert.deepEqual(others, []);
        assert.deepEqual(reasons(unknownValue), []);
        assert.deepEqual(reasons("core-00000001"), []);
        assert.deepEqual(reasons("core-ffffffff", {} as never), []);
    });

    it("takes its new URN into the state after a renaming, so that a replacement is told from an end", () => {
        const renamed = { ...inputsOf(["m1", "w1", "w2"]), resourceUrn: "urn:renamed" };
        assert.equal(operationStart.diff("id", olds, checked(renamed).inputs).changes, true);
    });

    it("lets new nodes be of another shape, and does not ask about what is not known yet", () => {
        const news = inputsOf(["m1", "w1", "w2", "w3"]);
        news.spec.nodes.w3 = startNode("w3", { shape: { image: "other" } });
        news.spec.nodes.w1 = startNode("w1", { shape: { ...shape, image: unknownValue } });
        assert.deepEqual(checked(news).failures, []);
    });

    it("never asks to be replaced: the servers behind it live on", () => {
        const news = inputsOf(["m1"], { clusterId: unknownValue, backEnd: "nova" });
        assert.deepEqual(operationStart.diff("id", olds, news).replaces ?? [], []);
    });
});
