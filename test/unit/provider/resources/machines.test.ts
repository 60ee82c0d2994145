import assert from "node:assert/strict";
import type { Identity } from "../../../../provider/identity";
import { factsArgv } from "../../../../provider/kubeadm/look";
import { nodeSteps } from "../../../../provider/kubeadm/node-steps";
import { giveUpVariable } from "../../../../provider/resources/give-up";
import { host } from "../../../../provider/resources/host";
import { node } from "../../../../provider/resources/node";
import { hasUnknown, unknownValue } from "../../../../provider/resources/values";
import { closeAll } from "../../../../provider/ssh";
import { agentPath, plan, stateFolder, stepTitles } from "../../../../provider/steps";
import { FakeFleet } from "../../../../testing";
import { listener, machine, testIdentity } from "./cluster";

interface Partial {
    id?: string;
    properties?: { done: Record<string, string>; pending: string[]; hostKey?: string };
    reasons?: string[];
    message: string;
}

const failureOf = (promise: Promise<unknown>) =>
    promise.then(
        () => assert.fail("it should have failed"),
        error => error as Partial,
    );

describe("machines as resources", function () {
    this.timeout(30_000);
    let identity: Identity;
    let fleet: FakeFleet;
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 1 });
    const masters = () => ({ m1: target("m1"), m2: target("m2") });
    const of = (name: string, changes = {}) =>
        machine(identity, name, name.startsWith("m") ? "controlPlane" : "worker", target(name), masters(), changes);

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "m2", "w1"] });
    });
    afterEach(async () => {
        await closeAll();
        await fleet.stop();
    });

    const make = async (name: string) => {
        const { host: hostInputs, node: nodeInputs } = of(name);
        const madeHost = await host.create(hostInputs, listener());
        const madeNode = await node.create(nodeInputs, listener());
        return { host: madeHost, node: madeNode };
    };

    it("becomes a cluster: the first master initialises, the others join", async () => {
        await make("m1");
        await make("m2");
        const { host: worker, node: member } = await make("w1");
        assert.match(fleet.node("m1").agent.scripts["cluster.join"], /kubeadm init/);
        assert.match(fleet.node("m2").agent.scripts["cluster.join"], /kubeadm join/);
        assert.match(fleet.node("w1").agent.scripts["cluster.join"], /kubeadm join/);
        assert.equal(worker.id, `${identity.clusterId}/w1`);
        assert.equal(member.outs.hostKey, fleet.node("w1").hostKey);
        assert.deepEqual(member.outs.pending, []);
        assert.equal(host.diff(worker.id, worker.outs, of("w1").host).changes, false);
        assert.equal(node.diff(member.id, member.outs, of("w1").node).changes, false);
    });

    it("changes only what differs: a label runs one step on one node", async () => {
        await make("m1");
        const { node: made } = await make("m2");
        const news = of("m2", { labels: { tier: "core" } }).node;
        const diff = node.diff(made.id, made.outs, news);
        assert.deepEqual([diff.changes, diff.replaces], [true, []]);
        const before = fleet.node("m2").commands.length;
        await node.update(made.id, made.outs, news, listener());
        const verbs = fleet
            .node("m2")
            .commands.slice(before)
            .flatMap(call => (call.argv[1] === "run" ? call.argv[2] : []));
        assert.deepEqual(verbs, []);
        const recorded = fleet
            .node("m2")
            .commands.slice(before)
            .filter(call => call.argv[1] === "done");
        assert.deepEqual(
            recorded.map(call => call.argv[2]),
            ["node.labels"],
        );
    });

    it("keeps a resource whose creation failed midway, says what is still to do, and goes on from there", async () => {
        const { host: inputs } = of("w1");
        fleet.node("w1").agent.failStep("host.sysctls");
        const failure = await failureOf(host.create(inputs, listener()));
        assert.equal(failure.id, `${identity.clusterId}/w1`);
        assert.ok(Object.keys(failure.properties!.done).length > 0);
        assert.ok(failure.properties!.pending.includes("set kernel parameters"));
        assert.match(failure.reasons![0], /^step "set kernel parameters" failed: w1: /);
        const state = { ...inputs, ...failure.properties! };
        assert.equal(host.diff(failure.id!, state, inputs).changes, true);
        const begun = fleet.begun().length;
        const { outs } = await host.update(failure.id!, state, inputs, listener());
        assert.equal(fleet.begun()[begun], "w1 host.sysctls");
        assert.equal(host.diff(failure.id!, outs, inputs).changes, false);
        assert.equal(new Set(fleet.begun()).size, fleet.begun().length - 1, "only the failed step ran twice");
    });

    it("goes on from the node's journal when the operator died and the engine knows nothing", async () => {
        const { host: inputs } = of("w1");
        fleet.node("w1").agent.failStep("host.sysctls");
        await failureOf(host.create(inputs, listener()));
        const begun = fleet.begun().length;
        await host.create(inputs, listener());
        assert.equal(fleet.begun()[begun], "w1 host.sysctls");
    });

    it("is not kept when nothing was touched: unreachable, or another cluster's", async () => {
        fleet.node("w1").agent.belongsTo = { cluster: "other-1", node: "w1" };
        const foreign = await failureOf(host.create(of("w1").host, listener()));
        assert.equal(foreign.id, undefined);
        assert.match(foreign.message, /^w1: FOREIGN_NODE/);
        const inputs = of("m1").host;
        await fleet.node("m1").powerOff();
        const unreachable = await failureOf(host.create(inputs, listener()));
        assert.equal(unreachable.id, undefined);
        assert.match(unreachable.message, /^m1: connect: CONNECT_FAILED/);
    });

    it("names the node where a connection fails", async () => {
        const { node: inputs } = of("w1");
        await fleet.node("w1").powerOff();
        assert.match((await failureOf(node.create(inputs, listener()))).message, /^w1: connect: CONNECT_FAILED/);
    });

    it("asks for a new resource only where it is another machine or cluster", async () => {
        const { node: made } = await make("m1");
        const news = of("m1").node;
        for (const change of [
            { clusterId: "x" },
            { name: "m9" },
            { role: "worker" as const },
            { address: "10.0.0.9" },
        ]) {
            const diff = node.diff(made.id, made.outs, { ...news, spec: { ...news.spec, ...change } });
            assert.deepEqual([diff.replaces, diff.deleteBeforeReplace], [["spec"], true]);
        }
    });

    it("asks for a new host where the address is another: it is another machine, and the former one must be cleaned", async () => {
        const { host: made } = await make("m1");
        const news = of("m1").host;
        const masters = news.spec.masters.map(one => (one.name === "m1" ? { ...one, address: "10.99.0.99" } : one));
        const moved = { ...news, spec: { ...news.spec, address: "10.99.0.99", masters } };
        const diff = host.diff(made.id, made.outs, moved);
        assert.deepEqual([diff.replaces, diff.deleteBeforeReplace], [["spec"], true]);
        const all = masters.map(one => ({ ...one, address: "10.99.0.99" }));
        const nobodyStays = { ...moved, spec: { ...moved.spec, masters: all } };
        assert.throws(
            () => host.diff(made.id, made.outs, nobodyStays),
            /m1: INVALID_INPUT[\s\S]*all be other machines/,
        );
    });

    it("may have its address corrected where it was never made ready, also as the only master", async () => {
        const { host: inputs } = of("m1");
        const only = { ...inputs, spec: { ...inputs.spec, masters: inputs.spec.masters.slice(0, 1) } };
        fleet.node("m1").agent.failStep("host.sysctls");
        const { id, properties } = await failureOf(host.create(only, listener()));
        const masters = [{ name: "m1", address: "10.99.0.99" }];
        const corrected = { ...only, spec: { ...only.spec, address: "10.99.0.99", masters } };
        assert.deepEqual(host.diff(id!, properties as never, corrected).replaces, ["spec"]);
    });

    it("updates when its own credentials change, not when those of its masters do", async () => {
        const { node: made } = await make("m1");
        const news = of("m1").node;
        const renewed = { ...news.connection, privateKey: "another" };
        assert.equal(node.diff(made.id, made.outs, { ...news, connection: renewed }).changes, true);
        const peers = news.controlPlane.map(peer => ({
            ...peer,
            connection: { ...peer.connection, privateKey: "x", hostKey: "y" },
        }));
        assert.equal(node.diff(made.id, made.outs, { ...news, controlPlane: peers }).changes, false);
        assert.equal(node.diff(made.id, made.outs, { ...news, controlPlane: peers.slice(1) }).changes, true);
    });

    it("remembers another way to be drained, and runs no step for it", async () => {
        const { node: made } = await make("m1");
        const news = of("m1", { drain: { timeoutSeconds: 9, policy: "delete" } }).node;
        assert.deepEqual((({ changes, replaces }) => [changes, replaces])(node.diff(made.id, made.outs, news)), [
            true,
            [],
        ]);
        const begun = fleet.begun().length;
        const { outs } = await node.update(made.id, made.outs, news, listener());
        assert.deepEqual(outs.spec.drain, { timeoutSeconds: 9, policy: "delete" });
        assert.equal(fleet.begun().length, begun);
    });

    describe("asked for another Kubernetes version", () => {
        const newer = <T extends { spec: object }>(inputs: T): T => ({
            ...inputs,
            spec: { ...inputs.spec, kubernetesVersion: "1.34.5" },
        });

        it("refuses as a member of its cluster, at preview already", async () => {
            const { node: made } = await make("m1");
            const before = fleet.node("m1").commands.length;
            assert.throws(
                () => node.diff(made.id, made.outs, newer(of("m1").node)),
                /m1: INVALID_INPUT[\s\S]*upgrades are not there yet: this node runs 1\.34\.4, 1\.34\.5 is asked for; nothing was touched/,
            );
            assert.equal(fleet.node("m1").commands.length, before);
        });

        it("refuses as its host before anything is put there", async () => {
            const { host: made } = await make("m1");
            fleet.node("m1").on({ startsWith: ["test", "-s", "/var/lib/pulumi-nfv/member"] }, { code: 0 });
            const begun = fleet.begun().length;
            const failure = await failureOf(host.update(made.id, made.outs, newer(of("m1").host), listener()));
            assert.match(failure.message, /upgrades are not there yet/);
            assert.equal(failure.id, undefined, "the state stays as it was");
            assert.equal(fleet.begun().length, begun);
        });

        it("takes it where it never became a member: a mistake can be corrected", async () => {
            const { node: inputs } = of("m1");
            fleet.node("m1").agent.failStep("cluster.join");
            const failure = await failureOf(node.create(inputs, listener()));
            const state = { ...inputs, ...failure.properties! };
            assert.equal(node.diff(failure.id!, state, newer(inputs)).changes, true);
        });

        it("takes it as a node of another cluster", async () => {
            const { node: made } = await make("m1");
            const news = newer(of("m1").node);
            const other = { ...news, spec: { ...news.spec, clusterId: "other-1" } };
            assert.deepEqual(node.diff(made.id, made.outs, other).replaces, ["spec"]);
        });
    });

    it("bears values that are not known yet at preview", async () => {
        const { node: made } = await make("m1");
        const news = of("m1").node;
        const unknown = { ...news, spec: unknownValue as never, steps: unknownValue as never };
        assert.ok(hasUnknown(unknown));
        assert.deepEqual(node.check({}, unknown).failures, []);
        assert.equal(node.diff(made.id, made.outs, unknown).changes, true);
    });

    it("refuses inputs that cannot be, by name", () => {
        const news = of("m1").node;
        const failures = node.check({}, { ...news, controlPlane: [], spec: { ...news.spec, name: "" } }).failures!;
        assert.deepEqual(failures.map(failure => failure.property).sort(), ["controlPlane", "spec.name"]);
    });

    describe("found by a refresh", () => {
        it("is as it was when nothing changed", async () => {
            const { host: madeHost, node: madeNode } = await make("m1");
            const seen = await node.read(madeNode.id, madeNode.outs, listener());
            assert.deepEqual(seen, { id: madeNode.id, props: madeNode.outs });
            assert.deepEqual(await host.read(madeHost.id, madeHost.outs, listener()), {
                id: madeHost.id,
                props: madeHost.outs,
            });
        });

        it("is found for host and node at the same time", async () => {
            const { host: madeHost, node: madeNode } = await make("m1");
            const context = listener();
            const reads = Array.from({ length: 5 }, () => [
                host.read(madeHost.id, madeHost.outs, context),
                node.read(madeNode.id, madeNode.outs, context),
            ]);
            await Promise.all(reads.flat());
            assert.deepEqual(context.warned, []);
        });

        it("shows a step that is no longer done, which the next update does again", async () => {
            const { host: made } = await make("m1");
            delete fleet.node("m1").agent.journal["host.sysctls"];
            const seen = await host.read(made.id, made.outs, listener());
            assert.equal(seen.props!.done["host.sysctls"], undefined);
            assert.equal(host.diff(made.id, seen.props!, of("m1").host).changes, true);
        });

        it("is gone when the machine was rebuilt", async () => {
            const { host: madeHost, node: madeNode } = await make("m1");
            const { agent } = fleet.node("m1");
            for (const id of Object.keys(agent.journal)) delete agent.journal[id];
            assert.deepEqual(await host.read(madeHost.id, madeHost.outs, listener()), {});
            assert.deepEqual(await node.read(madeNode.id, madeNode.outs, listener()), {});
        });

        it("is kept, with a warning, when the machine cannot be reached", async () => {
            const { host: made } = await make("m1");
            await fleet.node("m1").powerOff();
            const context = listener();
            assert.deepEqual(await host.read(made.id, made.outs, context), { id: made.id, props: made.outs });
            assert.match(context.warned[0], /^m1: kept as it was/);
        });

        it("is kept when the cluster's API cannot be asked", async () => {
            const { node: made } = await make("m1");
            fleet.node("m1").on({ startsWith: ["sh", "-s", "pulumi-nfv-facts"] }, { code: 1 });
            const context = listener();
            assert.equal((await node.read(made.id, made.outs, context)).id, made.id);
            assert.match(context.warned[0], /m1: whether the cluster knows this node was not found out/);
        });
    });

    describe("removed", () => {
        it("leaves through another master, and forgets its membership but not its host", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            await node.delete(made.id, made.outs, listener());
            const { journal } = fleet.node("w1").agent;
            assert.equal(journal["cluster.join"], undefined);
            assert.ok(journal["host.sysctls"]);
            assert.ok(fleet.node("m1").commands.some(call => call.stdin.includes("kubectl delete node")));
        });

        it("can be made again afterwards", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            await node.delete(made.id, made.outs, listener());
            const again = await node.create(of("w1").node, listener());
            assert.deepEqual(again.outs.done, made.outs.done);
        });

        it("is told to the cluster even if the machine is gone", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            await fleet.node("w1").powerOff();
            const context = listener();
            await node.delete(made.id, made.outs, context);
            assert.match(context.warned.join(), /w1: nothing was undone there/);
            assert.ok(fleet.node("m1").commands.some(call => call.stdin.includes("kubectl delete node")));
        });

        it("does not stop at a cluster that is gone", async () => {
            await make("m1");
            const { host: madeHost, node: made } = await make("w1");
            fleet.node("m1").on(factsArgv, { stdout: "memberOf=\n" });
            const context = listener();
            await node.delete(made.id, made.outs, context);
            assert.match(context.warned.join(), /w1: no other master of .* lives: the machine is reset/);
            await host.delete(madeHost.id, madeHost.outs, listener());
            assert.deepEqual(fleet.node("w1").agent.journal, {});
            assert.equal(fleet.node("w1").agent.belongsTo, undefined);
        });

        for (const name of ["m2", "w1"]) {
            it(`and taken back after it stopped halfway, ${name} joins again`, async () => {
                await make("m1");
                const { node: made } = await make(name);
                const order: string[] = [];
                const peerURLs = ["https://10.99.0.11:2380"];
                const members = ["m1", "m2"].map((each, i) => ({
                    ID: i + 1,
                    name: each,
                    peerURLs,
                    clientURLs: [each],
                }));
                const health = ["m1", "m2"].map(endpoint => ({ endpoint, health: true }));
                fleet.node("m1").on(["sh", "-s", "pulumi-nfv"], ({ stdin }) => {
                    if (stdin.includes("member remove")) order.push("leave etcd");
                    const list = `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n`;
                    return stdin.includes("member list") ? { stdout: list } : {};
                });
                fleet.node(name).on(["sh", "-s", "pulumi-nfv"], ({ stdin }) => {
                    if (stdin.includes("rm -f /var/lib/pulumi-nfv/member")) {
                        order.push(fleet.node(name).agent.journal["cluster.join"] ? "too early" : "no member");
                    }
                    return stdin.includes("kubeadm reset") ? { code: 1, stderr: "kubeadm: no space left" } : {};
                });
                assert.match((await failureOf(node.delete(made.id, made.outs, listener()))).message, /no space left/);
                assert.deepEqual(order, name === "m2" ? ["no member", "leave etcd"] : ["no member"]);
                const seen = await node.read(made.id, made.outs, listener());
                assert.equal(seen.props!.done["cluster.join"], undefined);
                assert.equal(node.diff(made.id, seen.props!, of(name).node).changes, true);
                const begun = fleet.begun().length;
                const { outs } = await node.update(made.id, seen.props!, of(name).node, listener());
                const ran = fleet.begun().slice(begun);
                assert.deepEqual(ran.slice(0, 1), [`${name} cluster.join`]);
                assert.deepEqual(outs.done, made.outs.done);
            });
        }

        describe("as the last master that is a member", () => {
            const touched = (name: string, from: number) =>
                fleet
                    .node(name)
                    .commands.slice(from)
                    .filter(call => /kubeadm reset|kubectl drain|member remove/.test(String(call.stdin)));

            it("is refused: etcd with all data is on it", async () => {
                const { node: made } = await make("m1");
                const before = fleet.node("m1").commands.length;
                const failure = await failureOf(node.delete(made.id, made.outs, listener()));
                assert.match(failure.message, /^m1: leave: QUORUM_AT_RISK\s+.*last master[\s\S]*pulumi destroy/);
                assert.ok(failure.message.includes(`NFV_GIVE_UP=${identity.clusterId}/m1`), failure.message);
                assert.deepEqual(touched("m1", before), []);
                assert.ok(fleet.node("m1").agent.journal["cluster.join"]);
            });

            it("is refused after the others left, one by one, as when all get other addresses", async () => {
                const { node: first } = await make("m1");
                const { node: second } = await make("m2");
                await node.delete(first.id, first.outs, listener());
                const failure = await failureOf(node.delete(second.id, second.outs, listener()));
                assert.match(failure.message, /^m2: leave: QUORUM_AT_RISK/);
                assert.ok(fleet.node("m2").agent.journal["cluster.join"]);
            });

            it("is reset where it is given up by its whole name", async () => {
                const { host: madeHost, node: made } = await make("m1");
                process.env[giveUpVariable] = `${identity.clusterId}/m1`;
                try {
                    await node.delete(made.id, made.outs, listener());
                } finally {
                    delete process.env[giveUpVariable];
                }
                await host.delete(madeHost.id, madeHost.outs, listener());
                assert.deepEqual(fleet.node("m1").agent.journal, {});
            });

            it("is reset where its init never ended: there is no cluster to lose", async () => {
                const { node: made } = await make("m1");
                fleet.node("m1").on({ startsWith: [...factsArgv] }, { stdout: `initStarted=${identity.clusterId}\n` });
                await node.delete(made.id, made.outs, listener());
                assert.equal(fleet.node("m1").agent.journal["cluster.join"], undefined);
            });
        });

        it("refuses while the other masters are there but silent", async () => {
            await make("m1");
            const { node: made } = await make("m2");
            const facts = `memberOf=${identity.clusterId}\napiReady=no\n`;
            fleet.node("m1").on({ startsWith: ["sh", "-s", "pulumi-nfv-facts"] }, { stdout: facts });
            const failure = await failureOf(node.delete(made.id, made.outs, listener()));
            assert.match(failure.message, /^m2: leave: NO_CONTROL_PLANE[\s\S]*m1 see journalctl -u kubelet/);
            assert.doesNotMatch(failure.message, /NFV_GIVE_UP/, "one that answers cannot be given up");
            assert.ok(fleet.node("m2").agent.journal["cluster.join"]);
        });

        it("is reset and forgotten although only the agent of another release is on it", async () => {
            await make("m1");
            const { host: madeHost, node: madeNode } = await make("w1");
            const w1 = fleet.node("w1");
            w1.files.remove(agentPath);
            w1.files.put(`${stateFolder}/agent-756b3c0756b3`, "agent of another release", 0o700);
            const seen = await host.read(madeHost.id, madeHost.outs, listener());
            assert.deepEqual(seen.props?.done, madeHost.outs.done);
            w1.files.remove(agentPath);
            await node.delete(madeNode.id, madeNode.outs, listener());
            assert.equal(w1.agent.journal["cluster.join"], undefined);
            w1.files.remove(agentPath);
            await host.delete(madeHost.id, madeHost.outs, listener());
            assert.deepEqual(w1.agent.journal, {});
        });

        for (const [role, name] of [
            ["master", "m2"],
            ["worker", "w1"],
        ]) {
            it(`refuses as a ${role} while the other masters cannot be reached: they may live`, async () => {
                await make("m1");
                if (name !== "m2") await make("m2");
                const { node: made } = await make(name);
                for (const other of ["m1", "m2"]) if (other !== name) await fleet.node(other).powerOff();
                const before = fleet.node(name).commands.length;
                const failure = await failureOf(node.delete(made.id, made.outs, listener()));
                assert.match(failure.message, new RegExp(`^${name}: leave: NO_CONTROL_PLANE[\\s\\S]*m1: .*refused`));
                assert.ok(fleet.node(name).agent.journal["cluster.join"]);
                const later = fleet.node(name).commands.slice(before);
                assert.ok(!later.some(call => call.stdin.includes("kubeadm reset")), "it was not reset");
            });
        }

        it("never resets a machine that belongs to another cluster by now", async () => {
            const { host: made } = await make("m1");
            fleet.node("m1").agent.belongsTo = { cluster: "other-1", node: "x" };
            const before = fleet.node("m1").commands.length;
            const context = listener();
            await host.delete(made.id, made.outs, context);
            assert.match(context.warned[0], /another cluster/);
            const later = fleet.node("m1").commands.slice(before);
            assert.ok(
                later.every(call => call.argv[2] === "pulumi-nfv-facts"),
                JSON.stringify(later.map(({ argv }) => argv)),
            );
        });
    });

    it("has the same fingerprints whether it initialises or joins", () => {
        const { spec, fingerprintKey } = of("m1").node;
        assert.deepEqual(
            stepTitles(plan(nodeSteps("init"), spec, fingerprintKey)),
            stepTitles(plan(nodeSteps("join"), spec, fingerprintKey)),
        );
    });
});
