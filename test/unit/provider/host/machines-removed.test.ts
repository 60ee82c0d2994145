import assert from "node:assert/strict";
import { giveUpVariable } from "../../../../provider/contract/give-up";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { journalArgv } from "../../../../provider/machine/journal";
import { node } from "../../../../provider/member/node";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { listener, withGivenUp } from "../support/cluster";
import { failureOf, threeMachines } from "../support/three-machines";

describe("a machine removed", () => {
    const { fleet, identity, of, make } = threeMachines();

    it("leaves through another master, and forgets its membership but not its host", async () => {
        await make("m1");
        const { node: made } = await make("w1");
        await node.delete(made.id, made.outs, listener());
        const { journal } = fleet().node("w1").agent;
        assert.equal(journal["cluster.join"], undefined);
        assert.ok(journal["host.sysctls"]);
        assert.ok(
            fleet()
                .node("m1")
                .commands.some(call => call.stdin.includes("kubectl delete node")),
        );
    });

    it("keeps no note of ours where its first step had failed: another cluster may have it", async () => {
        const { agent } = fleet().node("w1");
        agent.failStep("host.cloud-init");
        const { id, properties } = await failureOf(host.create(of("w1").host, listener()));
        assert.deepEqual(agent.belongsTo, { cluster: identity().clusterId, node: "w1" });
        await host.delete(id!, properties as never, listener());
        assert.equal(agent.belongsTo, undefined);
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
        await fleet().node("w1").powerOff();
        const context = listener();
        await node.delete(made.id, made.outs, context);
        assert.match(context.warned.join(), /w1: nothing was undone there/);
        assert.ok(
            fleet()
                .node("m1")
                .commands.some(call => call.stdin.includes("kubectl delete node")),
        );
    });

    describe("is drained without its kubelet's word", () => {
        const cases: {
            that: string;
            off?: boolean;
            blank?: boolean;
            givenUp?: boolean;
            server?: object;
            gone: "yes" | "silent" | "";
        }[] = [
            { that: "not while the machine answers", gone: "" },
            { that: "not while the machine is silent: it may live", off: true, gone: "silent" },
            { that: "where it was given up by name", off: true, givenUp: true, gone: "yes" },
            { that: "where it answers but was given up", givenUp: true, gone: "yes" },
            { that: "where it was reinstalled", blank: true, gone: "yes" },
            { that: "where its cloud deletes its silent server next", off: true, server: { cloud: {} }, gone: "yes" },
            { that: "not where its server answers", server: { cloud: {} }, gone: "" },
        ];
        for (const { that, off, blank, givenUp, server, gone } of cases) {
            it(that, async () => {
                await make("m1");
                const { node: made } = await make("w1");
                if (off) await fleet().node("w1").powerOff();
                if (blank) {
                    fleet()
                        .node("w1")
                        .on({ startsWith: [...machineStatusArgv] }, { stdout: "memberOf=\n" });
                    fleet().node("w1").on(journalArgv, { stdout: "blank\n" });
                }
                const drains: string[] = [];
                fleet()
                    .node("m1")
                    .onScript(({ stdin }) => {
                        if (stdin.includes("kubectl drain")) drains.push(/^GONE=(.*)$/m.exec(String(stdin))![1]!);
                        return {};
                    });
                if (givenUp) process.env[giveUpVariable] = `${identity().clusterId}/w1`;
                try {
                    await node.delete(
                        made.id,
                        { ...made.outs, ...(server && { server }) } as typeof made.outs,
                        listener(),
                    );
                } finally {
                    delete process.env[giveUpVariable];
                }
                assert.deepEqual(drains, [`'${gone}'`]);
            });
        }

        it("and its failure says how a silent machine is given up", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            await fleet().node("w1").powerOff();
            const { DRAIN_FAILED: code } = exitCodes;
            fleet()
                .node("m1")
                .onScript(({ stdin }) => (stdin.includes("kubectl drain") ? { code } : {}));
            const { message } = await failureOf(node.delete(made.id, made.outs, listener()));
            assert.match(message, /^w1: drain: DRAIN_FAILED[\s\S]*make sure first that it is off/);
            assert.ok(message.includes(`${giveUpVariable}=${identity().clusterId}/w1`), message);
        });
    });

    it("does not stop at a cluster that is gone", async () => {
        await make("m1");
        const { host: madeHost, node: made } = await make("w1");
        fleet().node("m1").on(machineStatusArgv, { stdout: "memberOf=\n" });
        const context = listener();
        await node.delete(made.id, made.outs, context);
        assert.match(context.warned.join(), /w1: no other master of .* lives: the machine is reset/);
        await host.delete(madeHost.id, madeHost.outs, listener());
        assert.deepEqual(fleet().node("w1").agent.journal, {});
        assert.equal(fleet().node("w1").agent.belongsTo, undefined);
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
            fleet()
                .node("m1")
                .onScript(({ stdin }) => {
                    if (stdin.includes("member remove")) order.push("leave etcd");
                    const list = `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n`;
                    return stdin.includes("member list") ? { stdout: list } : {};
                });
            fleet()
                .node(name)
                .onScript(({ stdin }) => {
                    if (stdin.includes("# member/leave/note-leaving.sh")) {
                        order.push(fleet().node(name).agent.journal["cluster.join"] ? "too early" : "no member");
                    }
                    return stdin.includes("kubeadm reset") ? { code: 1, stderr: "kubeadm: no space left" } : {};
                });
            assert.match((await failureOf(node.delete(made.id, made.outs, listener()))).message, /no space left/);
            assert.deepEqual(order, name === "m2" ? ["no member", "leave etcd"] : ["no member"]);
            const seen = await node.read(made.id, made.outs, listener());
            assert.equal(seen.props!.done["cluster.join"], undefined);
            assert.equal(node.diff(made.id, seen.props!, of(name).node).changes, true);
            const begun = fleet().begun().length;
            const { outs } = await node.update(made.id, seen.props!, of(name).node, listener());
            const ran = fleet().begun().slice(begun);
            assert.deepEqual(ran.slice(0, 1), [`${name} cluster.join`]);
            assert.deepEqual(outs.done, made.outs.done);
        });
    }

    describe("as the last master that is a member", () => {
        const touched = (name: string, from: number) =>
            fleet()
                .node(name)
                .commands.slice(from)
                .filter(call => /kubeadm reset|kubectl drain|member remove/.test(String(call.stdin)));

        it("is refused: etcd with all data is on it", async () => {
            const { node: made } = await make("m1");
            const before = fleet().node("m1").commands.length;
            const failure = await failureOf(node.delete(made.id, made.outs, listener()));
            assert.match(failure.message, /^m1: leave: QUORUM_AT_RISK\s+.*last master[\s\S]*pulumi destroy/);
            assert.doesNotMatch(failure.message, /NFV_GIVE_UP/);
            assert.deepEqual(touched("m1", before), []);
            assert.ok(fleet().node("m1").agent.journal["cluster.join"]);
        });

        it("is refused after the others left, one by one, as when all get other addresses", async () => {
            const { node: first } = await make("m1");
            const { node: second } = await make("m2");
            await node.delete(first.id, first.outs, listener());
            const failure = await failureOf(node.delete(second.id, second.outs, listener()));
            assert.match(failure.message, /^m2: leave: QUORUM_AT_RISK/);
            assert.ok(fleet().node("m2").agent.journal["cluster.join"]);
        });

        it("is refused where NFV_GIVE_UP names it, too: that excuses silence, and it answers", async () => {
            const { node: made } = await make("m1");
            const before = fleet().node("m1").commands.length;
            const failure = await withGivenUp(`${identity().clusterId}/m1`, () =>
                failureOf(node.delete(made.id, made.outs, listener())),
            );
            assert.match(failure.message, /^m1: leave: QUORUM_AT_RISK[\s\S]*sudo kubeadm reset -f/);
            assert.deepEqual(touched("m1", before), []);
            assert.ok(fleet().node("m1").agent.journal["cluster.join"]);
        });

        it("is reset where its init never ended: there is no cluster to lose", async () => {
            const { node: made } = await make("m1");
            fleet()
                .node("m1")
                .on({ startsWith: [...machineStatusArgv] }, { stdout: `initStarted=${identity().clusterId}\n` });
            await node.delete(made.id, made.outs, listener());
            assert.equal(fleet().node("m1").agent.journal["cluster.join"], undefined);
        });
    });

    it("refuses while the other masters are there but silent", async () => {
        await make("m1");
        const { node: made } = await make("m2");
        const facts = `memberOf=${identity().clusterId}\napiReady=no\n`;
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-facts"] }, { stdout: facts });
        const failure = await failureOf(node.delete(made.id, made.outs, listener()));
        assert.match(failure.message, /^m2: leave: NO_CONTROL_PLANE[\s\S]*m1 see journalctl -u kubelet/);
        assert.doesNotMatch(failure.message, /NFV_GIVE_UP/, "one that answers cannot be given up");
        assert.ok(fleet().node("m2").agent.journal["cluster.join"]);
    });

    it("refuses where etcd of the other masters has lost its majority, and names the cure", async () => {
        await make("m1");
        const { node: made } = await make("m2");
        const { clusterId } = identity();
        const facts = `memberOf=${clusterId}\napiReady=no\netcd=without-leader\n`;
        fleet()
            .node("m1")
            .on({ startsWith: ["sh", "-s", "pulumi-nfv-facts"] }, { stdout: facts });
        const failure = await failureOf(node.delete(made.id, made.outs, listener()));
        assert.match(failure.message, /NO_CONTROL_PLANE[\s\S]*m1: its API server is not ready: its etcd has no leader/);
        assert.match(failure.message, new RegExp(`NFV_FORCE_NEW_CLUSTER=${clusterId}/m1 `));
    });

    for (const [role, name] of [
        ["master", "m2"],
        ["worker", "w1"],
    ]) {
        it(`refuses as a ${role} while the other masters cannot be reached: they may live`, async () => {
            await make("m1");
            if (name !== "m2") await make("m2");
            const { node: made } = await make(name);
            for (const other of ["m1", "m2"]) if (other !== name) await fleet().node(other).powerOff();
            const before = fleet().node(name).commands.length;
            const failure = await failureOf(node.delete(made.id, made.outs, listener()));
            assert.match(failure.message, new RegExp(`^${name}: leave: NO_CONTROL_PLANE[\\s\\S]*m1: .*refused`));
            assert.ok(fleet().node(name).agent.journal["cluster.join"]);
            const later = fleet().node(name).commands.slice(before);
            assert.ok(!later.some(call => call.stdin.includes("kubeadm reset")), "it was not reset");
        });
    }

    it("never resets a machine that belongs to another cluster by now", async () => {
        const { host: made } = await make("m1");
        fleet().node("m1").agent.belongsTo = { cluster: "other-1", node: "x" };
        const before = fleet().node("m1").commands.length;
        const context = listener();
        await host.delete(made.id, made.outs, context);
        assert.match(context.warned[0], /another cluster/);
        const later = fleet().node("m1").commands.slice(before);
        assert.ok(
            later.every(call => call.argv[2] === "pulumi-nfv-facts"),
            JSON.stringify(later.map(({ argv }) => argv)),
        );
    });
});
