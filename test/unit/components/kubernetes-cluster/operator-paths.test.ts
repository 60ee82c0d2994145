import { match, rejects, throws } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { yamlTexts } from "../../../../components/common/yaml-files";
import { readTemplate } from "../../../../components/infrastructure/openstack/hot";
import { readFiles } from "../../../../components/kubernetes-cluster/operator-files";
import { record } from "../recorder";
import { clusterArgs } from "../sample-args";

describe("a path of the operator's machine that leads nowhere", () => {
    const from = (error: Error) =>
        error.message.toLowerCase().includes(`relative paths start from ${process.cwd()}`.toLowerCase());
    const reading = (more: object) => () => readFiles({ ...clusterArgs(1), ...more } as KubernetesClusterArgs);

    it("is an error that says where relative paths start from", () => {
        throws(() => readTemplate("BaseHOT/top.yaml"), from);
        throws(() => yamlTexts("manifests.0", "manifests"), from);
        throws(reading({ network: { cni: "manifests", cniManifests: ["cni"] } }), from);
        throws(reading({ kubernetes: { version: "1.36.3", source: { bundle: { path: "bundle" } } } }), from);
    });

    it("stops the program like other wrong inputs: named after the cluster, without a stack trace", async () => {
        const missing: Partial<KubernetesClusterArgs>[] = [
            { kubernetes: { version: "1.36.3", source: { bundle: { path: "bundle" } } } },
            { network: { cni: "manifests", cniManifests: ["cni"] } },
        ];
        for (const more of missing) {
            const program = () => new KubernetesCluster("core", clusterArgs(1, {}, more));
            await rejects(record("up", program), (error: Error) => {
                match(
                    error.message,
                    /^KubernetesCluster "core": INVALID_INPUT\n {4}(kubernetes\.source|network\.cniM)/,
                );
                return from(error) && pulumi.RunError.isInstance(error);
            });
        }
    });
});
