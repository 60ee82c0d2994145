import assert from "node:assert/strict";
import { KubernetesCluster, type KubernetesClusterArgs } from "../../../../components";
import { unpack } from "../../../../provider/contract/packed";
import { hostSteps } from "../../../../provider/host/host-steps";
import { nodeSteps } from "../../../../provider/member/node-steps";
import { plan, stepTitles } from "../../../../provider/steps/plan";
import { record } from "../recorder";

describe("the steps that preview shows", () => {
    it("are those that the provider plans, in whatever order a program writes its maps", async () => {
        const args: KubernetesClusterArgs = {
            infrastructure: {
                hosts: {
                    ssh: { user: "debian", password: "x" },
                    controlPlane: { m1: { address: "10.99.0.11" } },
                    pools: { w: { w1: { address: "10.99.0.21" } } },
                },
            },
            kubernetes: { version: "1.34.4" },
            pools: { w: { labels: { z: "1", a: "2" }, annotations: { z: "1", a: "2" } } },
            kubelet: {
                systemReserved: { memory: "1Gi", cpu: "100m" },
                maxPods: 50,
                evictionHard: { "nodefs.available": "5%" },
            },
            kubeProxy: { mode: "ipvs", conntrack: { min: 1, maxPerCore: 2 } },
            sysctls: { "vm.swappiness": "0", "net.core.somaxconn": "100" },
            registries: { "z.example": { endpoints: ["https://a"] }, "a.example": { endpoints: ["https://b"] } },
            controlPlane: { extraArgs: { apiServer: { v: "2", "anonymous-auth": "true" } } },
        } as never;
        const { resources } = await record("up", () => new KubernetesCluster("core", args));
        const machines = resources.filter(({ type }) => /:(Host|Node)$/.test(type));
        assert.equal(machines.length, 4);
        for (const { label, inputs } of machines) {
            const { spec, steps, fingerprintKey } = unpack(inputs, []) as any;
            const factories = label.startsWith("Host") ? hostSteps : nodeSteps("join");
            assert.deepEqual(steps, stepTitles(plan(factories as never, spec, fingerprintKey)), label);
        }
    });
});
