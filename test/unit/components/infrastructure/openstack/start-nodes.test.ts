import assert from "node:assert/strict";
import { parse } from "yaml";
import type { NovaArgs } from "../../../../../components/args/infrastructure-args";
import { heatTemplate } from "../../../../../components/infrastructure/openstack/heat/heat-template";
import type { CloudPlan } from "../../../../../components/infrastructure/openstack/plan-cloud";
import { startNodes } from "../../../../../components/infrastructure/openstack/start-nodes";
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
            for (const resource of [...stack!.healed!, ...stack!.parts!]) assert.ok(resources[resource], resource);
            assert.ok(stack!.parts!.some(each => each.endsWith("_port_1")));
            assert.ok(outputs[stack!.address] && outputs[stack!.sshAddress!], name);
        }
    });

    it("names the output with the address of the jump server, where all go through it", () => {
        const of = cloudPlan("heat", { access: { jumpServer: { flavor: "small" } } });
        const { jump, nodes } = startNodes(of);
        assert.equal(jump!.name, "core-jump");
        const hot = parse(heatTemplate(of.plan).template);
        assert.ok(hot.outputs[jump!.output]);
        assert.equal(hot.resources[jump!.server!].properties.name, "core-jump");
        assert.deepEqual([jump!.image, jump!.flavor], ["debian", "small"]);
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
            image: "debian",
            shape: {
                flavor: "medium",
                availabilityZone: "none",
                bootVolume: "20 GiB",
                serverGroup: "soft-anti-affinity",
                configDrive: "none",
                "port.vnicType": "none",
                networks: "none",
            },
        });
    });

    it("says all that the cloud could change only by making the server, its port or its volume again", () => {
        const server = {
            availabilityZones: ["a"],
            serverGroup: "affinity",
            configDrive: true,
            port: { vnicType: "direct" },
            networks: [{ network: "n2", subnet: "s2", port: { vnicType: "macvtap" } }, { network: "n6" }],
            volumes: { data: { sizeGiB: 5, type: "fast" }, logs: { sizeGiB: 5 } },
        };
        const { nodes } = startNodes(cloudPlan("nova", { server }));
        assert.deepEqual(nodes["core-workers-1"]!.shape, {
            flavor: "medium",
            availabilityZone: "a",
            bootVolume: "none",
            serverGroup: "affinity",
            configDrive: "true",
            "port.vnicType": "direct",
            networks: "n2 s2 macvtap, n6",
            "volumes.data.type": "fast",
            "volumes.logs.type": "the cloud's own type",
        });
    });
});
