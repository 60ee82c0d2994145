import assert from "node:assert/strict";
import {
    refuseOtherDisks,
    refuseUnknownServers,
} from "../../../../../../components/infrastructure/openstack/heat/before-update";
import { type CloudClient, openCloud } from "../../../../../../provider/openstack/client";
import { type LiveStack, liveStack } from "../../../../../../provider/openstack/stack";
import type { FakeCloud } from "../../../../provider/openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../../../../provider/resources/cloud";
import { startNode } from "../../../../provider/resources/start-inputs";

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
        await refuseUnknownServers(client, stack, ["m1_server", "w1_server", "other"]);
        await assert.rejects(refuseUnknownServers(client, stack, ["m1_server"]), {
            code: "STACK_FAILED",
            message: /has servers that neither the state nor the program knows \(w1_server\)/,
        });
    });

    it("a living server that would get another image stops the run, a lost one does not, and a new one neither", async () => {
        const route = cloud.routes["GET /orchestration/stacks/core"] as { stack: Record<string, unknown> };
        route.stack["parameters"] = { m1_image: "new", m1_flavor: "f", w1_image: "new" };
        serverIs(cloud, "id-m1", "ACTIVE");
        serverIsGone(cloud, "id-w1");
        const madeOf = Object.fromEntries(
            ["m1", "w1", "w2"].map(name => [
                name,
                { imageParameter: `${name}_image`, flavorParameter: `${name}_flavor` },
            ]),
        );
        const inStack = { nodes: Object.fromEntries(Object.keys(madeOf).map(name => [name, startNode(name)])) };
        const look = (parameters: object) => refuseOtherDisks(client, stack, { madeOf, inStack }, { parameters });
        await look({ m1_image: "new", m1_flavor: "f", w1_image: "old", w2_image: "old" });
        await assert.rejects(look({ m1_image: "old", m1_flavor: "f", w1_image: "new" }), {
            code: "STACK_FAILED",
            message: /the servers of m1 live, and were made of another image or flavor than Pulumi's state says/,
        });
        await assert.rejects(look({ m1_image: "new", m1_flavor: "g" }), { code: "STACK_FAILED" });
    });
});
