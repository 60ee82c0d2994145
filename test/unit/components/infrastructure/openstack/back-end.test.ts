import assert from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../../components/args/args";
import { KubernetesCluster } from "../../../../../components/kubernetes-cluster/kubernetes-cluster";
import type { BackEnd } from "../../../../../provider/openstack/requirements";
import { record } from "../../recorder";
import { cloudArgs } from "./sample-cloud-args";

describe("what makes the servers", () => {
    const answers = {
        outputs: (type: string) => ({
            ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
            ...(type.endsWith(":OperationStart") && { generations: {} }),
        }),
    };
    const program = (backEnd: BackEnd): KubernetesClusterArgs => {
        const { infrastructure, ...others } = cloudArgs({}, { controlPlane: { count: 1 }, pools: {} });
        return { ...others, infrastructure: { [backEnd]: infrastructure.nova } };
    };
    const childrenBy = async (backEnd: BackEnd) => {
        const { resources } = await record("preview", () => new KubernetesCluster("core", program(backEnd)), answers);
        return resources.filter(({ urn }) => urn.includes(":KubernetesCluster$"));
    };

    for (const backEnd of ["nova", "heat"] as const) {
        it(`tells project and region to all that ask the cloud later: ${backEnd}`, async () => {
            const found = { project: "project-1", region: "RegionOne" };
            const outputs = (type: string) => ({
                ...answers.outputs(type),
                ...(type.endsWith(":CloudCheck") && { ...found, names: {} }),
                ...(type.endsWith(":Port") && { allFixedIps: ["10.0.0.5"] }),
                ...(type.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
            });
            const call = () => ({ id: "id", name: "public", cidr: "192.168.0.0/20" });
            const { resources } = await record("up", () => new KubernetesCluster("core", program(backEnd)), {
                outputs,
                call,
            });
            const who = (value: string) =>
                resources.filter(({ inputs }) => JSON.stringify(inputs).includes(value)).map(({ label }) => label);
            const machine = ["Host core-control-plane-1", "Node core-control-plane-1"];
            const guard = ["CloudLeftovers core", "ProjectGuard core"];
            const told = [
                "OperationStart core",
                ...(backEnd === "nova" ? [...guard, ...machine] : ["CloudLeftovers core"]),
            ];
            assert.deepEqual(who(found.region), told);
            assert.deepEqual(who(found.project), told);
        });
    }

    it("is the parent of all that goes when another one does: only these are the same resources by either", async () => {
        const heat = new Set((await childrenBy("heat")).map(({ urn }) => urn));
        const both = (await childrenBy("nova")).filter(({ urn }) => heat.has(urn)).map(({ type }) => type);
        const kept = ["CloudCheck", "ServerKeys"];
        assert.deepEqual(
            both,
            kept.map(type => `pulumi-nodejs:dynamic/nfv:${type}`),
        );
    });
});
