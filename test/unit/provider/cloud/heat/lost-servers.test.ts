import assert from "node:assert/strict";
import type { Server } from "node:net";
import fc from "fast-check";
import type { CloudStartInputs, CloudStartState } from "../../../../../provider/cloud/cloud-start-inputs";
import { keepsQuorum } from "../../../../../provider/cloud/heat/mark-lost";
import { type ServerSigns, verdictOn } from "../../../../../provider/cloud/server-verdict";
import type { NfvError } from "../../../../../provider/common/errors";
import { host } from "../../../../../provider/host/host";
import { node } from "../../../../../provider/member/node";
import { FakeFleet } from "../../../../../testing";
import type { Identity } from "../../identity/made-identity";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../../support/cloud";
import { endRun, listener, machine, testIdentity } from "../../support/cluster";
import { inputsOf, operationStart, stateOf } from "../../support/start-inputs";
import { atAddress } from "../own-address";

describe("whether a server is lost", () => {
    const rows: [ServerSigns, string][] = [
        [{ nova: "fine" }, "there"],
        [{ nova: "gone", answers: true }, "there"],
        [{ nova: "gone", answers: true, ready: "no" }, "there"],
        [{ nova: "gone", answers: false }, "lost"],
        [{ nova: "gone", answers: false, ready: "yes" }, "lost"],
        [{ nova: "gone" }, "unclear"],
        [{ nova: "gone", ready: "yes" }, "there"],
        [{ nova: "gone", ready: "no" }, "lost"],
        [{ nova: "error", answers: false, ready: "no" }, "lost"],
        [{ nova: "error", answers: false, ready: "none" }, "lost"],
        [{ nova: "error", answers: true, ready: "no" }, "there"],
        [{ nova: "error", answers: false, ready: "yes" }, "there"],
        [{ nova: "error", answers: false }, "unclear"],
        [{ nova: "error", ready: "no" }, "lost"],
        [{ nova: "error" }, "unclear"],
    ];
    for (const [signs, verdict] of rows) {
        it(`is ${verdict} of one with ${JSON.stringify(signs)}`, () => assert.equal(verdictOn(signs), verdict));
    }

    it("never lets a majority of masters go", () => {
        fc.assert(
            fc.property(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 }), (masters, lost) => {
                assert.equal(keepsQuorum(masters, lost), (masters - lost) * 2 > masters);
            }),
        );
        assert.ok(keepsQuorum(1, 0));
    });
});

describe("servers that Nova calls ERROR", () => {
    const port = 20_023;
    const names = ["m1", "m2", "m3", "w1"];
    const addressOf = (name: string) => `127.78.0.${names.indexOf(name) + 1}`;
    let identity: Identity;
    let fleet: FakeFleet;
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let ways: Map<string, Server>;

    const way = async (name: string): Promise<[string, Server]> => [
        name,
        await atAddress(fleet, name, addressOf(name), port),
    ];
    /** Makes SSH to it impossible. */
    const silence = async (name: string) => {
        ways.get(name)!.close();
        await endRun();
    };
    const inputs = (wanted = names): CloudStartInputs => ({
        ...inputsOf(wanted, { clusterId: identity.clusterId }),
        ssh: { user: "root", port, privateKey: fleet.target("m1").privateKey, connectTimeoutSeconds: 3 },
    });
    const state = (missing: Record<string, string> = {}) => ({ ...stateOf(inputs()), missing }) as CloudStartState;
    const join = async (...members: string[]) => {
        const masters = Object.fromEntries(["m1", "m2", "m3"].map(master => [master, fleet.target(master)]));
        for (const name of members) {
            const role = name.startsWith("m") ? "controlPlane" : "worker";
            const both = machine(identity, name, role, fleet.target(name), masters);
            await host.create(both.host, listener());
            await node.create(both.node, listener());
        }
    };
    const resourceOf = (name: string) => ({
        resource_name: `${name}_server`,
        physical_resource_id: `id-${name}`,
    });
    /** What a ready control-plane node reports about nodes. */
    const nodesAre = (ready: Record<string, string>) => {
        for (const name of ["m1", "m2", "m3"]) {
            fleet.node(name).onScript(({ stdin }) => {
                const asked = Object.keys(ready).find(
                    each => stdin.toString().includes(`NODE='${each}'`) || stdin.toString().includes(`NODE=${each}`),
                );
                return asked === undefined ? {} : { stdout: `${ready[asked]}\n` };
            });
        }
    };
    const refreshed = async (context = listener()) =>
        (await operationStart.read("id", state(), context)).props!.missing ?? {};
    const marked = () =>
        cloud.calls.filter(({ method }) => method === "PATCH").map(({ path }) => path.split("/").at(-1));
    const up = async (missing: Record<string, string>, context = listener()) => {
        const olds = state(missing);
        return operationStart.update("id", olds, operationStart.check(olds, inputs()).inputs, context);
    };

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: names });
        ways = new Map(await Promise.all(names.map(way)));
        ({ cloud, leave } = await cloudOfEnvironment());
        for (const name of names) serverIs(cloud, `id-${name}`, "ACTIVE");
        stackIs(cloud, "CREATE_COMPLETE", Object.fromEntries(names.map(name => [name, addressOf(name)])));
        for (const name of names) cloud.routes[`PATCH /orchestration/stacks/core/1/resources/${name}_server`] = {};
    });
    afterEach(async () => {
        await endRun();
        for (const server of ways.values()) server.close();
        await fleet.stop();
        await leave();
    });

    it("stay where they answer by SSH, or their nodes are Ready: both must agree", async () => {
        await join("m1");
        for (const name of ["w1", "m2"]) serverIs(cloud, `id-${name}`, "ERROR");
        nodesAre({ w1: "Unknown", m2: "True" });
        await silence("m2");
        const context = listener();
        assert.deepEqual(await refreshed(context), {});
        assert.match(context.warned.join("\n"), /w1: its server is ERROR in Nova and stays: it answers by SSH/);
        assert.match(context.warned.join("\n"), /m2: its server is ERROR in Nova and stays: its node is Ready/);
    });

    it("are lost where neither answers, also where they never were nodes", async () => {
        await join("m1");
        for (const name of ["w1", "m2"]) serverIs(cloud, `id-${name}`, "ERROR");
        nodesAre({ w1: "Unknown", m2: "none" });
        await silence("w1");
        await silence("m2");
        assert.deepEqual(await refreshed(), { m2: "id-m2", w1: "id-w1" });
    });

    it("are a jump server only if it does not answer either: no master is asked about it", async () => {
        const jump = { name: "w1", output: "w1_address", server: "w1_server" };
        const olds = stateOf(inputs(["m1"]));
        olds.spec.jump = jump;
        serverIs(cloud, "id-w1", "ERROR");
        const seen = async () => (await operationStart.read("id", olds, listener())).props!.missing ?? {};
        assert.deepEqual(await seen(), {});
        await silence("w1");
        assert.deepEqual(await seen(), { w1: "id-w1" });
    });

    it("stay where no living master can be asked", async () => {
        serverIs(cloud, "id-w1", "ERROR");
        await silence("w1");
        const context = listener();
        assert.deepEqual(await refreshed(context), {});
        assert.match(context.warned[0]!, /w1: .* stays: no living master can say/);
    });

    describe("or does not have", () => {
        it("stay where they answer by SSH, at refresh and at up: a worker, and all masters", async () => {
            await join("m1", "m2", "m3", "w1");
            for (const name of names) serverIsGone(cloud, `id-${name}`);
            const context = listener();
            assert.deepEqual(await refreshed(context), {});
            for (const name of names) {
                const said = `${name}: its server does not exist any more, Nova says, and stays: it answers by SSH`;
                assert.ok(
                    context.warned.some((text: string) => text.startsWith(said)),
                    said,
                );
            }
            await assert.rejects(up(Object.fromEntries(names.map(name => [name, `id-${name}`]))), {
                code: "SERVER_FAILED",
            });
            assert.deepEqual(marked(), []);
        });

        it("stay where a proxy, or a wrong endpoint, answers 404 in Nova's place", async () => {
            await join("m1");
            for (const name of names) {
                cloud.routes[`GET /compute/servers/id-${name}`] = () => ({
                    status: 404,
                    body: "<html>not found</html>",
                });
            }
            for (const name of ["m2", "m3", "w1"]) await silence(name);
            const context = listener();
            assert.deepEqual(await refreshed(context), {});
            assert.match(context.warned[0], /servers were not looked after: .*404.*a proxy may have answered/);
            await assert.rejects(up({ w1: "id-w1" }), { code: "CLOUD_UNREACHABLE" });
            assert.deepEqual(marked(), []);
        });

        it("stay where Nova's list has them", async () => {
            cloud.routes["GET /compute/servers"] = { servers: [{ id: "id-w1" }] };
            serverIsGone(cloud, "id-w1");
            await silence("w1");
            const context = listener();
            assert.deepEqual(await refreshed(context), {});
            assert.match(context.warned[0], /id-w1 does not exist, and lists it/);
        });

        it("are lost at once where they are silent: their nodes are shown as Ready for a while", async () => {
            await join("m1");
            serverIsGone(cloud, "id-w1");
            await silence("w1");
            nodesAre({ w1: "True" });
            assert.deepEqual(await refreshed(), { w1: "id-w1" });
        });

        it("are what a living master says of them where no address of theirs is known", async () => {
            await join("m1");
            stackIs(cloud, "CREATE_COMPLETE", { m1: addressOf("m1") });
            const list = cloud.routes["GET /orchestration/stacks/core/1/resources"] as { resources: object[] };
            list.resources.push(...["m2", "w1"].map(name => ({ ...list.resources[0], ...resourceOf(name) })));
            for (const name of ["m2", "w1"]) serverIsGone(cloud, `id-${name}`);
            nodesAre({ m2: "True", w1: "Unknown" });
            assert.deepEqual(await refreshed(), { w1: "id-w1" });
        });
    });

    it("are looked at again when it is done: what came back, or Heat has replaced already, gets no new image or flavor", async () => {
        serverIsGone(cloud, "id-w1");
        await silence("w1");
        await assert.rejects(up({ m2: "id-m2", m3: "id-former", w1: "id-w1" }), {
            code: "SERVER_FAILED",
            message: /found the servers of m2, m3 lost, and now they are not[\s\S]*pulumi up --refresh/,
        });
        assert.deepEqual(marked(), []);
        await up({ w1: "id-w1" });
        assert.deepEqual(marked(), ["w1_server"]);
    });

    it("are deleted by us where Nova still has them: their ports would be kept from the new ones", async () => {
        await join("m1");
        nodesAre({ w1: "Unknown" });
        serverIs(cloud, "id-w1", "ERROR");
        await silence("w1");
        cloud.routes["DELETE /compute/servers/id-w1"] = () => {
            serverIsGone(cloud, "id-w1");
            return { status: 204, body: undefined };
        };
        await up({ w1: "id-w1" });
        assert.deepEqual(marked(), ["w1_server"]);
        assert.deepEqual(
            cloud.calls.filter(({ method }) => method === "DELETE").map(({ path }) => path),
            ["/compute/servers/id-w1"],
        );
    });

    it("never go as a majority of the masters, not even one that is gone", async () => {
        await join("m1", "m2", "m3");
        for (const name of ["m2", "m3"]) {
            serverIsGone(cloud, `id-${name}`);
            await silence(name);
        }
        const error = await up({ m2: "id-m2", m3: "id-m3" }).then(
            () => assert.fail("it should have failed"),
            failure => failure as NfvError,
        );
        assert.equal(error.code, "QUORUM_AT_RISK");
        assert.match(error.message, /m2, m3 are lost, of 3 masters/);
        assert.deepEqual(marked(), []);
    });

    it("never go as a majority while a master that Nova has cannot be asked, because Heat does not say its address", async () => {
        await join("m1", "m2", "m3");
        for (const name of ["m1", "m2"]) {
            serverIsGone(cloud, `id-${name}`);
            await silence(name);
        }
        const { stack } = cloud.routes["GET /orchestration/stacks/core"] as never as { stack: { outputs: object[] } };
        for (const output of stack.outputs as { output_key: string }[]) {
            if (output.output_key === "m1_address" || output.output_key === "m2_address") continue;
            Object.assign(output, { output_value: null, output_error: "Neutron is down" });
        }
        const error = await up({ m1: "id-m1", m2: "id-m2" }).then(
            () => assert.fail("it should have failed"),
            failure => failure as NfvError,
        );
        assert.equal(error.code, "QUORUM_AT_RISK");
        assert.deepEqual(marked(), []);
    });

    it("may all go where there never was a cluster", async () => {
        for (const name of ["m1", "m2", "m3"]) {
            serverIsGone(cloud, `id-${name}`);
            await silence(name);
        }
        await up({ m1: "id-m1", m2: "id-m2", m3: "id-m3" });
        assert.equal(marked().length, 3);
    });

    it("stay where the only master's boot volume, with etcd on it, is all that is left of the cluster", async () => {
        const healed = ["m1_server", "m1_boot_volume"];
        const alone = inputs(["m1"]);
        alone.spec.nodes.m1!.stack = { server: "m1_server", healed, address: "m1_address" };
        const olds = { ...stateOf(alone), missing: { m1: "id-m1" } } as CloudStartState;
        const begin = () => operationStart.update("id", olds, operationStart.check(olds, alone).inputs, listener());
        const list = cloud.routes["GET /orchestration/stacks/core/1/resources"] as { resources: object[] };
        list.resources.push({
            resource_name: "m1_boot_volume",
            resource_type: "OS::Cinder::Volume",
            resource_status: "CREATE_COMPLETE",
            resource_status_reason: "",
            physical_resource_id: "vol",
        });
        cloud.routes["PATCH /orchestration/stacks/core/1/resources/m1_boot_volume"] = {};
        serverIsGone(cloud, "id-m1");
        await silence("m1");
        for (const answer of [{ volume: { id: "vol" } }, () => ({ status: 403 })]) {
            cloud.routes["GET /block-storage/volumes/vol"] = answer;
            const error = await begin().then(
                () => assert.fail("it should have failed"),
                failure => failure as NfvError,
            );
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.message, /etcd's data may be on the boot volume of m1 \(vol\)/);
            assert.deepEqual(marked(), []);
        }
        delete cloud.routes["GET /block-storage/volumes/vol"];
        await begin();
        assert.deepEqual(marked(), healed);
    });

    it("are those of the stack itself: a server of a nested stack with the same name is another", async () => {
        const list = cloud.routes["GET /orchestration/stacks/core/1/resources"] as { resources: object[] };
        list.resources.push({
            resource_name: "w1_server",
            resource_type: "OS::Nova::Server",
            resource_status: "CREATE_COMPLETE",
            resource_status_reason: "",
            physical_resource_id: "id-other",
            parent_resource: "group",
        });
        assert.deepEqual(await refreshed(), {});
    });
});
