import assert from "node:assert/strict";
import { createServer, connect as dial, type Server } from "node:net";
import type { CloudStartInputs } from "../../../../provider/cloud/cloud-start-inputs";
import { targetOf } from "../../../../provider/cloud/remove-nodes";
import type { NfvError } from "../../../../provider/common/errors";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { hostKeyOf } from "../../../../provider/openstack/host-key";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import type { FakeCloud } from "../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../support/cloud";
import { endRun, listener, machine, testIdentity } from "../support/cluster";
import { inputsOf, operationStart, stateOf } from "../support/start-inputs";

const failureOf = (promise: Promise<unknown>) =>
    promise.then(
        () => assert.fail("it should have failed"),
        error => error as NfvError,
    );

describe("a machine of a stack", () => {
    it("is reached through the jump server, each with the host key that follows from the seed", () => {
        const seed = Buffer.alloc(32, 1).toString("base64");
        const inputs = { ...inputsOf(["w1"], { jump: { name: "core-jump", output: "jump_address" } }), seed };
        const outputs = { w1_address: "10.0.0.5", jump_address: "172.24.4.9" };
        const target = targetOf(inputs, { outputs } as never, "w1")!;
        assert.deepEqual([target.host, target.jump!.host], ["10.0.0.5", "172.24.4.9"]);
        assert.equal(target.hostKey, hostKeyOf(seed, "w1").publicKey);
        assert.equal(target.jump!.hostKey, hostKeyOf(seed, "core-jump").publicKey);
        assert.equal(targetOf(inputs, { outputs: {} } as never, "w1"), undefined);
    });
});

describe("what is done before a stack shrinks", () => {
    const port = 20_022;
    const names = ["m1", "m2", "m3", "w1", "w2"];
    const addressOf = (name: string) => `127.77.0.${names.indexOf(name) + 1}`;
    const addressesOf = (present: string[]) => Object.fromEntries(present.map(name => [name, addressOf(name)]));
    let identity: Identity;
    let fleet: FakeFleet;
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let ways: Server[];

    /** Each machine has an address of its own, as servers have. */
    const way = (name: string) =>
        new Promise<Server>(resolve => {
            const server = createServer(socket => {
                const onward = dial(fleet.target(name).port!, "127.0.0.1");
                socket.pipe(onward).pipe(socket);
                for (const end of [socket, onward]) end.on("error", () => [socket, onward].map(each => each.destroy()));
            });
            server.listen(port, addressOf(name), () => resolve(server));
        });

    const inputs = (wanted: string[]): CloudStartInputs => ({
        ...inputsOf(wanted, { clusterId: identity.clusterId }),
        ssh: { user: "root", port, privateKey: fleet.target("m1").privateKey, connectTimeoutSeconds: 3 },
    });
    const state = (wanted: string[]) => stateOf(inputs(wanted));
    const update = (before: string[], after: string[], context = listener()) =>
        operationStart.update("id", state(before), inputs(after), context);

    const join = async (...members: string[]) => {
        for (const name of members) {
            const target = fleet.target(name);
            const both = machine(
                identity,
                name,
                name.startsWith("m") ? "controlPlane" : "worker",
                target,
                Object.fromEntries(["m1", "m2", "m3"].map(master => [master, fleet.target(master)])),
            );
            await host.create(both.host, listener());
            await node.create(both.node, listener());
        }
    };
    const scriptsOn = (name: string) =>
        fleet.node(name).agent.acts.flatMap(({ id, script }) => {
            const words = ["kubectl drain", "member remove", "kubectl delete node", "kubeadm reset"];
            return id.startsWith("node.") ? words.filter(each => script.includes(each)).slice(0, 1) : [];
        });
    /** Whether each drain waited for the kubelet's confirmation. */
    const drainedAsGone = (master: string) =>
        fleet.node(master).agent.acts.flatMap(({ script }) => /^GONE=(.*)$/m.exec(script)?.[1] ?? []);
    /** Members of etcd as a control-plane node reports them: each once, healthy or not. */
    const etcdIs = (master: string, healthy: Record<string, boolean>) => {
        const members = Object.keys(healthy).map((name, i) => ({
            ID: i + 1,
            name,
            peerURLs: [`https://${addressOf(name)}:2380`],
            clientURLs: [`https://${name}:2379`],
        }));
        const health = Object.entries(healthy).map(([name, good]) => ({
            endpoint: `https://${name}:2379`,
            health: good,
        }));
        fleet
            .node(master)
            .onScript(({ stdin }) =>
                stdin.includes("member list")
                    ? { stdout: `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n` }
                    : {},
            );
    };

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: names });
        ways = await Promise.all(names.map(way));
        ({ cloud, leave } = await cloudOfEnvironment());
        for (const name of names) serverIs(cloud, `id-${name}`, "ACTIVE");
        stackIs(cloud, "CREATE_COMPLETE", addressesOf(names));
    });
    afterEach(async () => {
        await endRun();
        for (const server of ways) server.close();
        await fleet.stop();
        await leave();
    });

    it("takes out exactly who is no longer wanted: drained and deleted by a master that stays, reset itself", async () => {
        await join("m1", "w1", "w2");
        const before = fleet.node("w1").commands.length;
        const { outs } = await update(["m1", "w1", "w2"], ["m1", "w1"]);
        assert.deepEqual(scriptsOn("m1"), ["kubectl drain", "kubectl delete node"]);
        assert.deepEqual(scriptsOn("w2"), ["kubeadm reset"]);
        assert.deepEqual(drainedAsGone("m1"), ["''"]);
        assert.equal(fleet.node("w1").commands.length, before, "who stays is not touched");
        assert.deepEqual(Object.keys(outs.spec.nodes), ["m1", "w1"]);
        assert.deepEqual(outs.takenOut, { w2_server: "id-w2" }, "only this server may Heat delete");
        assert.equal(fleet.node("w2").agent.journal["cluster.join"], undefined, "a refresh would see it");
    });

    it("goes on when it was killed in between, and when the server has gone meanwhile", async () => {
        await join("m1", "w2");
        await update(["m1", "w2"], ["m1"]);
        assert.deepEqual(drainedAsGone("m1"), ["''"]);
        serverIsGone(cloud, "id-w2");
        stackIs(cloud, "UPDATE_FAILED", addressesOf(["m1"]));
        await update(["m1", "w2"], ["m1"]);
        assert.deepEqual(drainedAsGone("m1"), ["''", "'yes'"]);
    });

    describe("with servers that Nova does not have", () => {
        it("asks their machines all the same: masters that answer say who leaves, those that leave are reset", async () => {
            await join("m1", "m2", "m3", "w1");
            for (const name of names) serverIsGone(cloud, `id-${name}`);
            etcdIs("m1", { m1: true, m2: true, m3: false });
            const before = ["m1", "m2", "m3", "w1"];
            const failure = await failureOf(update(before, ["m1", "m3", "w1"]));
            assert.equal(failure.code, "QUORUM_AT_RISK");
            const context = listener();
            await update(before, ["m1", "m2", "m3"], context);
            assert.deepEqual(scriptsOn("w1"), ["kubeadm reset"]);
            assert.match(context.warned.join("\n"), /w1: the cloud has no such server, but the machine answers/);
        });

        it("takes those that are silent for lost", async () => {
            await join("m1", "w1");
            for (const name of ["m1", "w1"]) {
                serverIsGone(cloud, `id-${name}`);
                await fleet.node(name).powerOff();
            }
            const context = listener();
            await update(["m1", "w1"], ["m1"], context);
            assert.match(context.warned.join(), /w1: no master of .* was ever there/);
        });
    });

    it("drains as the node's pool says, also for a pool that the program does not have any more", async () => {
        await join("m1", "w1", "w2");
        const drains = (pool: string, seconds: number) => ({ [pool]: { timeoutSeconds: seconds, policy: "delete" } });
        const [before, after] = [state(["m1", "w1", "w2"]), inputs(["m1"])];
        before.spec.nodes["w1"]!.pool = "edge";
        before.spec.nodes["w2"]!.pool = "db";
        Object.assign(before.spec, { poolDrains: { ...drains("edge", 7), ...drains("db", 8) } });
        Object.assign(after.spec, { poolDrains: drains("edge", 9) });
        await operationStart.update("id", before, after, listener());
        const waited = fleet.node("m1").agent.acts.flatMap(({ script }) => {
            const [, name] = /^NAME='?(\w+)'?$/m.exec(script) ?? [];
            const [, seconds] = /^SECONDS_TO_WAIT='?(\d+)'?$/m.exec(script) ?? [];
            return seconds === undefined ? [] : [`${name} ${seconds}`];
        });
        assert.deepEqual(waited.sort(), ["w1 9", "w2 8"]);
    });

    it("stops at a drain that fails, and keeps the rest of the state as it was", async () => {
        await join("m1", "w1", "w2");
        fleet
            .node("m1")
            .onScript(({ stdin }) =>
                stdin.includes("kubectl drain") ? { code: 81, stderr: "pods are still on w2" } : {},
            );
        const failure = await failureOf(update(["m1", "w1", "w2"], ["m1", "w1"]));
        assert.match(failure.message, /^w2: drain: /);
        assert.equal((failure as { id?: string }).id, undefined);
        assert.deepEqual(scriptsOn("w2"), []);
    });

    it("takes masters out one after another", async () => {
        await join("m1", "m2", "m3");
        etcdIs("m1", { m1: true, m2: true, m3: true });
        await update(["m1", "m2", "m3"], ["m1"]);
        assert.deepEqual(scriptsOn("m1"), [
            ...["kubectl drain", "member remove", "kubectl delete node"],
            ...["kubectl drain", "member remove", "kubectl delete node"],
        ]);
    });

    it("refuses to take masters where etcd would lose its quorum, before any node is touched", async () => {
        await join("m1", "m2", "m3", "w1");
        etcdIs("m1", { m1: true, m2: false, m3: true });
        etcdIs("m2", { m1: true, m2: false, m3: true });
        const failure = await failureOf(update(["m1", "m2", "m3", "w1"], ["m1", "m2"]));
        assert.equal(failure.code, "QUORUM_AT_RISK");
        assert.deepEqual([...scriptsOn("m1"), ...scriptsOn("m2"), ...scriptsOn("w1")], []);
    });

    describe("takes a server whose address Heat cannot tell for a member", () => {
        const hide = (...hidden: string[]) => {
            stackIs(cloud, "UPDATE_COMPLETE", addressesOf(names));
            const { stack } = cloud.routes["GET /orchestration/stacks/core"] as never as {
                stack: { outputs: { output_key: string; output_value: unknown; output_error?: string }[] };
            };
            for (const output of stack.outputs.filter(({ output_key }) => hidden.includes(output_key.split("_")[0]!)))
                Object.assign(output, { output_value: null, output_error: "Neutron is down" });
        };

        it("whether it stays or leaves", async () => {
            await join(...names);
            hide(...names);
            for (const after of [["m1"], ["m1", "m2", "m3", "w1"]]) {
                const error = await failureOf(update(names, after));
                assert.equal(error.code, "NO_CONTROL_PLANE");
                assert.match(
                    error.message,
                    /m1: Nova has its server, and Heat does not say its address: Neutron is down/,
                );
            }
            for (const name of names) assert.deepEqual(scriptsOn(name), []);
        });

        it("while the one that stays is lost", async () => {
            await join("m1", "m2", "m3");
            hide("m2", "m3");
            serverIsGone(cloud, "id-m1");
            await fleet.node("m1").powerOff();
            const error = await failureOf(update(["m1", "m2", "m3"], ["m1"]));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.message, /m2 \(Nova has its server/);
        });

        it("drained and deleted by the masters that answer", async () => {
            await join("m1", "w2");
            hide("w2");
            await update(["m1", "w2"], ["m1"]);
            assert.deepEqual(scriptsOn("m1"), ["kubectl drain", "kubectl delete node"]);
            assert.deepEqual(drainedAsGone("m1"), ["'yes'"]);
        });
    });

    it("does not let a node go silently while the masters do not answer", async () => {
        await join("m1", "w1");
        await fleet.node("m1").powerOff();
        const failure = await failureOf(update(["m1", "w1"], ["m1"]));
        assert.equal(failure.code, "NO_CONTROL_PLANE");
        assert.deepEqual(scriptsOn("w1"), []);
    });

    describe("never takes the masters on which the cluster is, while the one that stays is lost", () => {
        const before = ["m1", "m2", "m3", "w1"];
        const lost = async () => {
            await join(...before);
            serverIsGone(cloud, "id-m1");
            await fleet.node("m1").powerOff();
            cloud.routes["PATCH /orchestration/stacks/core/1/resources/m1_server"] = {};
            for (const master of ["m2", "m3"]) etcdIs(master, { m1: false, m2: true, m3: true });
        };
        const untouched = () => {
            for (const name of ["m2", "m3"]) assert.deepEqual(scriptsOn(name), []);
            assert.ok(!cloud.calls.some(({ method }) => method === "PATCH"));
        };

        it("after a refresh has found it", async () => {
            await lost();
            const olds = { ...state(before), missing: { m1: "id-m1" } };
            const news = operationStart.check(olds, inputs(["m1", "w1"])).inputs;
            const error = await failureOf(operationStart.update("id", olds, news, listener()));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.message, /servers of m1 are lost, and the program takes m2, m3 out in the same run/);
            untouched();
        });

        it("also before a refresh has found it", async () => {
            await lost();
            const error = await failureOf(update(before, ["m1", "w1"]));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.message, /the cluster may be on those that leave: m2, m3/);
            untouched();
        });

        it("also while they do not answer, for their servers are there", async () => {
            await lost();
            for (const name of ["m2", "m3"]) await fleet.node(name).powerOff();
            assert.match((await failureOf(update(before, ["m1", "w1"]))).message, /may be on those that leave: m2 \(/);
        });
    });

    it("asks no other project, in which the nodes would seem to be gone already", async () => {
        await join("m1", "w1");
        delete cloud.routes["GET /orchestration/stacks/core"];
        const olds = { ...state(["m1", "w1"]), project: "p2" };
        const error = await failureOf(operationStart.update("id", olds, inputs(["m1"]), listener()));
        assert.equal(error.code, "CLOUD_CONFIG_INVALID");
    });

    describe("a stack of our name that another program made", () => {
        const theirs = () => stackIs(cloud, "CREATE_COMPLETE", addressesOf(["m1", "w1"]), ["pulumi-nfv.owner=theirs"]);

        it("is refused by its tag, before a machine or Heat is asked for anything", async () => {
            await join("m1", "w1");
            theirs();
            const scripts = scriptsOn("w1");
            const error = await failureOf(update(["m1", "w1"], ["m1"]));
            assert.equal(error.code, "NOT_OURS");
            assert.match(error.message, /"core" \(1\) has the tag pulumi-nfv\.owner=theirs/);
            assert.deepEqual(scriptsOn("w1"), scripts);
            assert.ok(cloud.calls.every(({ method }) => method === "GET" || method === "POST"));
        });

        it("teaches a refresh nothing", async () => {
            theirs();
            serverIsGone(cloud, "w1");
            const context = listener();
            const olds = state(["m1", "w1"]);
            assert.deepEqual((await operationStart.read!("id", olds, context))!.props, olds);
            assert.match(context.warned.join(), /another program made it/);
        });
    });

    it("lets them go where there never was a cluster, or there is no stack", async () => {
        const context = listener();
        await update(["m1", "w1"], ["m1"], context);
        assert.match(context.warned.join(), /w1: no master of .* was ever there/);
        delete cloud.routes["GET /orchestration/stacks/core"];
        await update(["m1", "w1"], ["m1"], context);
    });

    it("leaves all of it to the nodes' own deletion with servers made one by one", async () => {
        await operationStart.update(
            "id",
            stateOf(inputsOf(["m1", "w1"], { backEnd: "nova" })),
            inputsOf(["m1"], { backEnd: "nova" }),
            listener(),
        );
        assert.deepEqual(cloud.calls, []);
    });
});
