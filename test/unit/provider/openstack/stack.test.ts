import assert from "node:assert/strict";
import type { NfvError } from "../../../../provider/common/errors";
import type { StackResource } from "../../../../provider/openstack/heat";
import {
    failuresOf,
    finishedStack,
    liveStack,
    markUnhealthy,
    rootFailures,
    stackError,
} from "../../../../provider/openstack/stack";
import { FakeCloud } from "./fake-cloud";

function resource(name: string, status: string, reason = "", parent?: string): StackResource {
    return {
        resource_name: name,
        resource_type: "OS::Nova::Server",
        resource_status: status,
        resource_status_reason: reason,
        physical_resource_id: `id-${name}`,
        ...(parent !== undefined && { parent_resource: parent }),
    };
}

const stack = (status: string, outputs: object[] = []) => ({
    stack: { id: "1", stack_name: "core", stack_status: status, stack_status_reason: "because", tags: ["a"], outputs },
});

describe("a live stack", () => {
    let cloud: FakeCloud;
    beforeEach(async () => {
        cloud = await FakeCloud.start();
    });
    afterEach(() => cloud.stop());

    it("shows its state and its outputs as they are", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = stack("UPDATE_FAILED", [
            { output_key: "ip", output_value: "10.0.0.1" },
            { output_key: "list", output_value: ["a"] },
            { output_key: "none", output_value: null },
            { output_key: "unread", output_value: null, output_error: "Neutron is down" },
        ]);
        assert.deepEqual(await liveStack(cloud.client(), "core"), {
            id: "1",
            name: "core",
            action: "UPDATE",
            state: "FAILED",
            reason: "because",
            tags: ["a"],
            parameters: {},
            outputs: { ip: "10.0.0.1", list: ["a"] },
            outputErrors: { unread: "Neutron is down" },
        });
    });

    it("is none if it does not exist, and if it was deleted", async () => {
        assert.equal(await liveStack(cloud.client(), "core"), undefined);
        cloud.routes["GET /orchestration/stacks/1"] = stack("DELETE_COMPLETE");
        assert.equal(await liveStack(cloud.client(), "1"), undefined);
    });

    it("tells the innermost reason of a failure, not who waited for it", () => {
        const found = rootFailures([
            resource("ok", "CREATE_COMPLETE"),
            resource("group", "CREATE_FAILED", "ResourceInError: resources.group.resources.0: …"),
            resource("0", "CREATE_FAILED", "resources.0.resources.server: …", "group"),
            resource("server", "CREATE_FAILED", "No valid host was found.", "0"),
            resource("other", "CREATE_FAILED", "CREATE aborted (Task create from Server stopped)"),
        ]);
        assert.deepEqual(
            found.map(each => [each.resource, each.reason, each.physicalId]),
            [["server", "No valid host was found.", "id-server"]],
        );
        const aborted = rootFailures([resource("a", "CREATE_FAILED", "CREATE aborted")]);
        assert.deepEqual(aborted.length, 1, "something is better than nothing");
    });

    it("gives an error that names stack, resource and reason", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = stack("CREATE_FAILED");
        cloud.routes["GET /orchestration/stacks/core/1/resources"] = {
            resources: [resource("workers-1", "CREATE_FAILED", "No valid host was found.")],
        };
        const live = (await liveStack(cloud.client(), "core"))!;
        const error = stackError(live, await failuresOf(cloud.client(), live));
        assert.equal(error.code, "STACK_FAILED");
        const reason = 'the stack "core" is CREATE_FAILED\nworkers-1 (OS::Nova::Server): No valid host was found.';
        assert.equal(error.reason, reason);
        assert.equal(stackError(live, []).reason, 'the stack "core" is CREATE_FAILED\nbecause');
        assert.equal(cloud.calls.at(-1)!.query.get("nested_depth"), "5");
    });

    it("has a resource made anew", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = stack("CREATE_COMPLETE");
        cloud.routes["PATCH /orchestration/stacks/core/1/resources/workers-1"] = {};
        const live = (await liveStack(cloud.client(), "core"))!;
        await markUnhealthy(cloud.client(), live, "workers-1", "gone");
        assert.deepEqual(cloud.calls.at(-1)!.body, { mark_unhealthy: true, resource_status_reason: "gone" });
    });

    it("is waited for while it is in progress, and only so long", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = (_, times) => ({
            body: stack(times < 3 ? "UPDATE_IN_PROGRESS" : "UPDATE_COMPLETE"),
        });
        const said: string[] = [];
        const wait = { timeoutSeconds: 5, pauseSeconds: 0.01, report: (text: string) => void said.push(text) };
        assert.equal((await finishedStack(cloud.client(), "core", wait))!.state, "COMPLETE");
        assert.equal(said.length, 2);
        cloud.routes["GET /orchestration/stacks/core"] = stack("DELETE_IN_PROGRESS");
        await assert.rejects(
            finishedStack(cloud.client(), "core", { timeoutSeconds: 0.05, pauseSeconds: 0.01 }),
            (error: NfvError) => error.code === "STACK_BUSY" && /still DELETE_IN_PROGRESS/.test(error.reason),
        );
        assert.equal(await finishedStack(cloud.client(), "none", wait), undefined);
    });
});
