import assert from "node:assert/strict";
import type { Context } from "../../../../provider/contract/types";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { knownNodesArgv } from "../../../../provider/member/known-node";
import { node } from "../../../../provider/member/node";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { endRun, listener, machine, testIdentity } from "../support/cluster";

describe("a node that was leaving when the run was killed, and is taken back", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const masters = () => ({ m1: target("m1"), m2: target("m2") });
    const of = (name: string, changeNumber = 0) => {
        const role = name.startsWith("m") ? "controlPlane" : "worker";
        const made = machine(identity, name, role, target(name), masters());
        return { host: { ...made.host, changeNumber }, node: { ...made.node, changeNumber } };
    };
    const make = async (name: string) => {
        const inputs = of(name);
        const madeHost = await host.create(inputs.host, listener());
        return { host: madeHost, node: await node.create(inputs.node, listener()) };
    };

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "m2", "w1"] });
        await make("m1");
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("shows a difference to a plain up, although its state is as it was before", async () => {
        const made = await make("w1");
        assert.equal(node.diff(made.node.id, made.node.outs, of("w1").node).changes, false);
        assert.deepEqual(
            [
                node.diff(made.node.id, made.node.outs, of("w1", 2).node),
                host.diff(made.host.id, made.host.outs, of("w1", 2).host),
            ].map(({ changes, replaces }) => [changes, replaces]),
            [
                [true, []],
                [true, []],
            ],
        );
    });

    it("gets pods again where it was only drained: the step that takes our cordon back runs", async () => {
        const { node: made } = await make("w1");
        const [before, own] = ["m1", "w1"].map(name => fleet.node(name).commands.length);
        const { outs } = await node.update(made.id, made.outs, of("w1", 2).node, listener());
        const asked = fleet
            .node("m1")
            .commands.slice(before)
            .map(call => String(call.stdin));
        assert.equal(asked.filter(stdin => stdin.includes("uncordon")).length, 1);
        const done = fleet.node("w1").commands.slice(own);
        assert.ok(!done.some(call => call.stdin.includes("kubeadm reset")));
        assert.deepEqual(outs.done, made.outs.done);
        assert.equal(node.diff(made.id, outs, of("w1", 2).node).changes, false);
    });

    it("is touched only when the reset has ended that the killed run left running", async () => {
        const made = await make("w1");
        const w1 = fleet.node("w1");
        const left = `joinStarted=${identity.clusterId}\nnoted=${identity.clusterId} w1\n`;
        for (const [type, work] of [
            ["host", (context: Context) => host.update(made.host.id, made.host.outs, of("w1", 2).host, context)],
            ["node", (context: Context) => node.update(made.node.id, made.node.outs, of("w1", 2).node, context)],
        ] as const) {
            let looks = 0;
            const seen: number[] = [];
            w1.on(machineStatusArgv, () => {
                seen.push(w1.commands.length);
                return { stdout: left + (looks++ === 0 ? "underWay=node.reset\n" : "") };
            });
            const context = listener();
            await work(context);
            assert.ok(context.said.includes("waiting: node.reset is still going on there"), `${type}: ${context.said}`);
            assert.equal(seen[1]! - seen[0]!, 1, `${type}: nothing but the look meanwhile`);
        }
    });

    it("joins again where it was no member any more", async () => {
        const { node: made } = await make("w1");
        fleet.node("w1").onScript({ code: 1 });
        await assert.rejects(node.delete(made.id, made.outs, listener()), /STEP_FAILED/);
        fleet.node("w1").onScript({});
        const begun = fleet.begun().length;
        const { outs } = await node.update(made.id, made.outs, of("w1", 2).node, listener());
        assert.deepEqual(fleet.begun().slice(begun)[0], "w1 cluster.join");
        assert.deepEqual(outs.done, made.outs.done);
    });

    it("joins again, with all its steps, where it was reset and nobody heard of that", async () => {
        for (const name of ["m2", "w1"]) {
            const { node: made } = await make(name);
            // The journal has all steps as done, and nothing of a cluster is there.
            const facts = `noted=${identity.clusterId} ${name}\napiReady=no\n`;
            fleet.node(name).on(machineStatusArgv, { stdout: facts });
            const { "cluster.join": _, ...done } = made.outs.done;
            const seen = { ...made.outs, done, pending: ["bring the node back: its cluster does not know it"] };
            const begun = fleet.begun().length;
            const { outs } = await node.update(made.id, seen, of(name).node, listener());
            // a master sets the labels
            const again = [...fleet.begun().slice(begun), `${name} node.labels`];
            assert.deepEqual(
                again.sort(),
                Object.keys(made.outs.done)
                    .map(step => `${name} ${step}`)
                    .sort(),
            );
            assert.deepEqual(outs.done, made.outs.done);
        }
    });

    it("is found cordoned by us by a refresh, too", async () => {
        const { node: made } = await make("w1");
        for (const name of ["m1", "m2"]) {
            fleet.node(name).on(knownNodesArgv, { stdout: "node/w1 leaving\nanswer\n" });
        }
        const { props } = await node.read(made.id, made.outs, listener());
        assert.match(props!.pending![0]!, /uncordon the node/);
        assert.ok(props!.done["cluster.join"]);
        const { outs } = await node.update(made.id, props!, of("w1").node, listener());
        assert.deepEqual([outs.done, outs.pending], [made.outs.done, []]);
    });

    it("has its host prepared from the begin where its reset had begun", async () => {
        const { host: made } = await make("w1");
        fleet
            .node("w1")
            .onScript(({ stdin }) =>
                stdin.includes("OWN_FILES") ? { code: 1, stderr: "No space left on device" } : {},
            );
        fleet.node("w1").on(machineStatusArgv, { stdout: `noted=${identity.clusterId} w1\n` });
        await assert.rejects(host.delete(made.id, made.outs, listener()), /No space left/);
        const begun = fleet.begun().length;
        const { outs } = await host.update(made.id, made.outs, of("w1", 2).host, listener());
        const again = fleet.begun().slice(begun);
        assert.equal(again.length, Object.keys(made.outs.done).length, again.join());
        assert.deepEqual(outs.done, made.outs.done);
    });

    it("keeps its host as it is where no reset had begun", async () => {
        const { host: made } = await make("w1");
        const begun = fleet.begun().length;
        await host.update(made.id, made.outs, of("w1", 2).host, listener());
        assert.deepEqual(fleet.begun().slice(begun), []);
    });

    describe("as a master that was off while it left", () => {
        const etcdHas = (...names: string[]) => {
            const members = names.map((name, i) => ({
                ID: i + 1,
                name,
                peerURLs: [`https://10.99.0.1${i + 50}:2380`],
                clientURLs: [name],
            }));
            fleet
                .node("m1")
                .onScript(({ stdin }) =>
                    stdin.includes("member list") ? { stdout: `${JSON.stringify({ members })}\n[]\n` } : {},
                );
        };
        const takeBack = async () => {
            await make("m2");
            for (const name of ["m1", "m2"]) {
                fleet.node(name).on(argv => argv[3] === "pulumi-nfv-known", { stdout: "answer:\n" });
            }
            // Its API server cannot be ready without etcd. According to its journal and its notes it is a member.
            const facts = `memberOf=${identity.clusterId}\nnoted=${identity.clusterId} m2\napiReady=no\n`;
            fleet.node("m2").on(machineStatusArgv, { stdout: facts });
            const { commands } = fleet.node("m2");
            const before = commands.length;
            const begun = fleet.begun().length;
            const going = node.create(of("m2", 2).node, listener());
            return { going, said: () => commands.slice(before).map(call => String(call.stdin)), begun };
        };

        it("is reset and joins anew where etcd has removed it: its data is of the past", async () => {
            etcdHas("m1");
            const { going, said, begun } = await takeBack();
            await going;
            assert.ok(said().some(stdin => stdin.includes("kubeadm reset -f --skip")));
            assert.ok(!said().some(stdin => stdin.includes("mark-control-plane")));
            assert.ok(fleet.begun().slice(begun).includes("m2 cluster.join"));
        });

        it("is registered where etcd still has it", async () => {
            etcdHas("m1", "m2");
            const { going, said } = await takeBack();
            await going;
            assert.ok(said().some(stdin => stdin.includes("mark-control-plane")));
            assert.ok(!said().some(stdin => stdin.includes("kubeadm reset -f --skip")));
        });

        it("is left as it is where etcd names nobody", async () => {
            etcdHas();
            const { going, said } = await takeBack();
            await assert.rejects(going, /^NfvError: m2: look at etcd's members: STEP_FAILED[\s\S]*named no member/);
            assert.ok(!said().some(stdin => stdin.includes("kubeadm reset -f --skip")));
        });
    });
});
