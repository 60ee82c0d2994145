import assert from "node:assert/strict";
import {
    type Allowed,
    refusedChanges,
    refuseLosses,
} from "../../../../../../components/infrastructure/openstack/heat/refuse-losses";
import { openCloud } from "../../../../../../provider/openstack/client";
import type { StackResource } from "../../../../../../provider/openstack/heat";
import { type LiveStack, liveStack } from "../../../../../../provider/openstack/stack";
import type { FakeCloud } from "../../../../provider/openstack/fake-cloud";
import { cloudOfEnvironment, stackIs } from "../../../../provider/resources/cloud";

const resource = (name: string, type: string, changes: Partial<StackResource> = {}): StackResource => ({
    resource_name: name,
    resource_type: type,
    resource_status: "UPDATE_COMPLETE",
    resource_status_reason: "",
    physical_resource_id: `id-${name}`,
    ...changes,
});
const server = (name: string, changes?: Partial<StackResource>) => resource(name, "OS::Nova::Server", changes);
const nothing: Allowed = { marked: {}, takenOut: {}, known: new Set() };
const replaced = (resources: StackResource[], allowed: Partial<Allowed> = {}) =>
    refusedChanges({ replaced: resources.map(each => each.resource_name), deleted: [] }, resources, {
        ...nothing,
        ...allowed,
    }).replaced;
const deleted = (resources: StackResource[], allowed: Partial<Allowed> = {}) =>
    refusedChanges({ replaced: [], deleted: resources.map(each => each.resource_name) }, resources, {
        ...nothing,
        ...allowed,
    }).deleted;

describe("what Heat would do with a stack", () => {
    describe("must not be a replacement", () => {
        it("of a server, its disk, its port or its network", () => {
            const types = [
                "Nova::Server",
                "Cinder::Volume",
                "Cinder::VolumeAttachment",
                "Neutron::Port",
                "Neutron::Subnet",
            ];
            for (const type of types) assert.deepEqual(replaced([resource("a", `OS::${type}`)]), ["a"], type);
            assert.deepEqual(replaced([resource("a", "OS::Neutron::SecurityGroup")]), []);
        });

        it("except of what OperationStart has marked as lost, by its id: a later one of that name stays", () => {
            const there = server("w1_server");
            assert.deepEqual(replaced([there], { marked: { w1_server: "id-w1_server" } }), []);
            assert.deepEqual(replaced([there], { marked: { w1_server: "id-of-a-former-one" } }), ["w1_server"]);
        });

        it("except of what never was complete, was never made, or has no data", () => {
            assert.deepEqual(replaced([server("a", { resource_status: "CREATE_FAILED" })]), []);
            assert.deepEqual(replaced([server("a", { physical_resource_id: "" })]), []);
            assert.deepEqual(replaced([server("jump_server")], { jump: "jump_server" }), []);
        });

        it("except, at preview, of what is marked: the marks of what lives go before the change", () => {
            const marked = server("a", { resource_status: "CHECK_FAILED" });
            assert.deepEqual(replaced([marked], { isPreview: true }), []);
            assert.deepEqual(replaced([marked]), ["a"]);
        });

        it("also where the server is in ERROR after an update that failed", () => {
            assert.deepEqual(replaced([server("a", { resource_status: "UPDATE_FAILED" })]), ["a"]);
        });
    });

    it("must not be a deletion of a server or a volume that neither state nor program knows", () => {
        const all = [
            server("w2_server"),
            resource("w2_volume_data", "OS::Cinder::Volume"),
            resource("p", "OS::Neutron::Port"),
        ];
        assert.deepEqual(deleted(all), ["w2_server", "w2_volume_data"]);
        assert.deepEqual(deleted(all, { known: new Set(["w2_server", "w2_volume_data"]) }), []);
        assert.deepEqual(deleted([server("w2_server")], { takenOut: { w2_server: "id-w2_server" } }), []);
        assert.deepEqual(deleted([server("w2_server")], { takenOut: { w2_server: "an-earlier-one" } }), ["w2_server"]);
    });
});

describe("before a stack changes", () => {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let stack: LiveStack;
    let client: ReturnType<typeof openCloud>;
    const wanted = { template: "resources: {}", parameters: { w1_image: "new" } };
    const forecast = (changes: { replaced?: string[]; deleted?: string[] }) => {
        const listed = (names: string[]) => names.map(resource_name => ({ resource_name }));
        const answer = ({ replaced = [], deleted = [] }: typeof changes) => ({
            body: { resource_changes: { replaced: listed(replaced), deleted: listed(deleted), updated: [] } },
        });
        cloud.routes["GET /orchestration/stacks/core/1/template"] = { resources: {} };
        // The second question is what Heat would do although nothing changes.
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = ({ body }) =>
            answer(body.parameters.w1_image === "new" ? changes : {});
    };
    const look = (resources: StackResource[], allowed: Partial<Allowed> = {}) =>
        refuseLosses({ cloud: client, stack, resources }, wanted, { ...nothing, ...allowed });

    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        client = openCloud({});
        stackIs(cloud, "UPDATE_COMPLETE", { w1: "10.0.0.2" });
        stack = (await liveStack(client, "core"))!;
    });
    afterEach(async () => {
        client.close();
        await leave();
    });

    it("a living server that Heat would replace stops the run: an old state names another image", async () => {
        forecast({ replaced: ["w1_server"] });
        await assert.rejects(look([server("w1_server")]), {
            code: "STACK_FAILED",
            message:
                /Heat would replace w1_server of the stack "core", which exist; nothing was changed[\s\S]*pulumi up --refresh/,
        });
    });

    it("servers that neither the state nor the program knows stop the run: the state is older than they are", async () => {
        forecast({ deleted: ["w1_server"] });
        await assert.rejects(look([server("w1_server")]), /neither the state nor the program knows \(w1_server\)/);
        await look([server("w1_server")], { known: new Set(["w1_server"]) });
    });

    it("an unknown volume stops the run while a server that stays uses it", async () => {
        const volume = resource("data", "OS::Cinder::Volume");
        const attachedTo = (...ids: string[]) => {
            const attachments = ids.map(server_id => ({ server_id }));
            cloud.routes["GET /block-storage/volumes/id-data"] = { volume: { id: "id-data", attachments } };
        };
        forecast({ deleted: ["data"] });
        attachedTo("id-w1_server");
        await assert.rejects(look([volume]), /knows \(data\)/);
        await look([volume], { takenOut: { w1_server: "id-w1_server" } });
        attachedTo();
        await look([volume]);
    });

    it("a Heat that does not say what it would do stops the run", async () => {
        cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => ({ status: 403, body: {} });
        await assert.rejects(look([server("w1_server")]), { code: "CLOUD_REFUSED" });
    });
});
