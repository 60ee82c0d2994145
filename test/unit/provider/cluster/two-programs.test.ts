import assert from "node:assert/strict";
import { masters } from "../../../../provider/cluster/masters";
import { operationEnd } from "../../../../provider/cluster/operation-end";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import type { MastersInputs } from "../../../../provider/machine/program-masters";
import { node } from "../../../../provider/member/node";
import { newKeyPair } from "../../../../testing/keys";
import { checkAs, checkedMasters, endRun, listener, machine, withGivenUp } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

describe("a program that differs from the one before", () => {
    const { fleet, identity, target, of, make, failureOf, programHas, wipe, acts } = threeMasters();

    describe("and keeps only a master that was lost", () => {
        it("begins no second cluster beside the one on those that it takes out", async () => {
            for (const name of all) await make(name);
            wipe("m1");
            await endRun();
            programHas(["m1"]);
            const news = of("m1", ["m1"]);
            await host.create(news.host, listener());
            const error = await failureOf(node.create(news.node, listener()));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.message, /the cluster is on m2, m3, which the program takes out/);
            assert.equal(fleet().node("m1").agent.journal["cluster.join"], undefined);
        });

        it("still begins none in the run after, which has the refused program as its last one", async () => {
            for (const name of all) await make(name);
            wipe("m1");
            await endRun();
            const stored = programHas(["m1"]);
            await endRun();
            const { formers: _, ...again } = stored;
            checkAs<MastersInputs>("Masters", stored, again, listener());
            const news = of("m1", ["m1"]);
            await host.create(news.host, listener());
            assert.equal((await failureOf(node.create(news.node, listener()))).code, "QUORUM_AT_RISK");
            assert.doesNotMatch(JSON.stringify(stored.formers), /PRIVATE KEY|password/i);
            assert.equal(masters.diff("id", stored, masters.check(stored, again).inputs).changes, false);
        });

        it("begins none while those that it takes out do not answer, unless they are given up or never were machines", async () => {
            for (const name of ["m2", "m3"]) await fleet().node(name).powerOff();
            const news = of("m1", ["m1"]);
            await endRun();
            const stored = programHas(["m1"]);
            await host.create(news.host, listener());
            const error = await failureOf(node.create(news.node, listener()));
            assert.equal(error.code, "NO_CONTROL_PLANE");
            const names = ["m2", "m3"].map(name => `${identity().clusterId}/${name}`).join();
            assert.match(error.message, new RegExp(`the cluster may live there[\\s\\S]*NFV_GIVE_UP=${names} `));
            await endRun();
            // The state has no machine of theirs: they never answered.
            const { formers: _, ...again } = stored;
            const { inputs } = masters.check(
                stored,
                { ...again, recorded: [`${identity().clusterId}/m1`, "edge-2/m2", "edge-2/m3"] },
                listener(),
            );
            assert.equal(inputs.formers, undefined);
            assert.equal("recorded" in inputs, false);
            await endRun();
            // One that was given up and lives counts.
            await fleet().node("m2").powerOn();
            await make("m2", ["m2"]);
            await endRun();
            programHas(["m1"]);
            await withGivenUp(names, async () => {
                const again = await failureOf(node.create(news.node, listener()));
                assert.equal(again.code, "QUORUM_AT_RISK");
            });
            await fleet().node("m2").powerOff();
            await endRun();
            programHas(["m1"]);
            await withGivenUp(names, async () => void (await node.create(news.node, listener())));
            assert.match(fleet().node("m1").agent.scripts["cluster.join"]!, /kubeadm init/);
        });

        it("begins none where the cluster answers behind a load balancer, on masters that nobody names any more", async () => {
            programHas(["m1"], ["m1"]);
            const { host: hostInputs, node: nodeInputs } = of("m1", ["m1"]);
            await host.create(hostInputs, listener());
            const endpoint = { host: "api.site", port: 6443 };
            const spec = { ...nodeInputs.spec, endpoint };
            const asked: string[] = [];
            const answers = (stdout: string) =>
                fleet()
                    .node("m1")
                    .onScript(({ stdin }) => {
                        if (!/curl[\s\S]*api\.site:6443|api\.site:6443[\s\S]*curl/.test(String(stdin))) return {};
                        asked.push(String(stdin));
                        return { stdout };
                    });
            answers("lives\n");
            const error = await failureOf(node.create({ ...nodeInputs, spec }, listener()));
            assert.match(error.message, /NO_CONTROL_PLANE[\s\S]*answers at https:\/\/api\.site:6443/);
            assert.equal(fleet().node("m1").agent.scripts["cluster.join"], undefined);
            answers("");
            await node.create({ ...nodeInputs, spec }, listener());
            assert.match(fleet().node("m1").agent.scripts["cluster.join"] ?? "", /kubeadm init/);
            assert.equal(asked.length, 2);
        });

        it("joins it where they stay, without asking those that left before", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            wipe("m1");
            await endRun();
            programHas(["m1", "m2"]);
            const asked = fleet().node("m3").commands.length;
            const news = of("m1", ["m1", "m2"]);
            await host.create(news.host, listener());
            await node.create(news.node, listener());
            assert.match(fleet().node("m1").agent.scripts["cluster.join"]!, /kubeadm join/);
            assert.equal(fleet().node("m3").commands.length, asked);
        });
    });

    describe("and no longer has a machine whose Node a killed run did not record", () => {
        it("takes it out of etcd before its machine is reset", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: made } = await make("m3");
            await endRun();
            programHas(["m1", "m2"]);
            await host.delete(made.id, made.outs, listener());
            const left = [...acts("m1"), ...acts("m2")];
            for (const act of ["node.drain for m3", "node.leave-etcd for m3", "node.delete-object for m3"])
                assert.ok(left.includes(act), `${act}: ${left}`);
            assert.ok(acts("m3").includes("node.reset"));
        });

        it("keeps it where no other master is a member: it has the cluster's data", async () => {
            const { host: made } = await make("m3");
            await endRun();
            programHas(["m1", "m2"]);
            const error = await failureOf(host.delete(made.id, made.outs, listener()));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.ok(!acts("m3").includes("node.reset"));
            const again = withGivenUp(`${identity().clusterId}/m3`, () =>
                failureOf(host.delete(made.id, made.outs, listener())),
            );
            assert.equal((await again).code, "QUORUM_AT_RISK");
            assert.ok(!acts("m3").includes("node.reset"));
        });

        it("resets it where its init never ended: the first creation failed, and may be corrected", async () => {
            const { host: inputs } = of("m1", ["m1"]);
            const made = await host.create(inputs, listener());
            fleet()
                .node("m1")
                .on({ startsWith: [...machineStatusArgv] }, { stdout: `initStarted=${identity().clusterId}\n` });
            await endRun();
            programHas(["m2"], ["m1"]);
            await host.delete(made.id, made.outs, listener());
            assert.ok(acts("m1").includes("node.reset"));
        });

        it("keeps it where the others do not answer, and says how to give them up", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: made } = await make("m3");
            for (const name of ["m1", "m2"]) await fleet().node(name).powerOff();
            await endRun();
            programHas(["m1", "m2"]);
            const error = await failureOf(host.delete(made.id, made.outs, listener()));
            assert.equal(error.code, "NO_CONTROL_PLANE");
            const id = identity().clusterId;
            assert.match(error.message, new RegExp(`NFV_GIVE_UP=${id}/m1,${id}/m2 `));
            assert.doesNotMatch(error.message, /NFV_GIVE_UP=\S+m3/, "it answers, and may have the only data");
            assert.ok(!acts("m3").includes("node.reset"));
            const again = withGivenUp(`${id}/m3`, () => failureOf(host.delete(made.id, made.outs, listener())));
            assert.equal((await again).code, "NO_CONTROL_PLANE");
            assert.ok(!acts("m3").includes("node.reset"));
        });

        it("keeps it, though it was given up, where it answers and its pods cannot be drained", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: made } = await make("m3");
            for (const name of ["m1", "m2"])
                fleet().node(name).agent.failStep("node.drain", 9, { exitCode: 20, output: "a budget\n" });
            await endRun();
            programHas(["m1", "m2"]);
            const failed = withGivenUp(`${identity().clusterId}/m3`, () =>
                failureOf(host.delete(made.id, made.outs, listener())),
            );
            assert.match((await failed).message, /drain/);
            assert.ok(!acts("m3").includes("node.reset"));
        });

        it("lets a silent server go that was never prepared", async () => {
            const { host: made } = await make("m3");
            await fleet().node("m3").powerOff();
            await endRun();
            programHas(["m1", "m2"]);
            const state = { ...made.outs, server: { cloud: {} }, done: {} };
            await host.delete(made.id, state as never, listener());
            const error = await failureOf(
                host.delete(made.id, { ...state, done: made.outs.done } as never, listener()),
            );
            assert.match(error.message, /m3 may be the last master[\s\S]*NFV_GIVE_UP=\S+\/m3 /);
        });

        it("keeps it, though it was given up, where it answers and etcd of the others does not have it", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: made } = await make("m3");
            const health = [{ endpoint: "https://m1:2379", health: true }];
            const members = [{ ID: 1, name: "m1", clientURLs: ["https://m1:2379"] }];
            for (const name of ["m1", "m2"])
                fleet()
                    .node(name)
                    .onScript(({ stdin }) =>
                        stdin.includes("member list -w json")
                            ? { stdout: `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n` }
                            : {},
                    );
            await endRun();
            programHas(["m1", "m2"]);
            await withGivenUp(`${identity().clusterId}/m3`, async () => {
                const error = await failureOf(host.delete(made.id, made.outs, listener()));
                assert.equal(error.code, "QUORUM_AT_RISK");
            });
            assert.ok(!acts("m3").includes("node.reset"));
        });

        it("asks the masters that stay before those that go", async () => {
            for (const name of all) await make(name);
            const { host: made } = await make("m3");
            await endRun();
            programHas(["m1"], all);
            await host.delete(made.id, made.outs, listener());
            assert.ok(acts("m1").includes("node.leave-etcd for m3"), `${acts("m1")}`);
        });

        it("takes a cloud's server out, too, and leaves its reset to the cloud", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: made } = await make("m3");
            await endRun();
            const state = { ...made.outs, server: { cloud: {} }, serverId: undefined };
            // The whole cluster goes: nothing of it is asked.
            await operationEnd.delete(
                "end",
                { spec: { clusterId: identity().clusterId, nodes: {} } } as never,
                listener(),
            );
            await host.delete(made.id, state as never, listener());
            assert.deepEqual(acts("m3"), []);
            await endRun();
            programHas(["m1", "m2"]);
            await host.delete(made.id, state as never, listener());
            assert.ok([...acts("m1"), ...acts("m2")].includes("node.leave-etcd for m3"));
        });
    });

    describe("and reaches the masters by another login than the state has", () => {
        const shut = (name: string) => ({ ...target(name), privateKey: newKeyPair().private });
        const worker = async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: hostInputs, node: inputs } = machine(identity(), "m3", "worker", target("m3"), {
                m1: target("m1"),
                m2: target("m2"),
            });
            await host.create(hostInputs, listener());
            const { id, outs } = await node.create(inputs, listener());
            await endRun();
            const controlPlane = ["m1", "m2"].map(name => ({ name, connection: shut(name) }));
            return { id, state: { ...outs, controlPlane } };
        };

        it("lets a worker's Node leave through them: a change of their login alone does not change it", async () => {
            const { id, state } = await worker();
            programHas(["m1", "m2"], ["m1", "m2"]);
            await node.delete(id, state, listener());
            assert.ok([...acts("m1"), ...acts("m2")].includes("node.drain for m3"));
        });

        it("says which login is wrong where neither is right, and does not lead to give up masters that live", async () => {
            const { id, state } = await worker();
            const { clusterId } = identity();
            checkedMasters(listener(), clusterId, [], state.controlPlane);
            const { code, hint } = await failureOf(node.delete(id, state, listener()));
            assert.equal(code, "NO_CONTROL_PLANE");
            for (const name of ["m1", "m2"])
                assert.ok(hint.includes(`${name} lives, and refuses the login: correct its`), hint);
            assert.doesNotMatch(hint, /NFV_GIVE_UP|lost for ever|Start one/);
            await fleet().node("m2").powerOff();
            await endRun();
            checkedMasters(listener(), clusterId, [], state.controlPlane);
            const other = await failureOf(node.delete(id, state, listener()));
            assert.match(other.hint, /m1 lives, and refuses[\s\S]*NFV_GIVE_UP=\S+\/m2 /);
            assert.doesNotMatch(other.hint, /NFV_GIVE_UP=\S+\/m1/);
        });

        it("begins no second cluster beside a former master that only refuses the login", async () => {
            await make("m2", ["m2"]);
            await endRun();
            const { host: hostInputs, node: inputs } = of("m1", ["m1"]);
            checkedMasters(listener(), identity().clusterId, [{ name: "m2", connection: shut("m2") }], []);
            await host.create(hostInputs, listener());
            const { code, hint } = await failureOf(node.create(inputs, listener()));
            assert.equal(code, "NO_CONTROL_PLANE");
            assert.match(hint, /Put it back into the program: m2 lives/);
            assert.doesNotMatch(hint, /NFV_GIVE_UP|lost for ever/);
        });

        it("says it of the own Host, too", async () => {
            for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
            const { host: made } = await make("m3");
            await endRun();
            const wanted = ["m1", "m2"].map(name => ({ name, connection: shut(name) }));
            checkedMasters(listener(), identity().clusterId, [], wanted);
            const { hint } = await failureOf(host.delete(made.id, made.outs, listener()));
            assert.match(hint, /m1 lives, and refuses the login/);
            assert.doesNotMatch(hint, /NFV_GIVE_UP/);
        });
    });

    describe("and gives a node another address", () => {
        const moved = (to: string) => {
            const { host: inputs } = of("m2", ["m1", "m2"]);
            return { ...inputs, connection: target(to), spec: { ...inputs.spec, address: "10.99.0.99" } };
        };
        const failuresOfMove = async (to: string) => {
            const olds = of("m2", ["m1", "m2"]).host;
            assert.ok(host.needsCheckInCloud!(olds, moved(to)));
            return (await host.checkInCloud!(olds, moved(to), listener())).failures.map(({ reason }) => reason);
        };

        it("looks at the new machine before the former one leaves: it must answer, and belong to no other cluster", async () => {
            assert.deepEqual(await failuresOfMove("m3"), []);
            fleet().node("m3").agent.belongsTo = { cluster: "other-12345678", node: "x" };
            await endRun();
            assert.match((await failuresOfMove("m3"))[0]!, /m2: the machine at its new address 10.99.0.99 cannot take/);
            await fleet().node("m3").powerOff();
            await endRun();
            assert.match((await failuresOfMove("m3"))[0]!, /nothing was touched/);
        });

        it("asks nothing where the address stays, or is a cloud's", () => {
            const olds = of("m2", ["m1", "m2"]).host;
            assert.equal(host.needsCheckInCloud!(olds, olds), false);
            assert.equal(host.needsCheckInCloud!({}, moved("m3")), false);
            assert.equal(host.needsCheckInCloud!(olds, { ...moved("m3"), server: { cloud: {} } }), false);
        });
    });
});
