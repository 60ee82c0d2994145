import { throws } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args";
import { readTemplate } from "../../../../components/infrastructure/openstack/hot";
import { readFiles } from "../../../../components/kubernetes-cluster/operator-files";
import { yamlTexts } from "../../../../components/yaml-files";
import { clusterArgs } from "../sample-args";

describe("a path of the operator's machine that leads nowhere", () => {
    const from = (error: Error) =>
        error.message.toLowerCase().includes(`relative paths start from ${process.cwd()}`.toLowerCase());
    const reading = (more: object) => () => readFiles({ ...clusterArgs(1), ...more } as KubernetesClusterArgs);

    it("is an error that says where relative paths start from", () => {
        throws(() => readTemplate("BaseHOT/top.yaml"), from);
        throws(() => yamlTexts("manifests.0", "manifests"), from);
        throws(reading({ network: { cni: "manifests", cniManifests: ["cni"] } }), from);
        throws(reading({ kubernetes: { version: "1.34.4", source: { bundle: { path: "bundle" } } } }), from);
    });
});
