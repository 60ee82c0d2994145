import assert from "node:assert/strict";
import {
    clearTheName,
    fateOf,
    type OrphanSigns,
    refuseSecondCluster,
    type ServersOwner,
    wordOfAll,
} from "../../../../../provider/cloud/orphans/orphan-servers";
import type { NfvError } from "../../../../../provider/common/errors";
import { host } from "../../../../../provider/host/host";
import { FakeFleet } from "../../../../../testing";
import type { Identity } from "../../identity/made-identity";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment } from "../../support/cloud";
import { endRun, listener, machine, testIdentity } from "../../support/cluster";

describe("what becomes of a server with our mark that no state knows", () => {
    const rows: [OrphanSigns, string][] = [
        [{ status: "BUILD", isJump: false, launched: false }, "remove"],
        [{ status: "ERROR", isJump: false, launched: false }, "remove"],
        [{ status: "ACTIVE", isJump: true, launched: true }, "remove"],
        [{ status: "ACTIVE", isJump: false, launched: true, machine: "blank" }, "remove"],
        [{ status: "ACTIVE", isJump: false, launched: true, machine: "used" }, "in use"],
        [{ status: "ERROR", isJump: false, launched: true, machine: "used" }, "in use"],
        [{ status: "ACTIVE", isJump: false, launched: true }, "unclear"],
        [{ status: "ERROR", isJump: false, launched: true }, "unclear"],
        [{ status: "SHUTOFF", isJump: false, launched: true, machine: "blank" }, "unclear"],
        [{ status: "SHELVED_OFFLOADED", isJump: true, launched: false }, "unclear"],
    ];
    for (const [signs, fate] of rows) {
        it(`is "${fate}" for ${JSON.stringify(signs)}`, () => assert.equal(fateOf(signs), fate));
    }
});

describe("the name of a server that is to be made", () => {
    const mark = { "pulumi-nfv.cluster": "core", "pulumi-nfv.stack": "shop/dev", "pulumi-nfv.owner": "abc" };
    let identity: Identity;
    let fleet: FakeFleet;
    let cloud: FakeCloud;
    let leave: () => Promise<void>;

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["w1"] });
        ({ cloud, leave } = await cloudOfEnvironment());
        cloud.routes["GET /compute/servers/detail"] = { servers: [] };
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
        await leave();
    });

    const owner = (changes: Partial<ServersOwner> = {}): ServersOwner => {
        const { host: _, hostKey: __, ...ssh } = fleet.target("w1");
        return {
            clusterId: identity.clusterId,
            cloud: {},
            project: "p1",
            mark,
            ssh: { ...ssh, connectTimeoutSeconds: 3 },
            bootTimeoutSeconds: 1,
            ...changes,
        };
    };
    const launched = "2026-01-01T00:00:00.000000";
    /** Nova has this server, and one with a similar name, because Nova's filter also matches parts of names. */
    const there = (changes: object = {}) => {
        const server = {
            id: "id-w1",
            name: "w1",
            status: "ACTIVE",
            metadata: mark,
            "OS-SRV-USG:launched_at": launched,
            addresses: { lan: [{ addr: "127.0.0.1", "OS-EXT-IPS:type": "fixed" }] },
            ...changes,
        };
        cloud.routes["GET /compute/servers/detail"] = { servers: [{ ...server, id: "id-w11", name: "w11" }, server] };
        cloud.routes["GET /compute/servers/id-w1"] = { server };
        cloud.routes["DELETE /compute/servers/id-w1"] = () => {
            delete cloud.routes["GET /compute/servers/id-w1"];
            return { status: 204 };
        };
    };
    const deleted = () => cloud.calls.filter(({ method }) => method === "DELETE").map(({ path }) => path);
    const refused = async (changes: Partial<ServersOwner> = {}) => {
        const error = await clearTheName("w1", owner(changes), listener()).then(
            () => assert.fail("it should have failed"),
            failure => failure as NfvError,
        );
        assert.deepEqual(deleted(), []);
        return error;
    };

    it("is free where no server has it: nothing more is asked", async () => {
        await clearTheName("w1", owner(), listener());
        assert.equal(cloud.calls.filter(({ path }) => path.startsWith("/compute")).length, 1);
    });

    it("is free again of what a killed run left: a blank machine, or one that never ran", async () => {
        const never = { status: "BUILD", "OS-SRV-USG:launched_at": null, addresses: {} };
        for (const changes of [{}, never, { ...never, status: "ERROR" }]) {
            there(changes);
            const context = listener();
            await clearTheName("w1", owner(), context);
            assert.match(context.warned[0], /"w1" \(id-w1\) is what a killed run left: it is deleted, then made again/);
        }
        assert.deepEqual(deleted(), Array(3).fill("/compute/servers/id-w1"));
    });

    it("stays taken by a stranger, by another program's, and by one of another state of ours", async () => {
        for (const change of [{ "pulumi-nfv.stack": "bank/dev" }, { "pulumi-nfv.owner": "other" }]) {
            there({ metadata: { ...mark, ...change } });
            const { code, message } = await refused();
            assert.equal(code, "NOT_OURS");
            assert.match(message, /was not made from this state[\s\S]*openstack server delete --wait id-w1/);
        }
        there({ metadata: {} });
        await refused();
    });

    it("stays taken by a machine that was prepared once, whatever a refreshed state has forgotten", async () => {
        const masters = { w1: fleet.target("w1") };
        await host.create(machine(identity, "w1", "worker", fleet.target("w1"), masters).host, listener());
        there();
        assert.match((await refused()).message, /lives, and Pulumi's state does not know it[\s\S]*pulumi stack import/);
    });

    it("stays taken by one that does not answer, or that somebody shut off", async () => {
        there({ status: "SHUTOFF" });
        assert.match(
            (await refused()).message,
            /whether it is in use is not certain[\s\S]*openstack server show id-w1/,
        );
        await fleet.node("w1").powerOff();
        for (const status of ["ACTIVE", "ERROR"]) {
            there({ status });
            assert.match((await refused()).message, /whether it is in use is not certain/);
        }
    });

    it("is looked at again at the moment of the deletion", async () => {
        there();
        const now = { id: "id-w1", name: "w1", status: "ACTIVE", metadata: { ...mark, "pulumi-nfv.owner": "adopted" } };
        const before = cloud.routes["GET /compute/servers/id-w1"] as object;
        cloud.routes["GET /compute/servers/id-w1"] = (_call, times) => ({ body: times < 2 ? before : { server: now } });
        assert.match((await refused()).message, /not certain/);
    });

    it("is no matter where the program's stack has a server of it: the cluster moves from Heat to Nova", async () => {
        const { "pulumi-nfv.owner": _, ...metadata } = mark;
        there({ metadata });
        await clearTheName("w1", owner(), listener());
        assert.deepEqual(deleted(), []);
    });

    it("is free again of a blank machine behind the jump server of the program's stack, which does not have our key", async () => {
        const inside: Record<string, number> = {};
        const site = await FakeFleet.start({ nodes: ["w1", "jump"], overrides: { jump: { forwarding: inside } } });
        try {
            const { host: way, hostKey: _, ...ssh } = site.target("jump");
            inside[`10.0.0.5:${ssh.port}`] = site.node("w1").server.port;
            there({ addresses: { lan: [{ addr: "10.0.0.5", "OS-EXT-IPS:type": "fixed" }] } });
            const { servers } = cloud.routes["GET /compute/servers/detail"] as { servers: object[] };
            const { "pulumi-nfv.owner": __, ...metadata } = mark;
            const addresses = { lan: [{ addr: way, "OS-EXT-IPS:type": "floating" }] };
            const jump = { id: "id-jump", name: "jump", status: "ACTIVE", metadata, addresses };
            cloud.routes["GET /compute/servers/detail"] = { servers: [...servers, jump] };
            await clearTheName("w1", owner({ ssh, jump: "jump" }), listener());
            assert.deepEqual(deleted(), ["/compute/servers/id-w1"]);
        } finally {
            await endRun();
            await site.stop();
        }
    });

    it("is not asked for in another project", async () => {
        there();
        assert.match((await refused({ project: "p2" })).message, /lives in the project p2/);
    });

    it("is one of a stack's: its machines are blank, used, or not all of them can be asked", async () => {
        const nodes = new Map([
            ["id-w1", "w1"],
            ["id-gone", "w2"],
        ]);
        const word = () => wordOfAll(["id-w1", "id-gone", "id-other"], nodes, owner(), listener());
        cloud.routes["GET /compute/servers/id-other"] = {
            server: { id: "id-other", name: "storage", status: "ACTIVE" },
        };
        there({ metadata: {} });
        assert.equal(await word(), "blank");
        const masters = { w1: fleet.target("w1") };
        await host.create(machine(identity, "w1", "worker", fleet.target("w1"), masters).host, listener());
        assert.equal(await word(), "used");
        await fleet.node("w1").powerOff();
        assert.equal(await word(), undefined);
        there({ "OS-SRV-USG:launched_at": null });
        assert.equal(await word(), "blank");
        delete cloud.routes["GET /compute/servers/id-w1"];
        assert.equal(await word(), undefined, "nobody left to ask");
    });

    it("keeps a second network from being made beside servers of ours that the state has lost", async () => {
        await refuseSecondCluster(owner(), ["w1", "w2"], listener());
        for (const metadata of [{}, { ...mark, "pulumi-nfv.owner": "other" }]) {
            there({ metadata });
            await assert.rejects(
                refuseSecondCluster(owner(), ["w1", "w2"], listener()),
                /a server "w1" .* exists already and was not made from this state/,
            );
        }
        // A stack of this program, which is to become single resources.
        const { "pulumi-nfv.owner": _, ...asOfHeat } = mark;
        there({ metadata: asOfHeat });
        await refuseSecondCluster(owner(), ["w1", "w2"], listener());
        there();
        await assert.rejects(refuseSecondCluster(owner(), ["w1", "w2"], listener()), /Pulumi's state does not know it/);
    });
});
