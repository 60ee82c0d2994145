import assert from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args";
import { KubernetesCluster } from "../../../../components/kubernetes-cluster";
import type { BackEnd } from "../../../../provider/openstack/needs";
import { record } from "../recorder";
import { cloudArgs } from "./sample-cloud-args";

describe("what makes the servers", function () {
    this.timeout(60_000);

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
