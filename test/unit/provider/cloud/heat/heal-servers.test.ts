import assert from "node:assert/strict";
import type { Server } from "node:net";
import type { CloudStartInputs, CloudStartState } from "../../../../../provider/cloud/cloud-start-inputs";
import { host } from "../../../../../provider/host/host";
import { node } from "../../../../../provider/member/node";
import { FakeFleet } from "../../../../../testing";
import type { Identity } from "../../identity/made-identity";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../../support/cloud";
import { endRun, listener, machine, testIdentity } from "../../support/cluster";
import { inputsOf, operationStart, shape, startNode, stateOf } from "../../support/start-inputs";
import { atAddress } from "../own-address";

describe("a new server that a program asks for, with Heat", () => {
    const port = 20_031;
    const names = ["m1", "m2", "m3", "w1", "w2"];
    const addressOf = (name: string) => `127.79.3.${names.indexOf(name) + 1}`;
    let identity: Identity;
    let fleet: FakeFleet;
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let ways: Map<string, Server>;

    const way = async (name: string): Promise<[string, Server]> => [
        name,
        await atAddress(fleet, name, addressOf(name), port),
    ];
    const silence = (name: string) => {
        ways.get(name)!.close();
        ways.get(name)!.emit("silent");
    };
    const inputs = (nodes?: string[], run = "one"): CloudStartInputs => ({
        ...inputsOf(names, { clusterId: identity.clusterId }),
        ssh: { user: "root", port, privateKey: fleet.target("m1").privateKey, connectTimeoutSeconds: 3 },
        ...(nodes && { heal: { run, cure: "server" as const, nodes } }),
    });
    const state = () => stateOf(inputs()) as CloudStartState;
    const up = async (news: CloudStartInputs, olds = state(), context = listener()) => {
        const checked = operationStart.check(olds, news);
        assert.deepEqual(checked.failures, []);
        const stored = checked.inputs as CloudStartInputs;
        const { outs } = await operationStart.update("id", olds, stored, context);
        return { stored, outs };
    };
    const join = async (...members: string[]) => {
        const masters = Object.fromEntries(["m1", "m2", "m3"].map(master => [master, fleet.target(master)]));
        for (const name of members) {
            const role = name.startsWith("m") ? "controlPlane" : "worker";
            const both = machine(identity, name, role, fleet.target(name), masters);
            await host.create(both.host, listener());
            await node.create(both.node, listener());
        }
    };
    const actsOn = (name: string) => fleet.node(name).agent.acts.map(({ id }) => id);
    const requests = (method: string) =>
        cloud.calls.filter(call => call.method === method).map(({ path }) => path.split("/").at(-1));

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: names });
        ways = new Map(await Promise.all(names.map(way)));
        ({ cloud, leave } = await cloudOfEnvironment());
        for (const name of names) {
            const id = `id-${name}`;
            serverIs(cloud, id, "ACTIVE");
            cloud.routes[`PATCH /orchestration/stacks/core/1/resources/${name}_server`] = {};
            cloud.routes[`DELETE /compute/servers/${id}`] = () => {
                serverIsGone(cloud, id);
                silence(name);
                return { status: 204, body: undefined };
            };
        }
        stackIs(cloud, "CREATE_COMPLETE", Object.fromEntries(names.map(name => [name, addressOf(name)])));
    });
    afterEach(async () => {
        await endRun();
        for (const server of ways.values()) server.close();
        await fleet.stop();
        await leave();
    });

    it("is made in order: the node leaves, its server is deleted, and Heat is told to make another", async () => {
        await join("m1", "w1", "w2");
        const { stored, outs } = await up(inputs(["w1"]));
        assert.deepEqual(
            actsOn("m1").filter(id => /drain|delete-object/.test(id)),
            ["node.drain", "node.delete-object"],
        );
        assert.ok(actsOn("w1").includes("node.reset"));
        assert.deepEqual([requests("DELETE"), requests("PATCH")], [["id-w1"], ["w1_server"]]);
        assert.deepEqual(outs.marked, { w1_server: "id-w1" }, "only this server may Heat replace");
        assert.deepEqual(stored.generations, { m1: 1, m2: 1, m3: 1, w1: 2, w2: 1 });
        assert.equal(stored.operation, "heal w1 (asked for: one)");
        assert.deepEqual(actsOn("w2"), []);
    });

    it("is asked for once: the next run changes nothing", async () => {
        await join("m1", "w1");
        const { stored, outs } = await up(inputs(["w1"]));
        const again = operationStart.check(stored, inputs(["w1"])).inputs;
        assert.deepEqual(again.generations, stored.generations);
        assert.equal(operationStart.diff("id", outs, again).changes, false);
    });

    it("is finished by the next run where a killed one had deleted the server", async () => {
        await join("m1", "w1");
        await up(inputs(["w1"]));
        const { stored, outs } = await up(inputs(["w1"]));
        assert.deepEqual([requests("DELETE"), requests("PATCH")], [["id-w1"], ["w1_server", "w1_server"]]);
        assert.equal(stored.generations!["w1"], 2);
        assert.deepEqual(outs.marked, { w1_server: "id-w1" });
    });

    it("leaves the server where the node cannot be drained, and the state as it was", async () => {
        await join("m1", "w1");
        fleet.node("m1").onScript(({ stdin }) => (stdin.includes("kubectl drain") ? { code: 1, stderr: "PDB" } : {}));
        await assert.rejects(up(inputs(["w1"])), /w1/);
        assert.deepEqual([requests("DELETE"), requests("PATCH")], [[], []]);
    });

    it("is refused, before anything is touched, where etcd would lose its majority", async () => {
        await join("m1", "m3");
        const olds = { ...state(), missing: { m2: "id-m2" } };
        serverIsGone(cloud, "id-m2");
        silence("m2");
        await assert.rejects(up(inputs(["m3"]), olds), { code: "QUORUM_AT_RISK" });
        assert.deepEqual([requests("DELETE"), actsOn("m3")], [[], ["node.labels"]]);
    });

    it("is made as the program says now, which an existing server cannot become", () => {
        const news = inputs(["w1"]);
        news.spec.nodes["w1"] = startNode("w1", { shape: { ...shape, flavor: "m1.large" } });
        assert.deepEqual(operationStart.check(state(), news).failures, []);
        delete news.heal;
        assert.equal(operationStart.check(state(), news).failures!.length, 1);
    });
});
