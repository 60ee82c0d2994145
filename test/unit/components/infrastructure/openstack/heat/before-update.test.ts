import assert from "node:assert/strict";
import { refuseUnknownServers } from "../../../../../../components/infrastructure/openstack/heat/before-update";
import { type CloudClient, openCloud } from "../../../../../../provider/openstack/client";
import { type LiveStack, liveStack } from "../../../../../../provider/openstack/stack";
import { topResources } from "../../../../../../provider/resources/stack-servers";
import type { FakeCloud } from "../../../../provider/openstack/fake-cloud";
import { cloudOfEnvironment, stackIs } from "../../../../provider/resources/cloud";

describe("before a stack changes", () => {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let client: CloudClient;
    let stack: LiveStack;

    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        client = openCloud({});
        stackIs(cloud, "UPDATE_COMPLETE", { m1: "10.0.0.1", w1: "10.0.0.2" });
        stack = (await liveStack(client, "core"))!;
    });
    afterEach(async () => {
        client.close();
        await leave();
    });

    it("servers that neither the state nor the program knows stop the run: the state is older than they are", async () => {
        const resources = await topResources(client, stack);
        refuseUnknownServers(stack, resources, ["m1_server", "w1_server", "other"]);
        assert.throws(() => refuseUnknownServers(stack, resources, ["m1_server"]), {
            code: "STACK_FAILED",
            message: /has servers that neither the state nor the program knows \(w1_server\)/,
        });
    });
});
