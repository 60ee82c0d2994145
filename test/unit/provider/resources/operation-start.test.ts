import assert from "node:assert/strict";
import { createServer, connect as dial, type Server } from "node:net";
import { utils } from "ssh2";
import * as door from "../../../../provider";
import type { NfvError } from "../../../../provider/errors";
import type { Identity } from "../../../../provider/identity";
import { hostKeyOf } from "../../../../provider/openstack/host-key";
import { host } from "../../../../provider/resources/host";
import { forgetMachine } from "../../../../provider/resources/machine";
import { node } from "../../../../provider/resources/node";
import {
    type OperationStartInputs,
    type OperationStartState,
    operationStart,
    type StartNode,
} from "../../../../provider/resources/operation-start";
import { packSecrets } from "../../../../provider/resources/packed";
import { targetOf } from "../../../../provider/resources/take-out";
import { unknownValue } from "../../../../provider/resources/values";
import { closeAll } from "../../../../provider/ssh";
import { FakeFleet } from "../../../../testing";
import type { FakeCloud } from "../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone } from "./cloud";
import { listener, machine, testIdentity } from "./cluster";

const failureOf = (promise: Promise<unknown>) =>
    promise.then(
        () => assert.fail("it should have failed"),
        error => error as NfvError,
    );

const shape = { image: "debian-12", flavor: "m1.small" };
const startNode = (name: string, changes: Partial<StartNode> = {}): StartNode => ({
    role: name.startsWith("m") ? "controlPlane" : "worker",
    shape,
    stack: { server: `${name}_server`, address: `${name}_address` },
    ...changes,
});

function inputsOf(names: string[], changes: Partial<OperationStartInputs["spec"]> = {}): OperationStartInputs {
    return {
        resourceUrn: "urn:start",
        spec: {
            clusterId: "core-1",
            clusterName: "core",
            backEnd: "heat",
            cloud: {},
            stackName: "core",
            owner: "abc",
            nodes: Object.fromEntries(names.map(name => [name, startNode(name)])),
            drain: { timeoutSeconds: 5, policy: "fail" },
            leftovers: "delete",
            ...changes,
        },
        ssh: { user: "nfv", privateKey: "key" },
    };
}

/** What the engine has after an operation with these inputs. */
const stateOf = (inputs: OperationStartInputs) => operationStart.check({}, inputs).inputs as OperationStartState;

describe("what is said before the infrastructure is touched", () => {
    const olds = stateOf(inputsOf(["m1", "w1", "w2"]));
    const checked = (news: OperationStartInputs, before: OperationStartInputs = olds) =>
        operationStart.check(before, news);

    it("names who leaves, and nobody the next time", () => {
        const { inputs } = checked(inputsOf(["m1", "w1"]));
        assert.deepEqual(inputs.leaving, ["w2"]);
        assert.equal(operationStart.diff("id", olds, inputs).changes, true);
        const again = checked(inputsOf(["m1", "w1"]), inputs).inputs;
        assert.deepEqual(again.leaving, []);
        assert.equal(operationStart.diff("id", inputs as OperationStartState, again).changes, false);
    });

    it("counts from one, keeps the count, and begins anew for a node that is new", () => {
        assert.deepEqual(olds.generations, { m1: 1, w1: 1, w2: 1 });
        const { inputs } = checked(inputsOf(["m1", "w1", "w3"]), { ...olds, generations: { m1: 3, w1: 1, w2: 2 } });
        assert.deepEqual(inputs.generations, { m1: 3, w1: 1, w3: 1 });
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

describe("what is done before a stack shrinks", function () {
    this.timeout(120_000);
    const port = 20_022;
    const names = ["m1", "m2", "m3", "w1", "w2"];
    const addressOf = (name: string) => `127.77.0.${names.indexOf(name) + 1}`;
    let identity: Identity;
    let fleet: FakeFleet;
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let ways: Server[];

    /** Each machine at an address of its own, as servers are. */
    const way = (name: string) =>
        new Promise<Server>(resolve => {
            const server = createServer(socket => {
                const onward = dial(fleet.target(name).port!, "127.0.0.1");
                socket.pipe(onward).pipe(socket);
                for (const end of [socket, onward]) end.on("error", () => [socket, onward].map(each => each.destroy()));
            });
            server.listen(port, addressOf(name), () => resolve(server));
        });

    const stackIs = (status: string, changes: { tags?: string[]; present?: string[] } = {}) => {
        const { tags = ["pulumi-nfv.owner=abc"], present = names } = changes;
        cloud.routes["GET /orchestration/stacks/core"] = {
            stack: {
                id: "1",
                stack_name: "core",
                stack_status: status,
                stack_status_reason: "because",
                tags,
                outputs: present.map(name => ({ output_key: `${name}_address`, output_value: addressOf(name) })),
            },
        };
        cloud.routes["GET /orchestration/stacks/core/1/resources"] = {
            resources: present.map(name => ({
                resource_name: `${name}_server`,
                resource_type: "OS::Nova::Server",
                resource_status: "CREATE_COMPLETE",
                resource_status_reason: "",
                physical_resource_id: `id-${name}`,
            })),
        };
    };

    const inputs = (wanted: string[]): OperationStartInputs => ({
        ...inputsOf(wanted, { clusterId: identity.clusterId }),
        ssh: { user: "root", port, privateKey: fleet.target("m1").privateKey, connectTimeoutSeconds: 1 },
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
        fleet.node(name).commands.flatMap(call => {
            const script = call.stdin.toString();
            const what = ["kubectl drain", "member remove", "kubectl delete node", "kubeadm reset"].find(words =>
                script.includes(words),
            );
            return what === undefined || call.argv[2] !== "pulumi-nfv" ? [] : [what];
        });
    /** etcd as a master tells it: each member once, healthy or not. */
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
            .on(["sh", "-s", "pulumi-nfv"], ({ stdin }) =>
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
        stackIs("CREATE_COMPLETE");
    });
    afterEach(async () => {
        await closeAll();
        for (const server of ways) server.close();
        for (const name of names) await forgetMachine({ host: addressOf(name), port });
        await fleet.stop();
        await leave();
    });

    it("takes out exactly who is no longer wanted: drained and deleted by a master that stays, reset itself", async () => {
        await join("m1", "w1", "w2");
        const before = fleet.node("w1").commands.length;
        const { outs } = await update(["m1", "w1", "w2"], ["m1", "w1"]);
        assert.deepEqual(scriptsOn("m1"), ["kubectl drain", "kubectl delete node"]);
        assert.deepEqual(scriptsOn("w2"), ["kubeadm reset"]);
        assert.equal(fleet.node("w1").commands.length, before, "who stays is not touched");
        assert.deepEqual(Object.keys(outs.spec.nodes), ["m1", "w1"]);
        assert.equal(fleet.node("w2").agent.journal["cluster.join"], undefined, "a refresh would see it");
    });

    it("goes on when it was killed in between, and when the server has gone meanwhile", async () => {
        await join("m1", "w2");
        await update(["m1", "w2"], ["m1"]);
        serverIsGone(cloud, "id-w2");
        stackIs("UPDATE_FAILED", { present: ["m1"] });
        await update(["m1", "w2"], ["m1"]);
    });

    it("stops at a drain that fails, and keeps the rest of the state as it was", async () => {
        await join("m1", "w1", "w2");
        fleet
            .node("m1")
            .on(["sh", "-s", "pulumi-nfv"], ({ stdin }) =>
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

    it("does not let a node go silently while the masters do not answer", async () => {
        await join("m1", "w1");
        await fleet.node("m1").powerOff();
        const failure = await failureOf(update(["m1", "w1"], ["m1"]));
        assert.equal(failure.code, "NO_CONTROL_PLANE");
        assert.deepEqual(scriptsOn("w1"), []);
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

    describe("when a server is lost", () => {
        it("is found by a refresh, counted by the next check, told to Heat by the next update", async () => {
            serverIsGone(cloud, "id-w1");
            serverIs(cloud, "id-m2", "ERROR");
            const before = state(names);
            const seen = await operationStart.read("id", before, listener());
            assert.deepEqual(seen.props!.missing, ["m2", "w1"]);
            const checked = operationStart.check(seen.inputs!, inputs(names)).inputs as OperationStartState;
            assert.deepEqual(checked.generations, { m1: 1, m2: 2, m3: 1, w1: 2, w2: 1 });
            assert.equal(operationStart.diff("id", seen.props!, checked).changes, true);
            for (const name of ["m2", "w1"]) {
                cloud.routes[`PATCH /orchestration/stacks/core/1/resources/${name}_server`] = {};
            }
            const { outs } = await operationStart.update("id", seen.props!, checked, listener());
            const marked = cloud.calls.filter(call => call.method === "PATCH").map(call => [call.path, call.body]);
            assert.deepEqual(
                marked.map(([path]) => path),
                ["m2", "w1"].map(name => `/orchestration/stacks/core/1/resources/${name}_server`),
            );
            assert.equal(marked[0]![1].mark_unhealthy, true);
            assert.equal(outs.missing, undefined);
            const again = operationStart.check(checked, inputs(names)).inputs;
            assert.deepEqual(again.generations, checked.generations);
            assert.equal(operationStart.diff("id", outs, again).changes, false);
        });

        it("is not found where all are there, the stack moves, or the cloud does not answer", async () => {
            const before = state(names);
            assert.deepEqual(await operationStart.read("id", before, listener()), { id: "id", props: before });
            serverIsGone(cloud, "id-w1");
            stackIs("UPDATE_IN_PROGRESS");
            assert.deepEqual(await operationStart.read("id", before, listener()), { id: "id", props: before });
            cloud.routes["GET /orchestration/stacks/core"] = () => ({ status: 403 });
            const context = listener();
            assert.deepEqual(await operationStart.read("id", before, context), { id: "id", props: before });
            assert.match(context.warned[0], /servers were not looked after/);
        });

        it("travels packed through a refresh, secrets where they were", async () => {
            serverIsGone(cloud, "id-w1");
            const { spec, ssh, ...rest } = state(names);
            const secrets = packSecrets([[["ssh"], ssh]]);
            const packed = { ...rest, spec: JSON.stringify(spec), secrets };
            const seen = (await door.read("OperationStart", "id", packed)) as unknown as {
                props: OperationStartState;
                inputs: Record<string, unknown>;
            };
            assert.deepEqual(seen.inputs, { ...packed, missing: ["w1"] });
            assert.deepEqual(seen.props, seen.inputs);
        });
    });

    describe("deleted", () => {
        const remove = (changes: Partial<OperationStartInputs> = {}, context = listener()) =>
            operationStart.delete("id", { ...state(names), resourceUrn: "urn:gone", ...changes } as never, context);

        it("deletes the stack that a killed run left behind, and waits until it is gone", async () => {
            cloud.routes["DELETE /orchestration/stacks/core/1"] = () => {
                let asked = 0;
                const shrinking = cloud.routes["GET /orchestration/stacks/core"] as object;
                cloud.routes["GET /orchestration/stacks/core"] = () =>
                    ++asked < 2 ? { body: shrinking } : { status: 404 };
                return { status: 204 };
            };
            await remove();
            assert.equal(cloud.count("DELETE /orchestration/stacks/core/1"), 1);
        });

        it("does not touch a stack of the same name that is somebody else's", async () => {
            stackIs("CREATE_COMPLETE", { tags: ["pulumi-nfv.owner=other"] });
            const context = listener();
            await remove({}, context);
            assert.equal(cloud.calls.filter(call => call.method === "DELETE").length, 0);
            assert.match(context.warned[0], /no tag of this cluster/);
        });

        it("does nothing while the program still has it: then it is only replaced", async () => {
            operationStart.check({}, { ...inputs(names), resourceUrn: "urn:kept" });
            await remove({ resourceUrn: "urn:kept" });
            assert.equal(cloud.calls.length, 0);
        });

        it("removes volumes that Kubernetes made, once no server has them", async () => {
            delete cloud.routes["GET /orchestration/stacks/core"];
            const volume = (id: string, cluster: string) => ({
                id,
                name: id,
                status: "available",
                size: 1,
                metadata: { "cinder.csi.openstack.org/cluster": cluster },
                attachments: [],
            });
            for (const list of ["floatingips", "ports", "security-groups"]) {
                cloud.routes[`GET /network/v2.0/${list}`] = { [list.replace("-", "_")]: [] };
                cloud.routes[`GET /network/${list}`] = { [list.replace("-", "_")]: [] };
            }
            cloud.routes["GET /block-storage/volumes/detail"] = {
                volumes: [volume("v1", "core"), volume("v2", "other")],
            };
            cloud.routes["DELETE /block-storage/volumes/v1"] = () => ({ status: 202 });
            await remove();
            assert.equal(cloud.count("DELETE /block-storage/volumes/v1"), 1);
            assert.equal(cloud.count("DELETE /block-storage/volumes/v2"), 0);
        });
    });

    it("has a login that machines know", () => {
        assert.ok(!(utils.parseKey(inputs(["m1"]).ssh.privateKey!) instanceof Error));
    });
});
