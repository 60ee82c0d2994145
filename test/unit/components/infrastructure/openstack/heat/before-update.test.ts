import assert from "node:assert/strict";
import { refuseUnknownServers } from "../../../../../../components/infrastructure/openstack/heat/before-update";
import { openCloud } from "../../../../../../provider/openstack/client";
import { liveStack } from "../../../../../../provider/openstack/stack";
import { cloudOfEnvironment, stackIs } from "../../../../provider/resources/cloud";

describe("before a stack changes", () => {
    it("servers that neither the state nor the program knows stop the run: the state is older than they are", async () => {
        const { cloud, leave } = await cloudOfEnvironment();
        const client = openCloud({});
        try {
            stackIs(cloud, "UPDATE_COMPLETE", { m1: "10.0.0.1", w1: "10.0.0.2" });
            const stack = (await liveStack(client, "core"))!;
            await refuseUnknownServers(client, stack, ["m1_server", "w1_server", "other"]);
            await assert.rejects(refuseUnknownServers(client, stack, ["m1_server"]), {
                code: "STACK_FAILED",
                message: /has servers that neither the state nor the program knows \(w1_server\)/,
            });
        } finally {
            client.close();
            await leave();
        }
    });
});
