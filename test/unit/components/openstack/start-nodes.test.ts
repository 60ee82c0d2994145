import assert from "node:assert/strict";
import { parse } from "yaml";
import type { NovaArgs } from "../../../../components/infrastructure-args";
import { heatTemplate } from "../../../../components/openstack/heat-template";
import type { CloudPlan } from "../../../../components/openstack/plan-cloud";
import { startNodes } from "../../../../components/openstack/start-nodes";
import { planOf } from "./sample-cloud-args";

function cloudPlan(backEnd: CloudPlan["backEnd"], cloud: Partial<NovaArgs> = {}): CloudPlan {
    const plan = planOf(cloud);
    const needs = { backEnd, clusterName: "core", owner: plan.metadata, servers: [] };
    return { backEnd, cloud: {}, settings: {}, plan, needs, warnings: [], stackName: "core-stack" };
}

describe("what the operation's start is told of its nodes", () => {
    it("names only resources and outputs that the template has", () => {
        const bootVolume = { sizeGiB: 20 };
        const of = cloudPlan("heat", { access: { floatingIps: "all" }, server: { bootVolume } });
        const { resources, outputs } = parse(heatTemplate(of.plan).template);
        const { stackName, nodes } = startNodes(of);
        assert.equal(stackName, "core-stack");
        assert.equal(Object.keys(nodes).length, 5);
        for (const [name, { stack }] of Object.entries(nodes)) {
            assert.equal(resources[stack!.server].properties.name, name);
            assert.ok(stack!.healed!.includes(stack!.server) && stack!.healed!.length === 2);
            for (const resource of stack!.healed!) assert.ok(resources[resource], resource);
            assert.ok(outputs[stack!.address] && outputs[stack!.sshAddress!], name);
        }
    });

    it("names the output with the address of the jump server, where all go through it", () => {
        const of = cloudPlan("heat", { access: { jumpServer: { flavor: "small" } } });
        const { jump, nodes } = startNodes(of);
        assert.equal(jump!.name, "core-jump");
        assert.ok(parse(heatTemplate(of.plan).template).outputs[jump!.output]);
        assert.deepEqual(
            Object.values(nodes).map(({ stack }) => stack!.sshAddress),
            Array(5).fill(undefined),
        );
    });

    it("has no stack with Nova, and says what servers are made of", () => {
        const { stackName, nodes } = startNodes(cloudPlan("nova", { server: { bootVolume: { sizeGiB: 20 } } }));
        assert.equal(stackName, undefined);
        assert.deepEqual(nodes["core-workers-1"], {
            role: "worker",
            pool: "workers",
            shape: { image: "debian", flavor: "medium", bootVolume: "20 GiB" },
        });
    });
});
