import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
    machinesOf,
    refuseHarm,
    stackIn,
} from "../../../../../../components/infrastructure/openstack/heat/before-update";
import { atStake } from "../../../../../../components/infrastructure/openstack/heat/refuse-losses";
import type { ServersOwner } from "../../../../../../provider/cloud/orphans/orphan-servers";
import { openCloud } from "../../../../../../provider/openstack/client";
import type { StackResource } from "../../../../../../provider/openstack/heat";
import { liveStack } from "../../../../../../provider/openstack/stack";
import { FakeFleet } from "../../../../../../testing";
import type { FakeCloud } from "../../../../provider/openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../../../../provider/support/cloud";
import { endRun, listener } from "../../../../provider/support/cluster";
import { startNode } from "../../../../provider/support/start-inputs";

const resource = (name: string, type: string, changes: Partial<StackResource> = {}): StackResource => ({
    resource_name: name,
    resource_type: type,
    resource_status: "UPDATE_COMPLETE",
    resource_status_reason: "",
    physical_resource_id: `id-${name}`,
    ...changes,
});
const server = (name: string, changes?: Partial<StackResource>) =>
    resource(`${name}_server`, "OS::Nova::Server", { physical_resource_id: `id-${name}`, ...changes });

describe("what Heat would do with a stack", () => {
    const replaced = (...resources: StackResource[]) =>
        atStake({ replaced: resources.map(each => each.resource_name), deleted: [] }, resources).replaced;

    it("needs a reason where it replaces anything but what is known to hold no machine, data or connection", () => {
        const types = ["Nova::Server", "Cinder::Volume", "Neutron::Port", "Octavia::LoadBalancer", "Neutron::Trunk"];
        for (const type of types) assert.deepEqual(replaced(resource("a", `OS::${type}`)), ["a"], type);
        for (const type of ["Neutron::SecurityGroup", "Heat::Value"])
            assert.deepEqual(replaced(resource("a", `OS::${type}`)), [], type);
        assert.deepEqual(replaced(server("w1", { physical_resource_id: "" })), [], "it was never made");
    });

    it("needs one for a security group that a server beside the stack has: Heat could not delete the former one", () => {
        const resources = [
            resource("a", "OS::Neutron::SecurityGroup"),
            resource("b", "OS::Neutron::SecurityGroupRule"),
        ];
        const forecast = { replaced: ["a", "b"], deleted: [] };
        assert.deepEqual(atStake(forecast, resources, true).replaced, ["a"]);
    });

    it("needs one where it deletes anything that exists", () => {
        const resources = [
            resource("a", "OS::Neutron::RouterInterface"),
            resource("rule", "OS::Neutron::SecurityGroupRule"),
            server("w1", { physical_resource_id: "" }),
        ];
        const deleted = resources.map(each => each.resource_name);
        assert.deepEqual(atStake({ replaced: [], deleted }, resources).deleted, ["a"]);
    });
});

describe("before a stack changes", () => {
    const addresses = { m1: "127.81.0.1", w1: "127.81.0.2" };
    const wanted = { template: "resources: {w1_server: {}}", parameters: { w1_image: "new" } };
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let client: ReturnType<typeof openCloud>;
    let ssh: object;
    const forecast = (changes: { replaced?: string[]; deleted?: string[]; updated?: string[] }) => {
        const listed = (names: string[]) => names.map(resource_name => ({ resource_name }));
        const answer = ({ replaced = [], deleted = [], updated = [] }: typeof changes) => ({
            body: {
                resource_changes: { replaced: listed(replaced), deleted: listed(deleted), updated: listed(updated) },
            },
        });
        // The second question is what Heat would do although nothing changes.
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = ({ body }) =>
            answer(body.parameters.w1_image === "new" ? changes : {});
    };
    const isInTemplate = (...names: string[]) => {
        const resources = Object.fromEntries(names.map(name => [name, {}]));
        cloud.routes["GET /orchestration/stacks/core/1/template"] = { resources };
    };
    /** What the state has. */
    const stateWith = (...names: string[]) => ({
        template: JSON.stringify({ resources: Object.fromEntries(names.map(name => [name, {}])) }),
        parameters: {},
    });
    const ownerWith = (more: object = {}) =>
        ({ clusterId: "core-00000001", cloud: {}, mark: {}, ssh, ...more }) as unknown as ServersOwner;
    const inStack = { nodes: { m1: startNode("m1"), w1: startNode("w1") } };
    type Given = Partial<Parameters<typeof refuseHarm>[2]> & { status?: string; owner?: ServersOwner };
    const look = async (
        resources: StackResource[],
        { status = "UPDATE_COMPLETE", owner = ownerWith(), ...given }: Given = {},
    ) => {
        stackIs(cloud, status, addresses);
        cloud.routes["GET /orchestration/stacks/core/1/resources"] = { resources };
        const live = { cloud: client, stack: (await liveStack(client, "core"))!, resources };
        const names = resources.map(each => each.resource_name);
        await refuseHarm(
            live,
            wanted,
            {
                ...{ marked: undefined, takenOut: undefined, isPreview: false },
                machines: machinesOf(owner, inStack, live.stack, listener()),
                ...{ later: names, former: stateWith(), ...given },
            },
            listener(),
        );
    };
    const patched = () => cloud.calls.filter(({ method }) => method === "PATCH").map(({ body }) => body);

    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        client = openCloud({});
        ssh = { user: "nfv", password: "Xy-secret-99", port: 9, connectTimeoutSeconds: 1 };
        isInTemplate("w1_server", "data");
        for (const name of ["m1", "w1"]) serverIs(cloud, `id-${name}`, "ACTIVE");
        cloud.routes["PATCH /orchestration/stacks/core/1/resources/w1_server"] = {};
        forecast({ replaced: ["w1_server"] });
    });
    afterEach(async () => {
        client.close();
        await leave();
    });

    it("a living server that Heat would replace stops the run: an old state names another image", async () => {
        await assert.rejects(look([server("w1")]), {
            code: "STACK_FAILED",
            message:
                /Heat would replace w1_server of the stack "core", which exist; nothing was changed[\s\S]*pulumi up --refresh/,
        });
    });

    it("the jump server, which has no data, may be replaced", async () => {
        forecast({ replaced: ["jump_server"] });
        await look([server("jump")], { jump: "jump_server" });
    });

    describe("a server that OperationStart has marked as lost", () => {
        const marked = { w1_server: "id-w1" };

        it("may be replaced while it is lost, whatever the stack's last change came to", async () => {
            serverIsGone(cloud, "id-w1");
            for (const status of ["UPDATE_COMPLETE", "UPDATE_FAILED"]) {
                await look([server("w1")], { marked, status });
                await look([server("w1", { resource_status: "CHECK_FAILED" })], { marked, status });
            }
            assert.deepEqual(patched(), []);
        });

        it("may not once it is there again: a run was killed after the mark, or its change failed half way", async () => {
            for (const status of ["UPDATE_COMPLETE", "UPDATE_FAILED"])
                await assert.rejects(look([server("w1")], { marked, status }), /would replace w1_server/);
        });

        it("leads out where only Heat has failed: its status is reset", async () => {
            const disk = resource("w1_attachment_data", "OS::Cinder::VolumeAttachment", {
                resource_status: "UPDATE_FAILED",
            });
            forecast({ replaced: ["w1_attachment_data"] });
            await assert.rejects(look([disk]), {
                message:
                    /resource mark unhealthy core w1_attachment_data; openstack stack resource mark unhealthy --reset core w1_attachment_data/,
            });
        });

        it("may not where it answers by SSH: Nova's word alone does not count, and Heat's mark goes", async () => {
            const fleet = await FakeFleet.start({ nodes: ["w1"] });
            try {
                const { host, port, privateKey } = fleet.target("w1");
                ssh = { user: "root", port, privateKey, connectTimeoutSeconds: 5 };
                for (const gone of [serverIsGone, (at: FakeCloud, id: string) => serverIs(at, id, "ERROR")]) {
                    gone(cloud, "id-w1");
                    const before = { ...addresses };
                    Object.assign(addresses, { w1: host });
                    const failed = server("w1", { resource_status: "CHECK_FAILED" });
                    await assert.rejects(look([failed], { marked }), /would replace w1_server/);
                    Object.assign(addresses, before);
                }
                assert.deepEqual(patched(), [{ mark_unhealthy: false }, { mark_unhealthy: false }]);
            } finally {
                await endRun();
                await fleet.stop();
            }
        });

        it("may not if the mark is of an earlier server of that name", async () => {
            serverIsGone(cloud, "id-w1");
            await assert.rejects(look([server("w1")], { marked: { w1_server: "id-of-a-former-one" } }), /w1_server/);
        });
    });

    describe("a server that Heat could not create", () => {
        const failed = server("w1", { resource_status: "CREATE_FAILED" });

        it("may be replaced where it never ran", async () => {
            serverIs(cloud, "id-w1", "ERROR", { "OS-SRV-USG:launched_at": null, name: "w1" });
            await look([failed]);
            serverIsGone(cloud, "id-w1");
            await look([failed]);
        });

        it("may not where Nova has started it and it cannot be asked: a node may run on it", async () => {
            serverIs(cloud, "id-w1", "SHUTOFF", { name: "w1", "OS-SRV-USG:launched_at": "2026-01-01" });
            await assert.rejects(
                look([failed], { owner: ownerWith({ bootTimeoutSeconds: 0 }) }),
                /would replace w1_server/,
            );
        });

        it("takes volumes with it that no other server uses", async () => {
            serverIs(cloud, "id-w1", "ERROR", { "OS-SRV-USG:launched_at": null, name: "w1" });
            forecast({ replaced: ["w1_server", "data"] });
            const volume = resource("data", "OS::Cinder::Volume", { resource_status: "CREATE_FAILED" });
            const attachedTo = (...ids: string[]) => {
                const attachments = ids.map(server_id => ({ server_id }));
                cloud.routes["GET /block-storage/volumes/id-data"] = { volume: { id: "id-data", attachments } };
            };
            attachedTo("id-w1");
            await look([failed, volume]);
            attachedTo("id-m1");
            await assert.rejects(look([failed, volume]), /would replace data/);
        });
    });

    it("at preview, marks of what lives do not count: they go before the change", async () => {
        const checked = server("w1", { resource_status: "CHECK_FAILED" });
        await look([checked], { isPreview: true });
        await assert.rejects(look([checked]), /would replace/);
    });

    it("at preview, a mark counts while it is not known how the machines are reached", async () => {
        await look([server("w1")], { marked: { w1_server: "id-w1" }, isPreview: true, machines: undefined });
        await assert.rejects(
            look([server("w1")], { marked: { w1_server: "id-w1" }, isPreview: true }),
            /would replace w1_server/,
        );
    });

    describe("what neither the state nor the program knows", () => {
        const older = { later: [] };

        it("stops the run, whatever it is: the state is older than it", async () => {
            forecast({ deleted: ["w1_server", "data"] });
            const port = resource("data", "OS::Neutron::Port");
            await assert.rejects(look([server("w1"), port], older), /nor the program knows \(data, w1_server\)/);
            await look([server("w1"), port], { former: stateWith("w1_server", "data"), later: [] });
        });

        it("stops it also where no server uses a volume just now", async () => {
            forecast({ deleted: ["data"] });
            await assert.rejects(look([resource("data", "OS::Cinder::Volume")], older), /knows \(data\)/);
        });

        it("may go with a node that has left, by the id of its server", async () => {
            forecast({ deleted: ["w1_server"] });
            await look([server("w1")], { ...older, takenOut: { w1_server: "id-w1" } });
            const other = { ...older, takenOut: { w1_server: "an-earlier-one" } };
            await assert.rejects(look([server("w1")], other), /knows \(w1_server\)/);
        });

        it("may go where it holds nothing", async () => {
            forecast({ deleted: ["rule"] });
            await look([resource("rule", "OS::Neutron::SecurityGroupRule")], older);
        });
    });

    it("a change in place of a node's address, of which the state does not know how it is, stops the run: the state is old", async () => {
        const stack = (address: string) => ({
            resources: { w1_port: { type: "OS::Neutron::Port", properties: { fixed_ips: [{ ip_address: address }] } } },
        });
        const state = (address: string) => ({ template: JSON.stringify(stack(address)), parameters: {} });
        forecast({ updated: ["w1_port"] });
        cloud.routes["GET /orchestration/stacks/core/1/template"] = stack("10.0.0.5");
        const port = resource("w1_port", "OS::Neutron::Port");
        const { template } = wanted;
        try {
            wanted.template = JSON.stringify(stack("10.0.0.9"));
            await assert.rejects(look([port], { former: state("10.0.0.9") }), {
                message: /"core" has w1_port otherwise than Pulumi's state[\s\S]*Restore the newest/,
            });
            await look([port], { former: state("10.0.0.5") });
        } finally {
            wanted.template = template;
        }
    });

    it("the state's parameters are read also where some are secret", async () => {
        const inputs = { templateOpts: { Bin: "resources: {}" }, parameters: pulumi.secret({ w1_image: "old" }) };
        assert.deepEqual(await stackIn(inputs), { template: "resources: {}", parameters: { w1_image: "old" } });
    });

    it("a Heat that does not say what it would do stops the run", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => ({ status: 403, body: {} });
        await assert.rejects(look([server("w1")]), { code: "CLOUD_REFUSED" });
    });
});
