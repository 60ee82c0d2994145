import { match, ok } from "node:assert/strict";
import { placedMembers } from "../../../../components/infrastructure/hosts/members";
import type { NodeMachine } from "../../../../components/infrastructure/infrastructure";
import { clusterPlan } from "../../../../components/kubernetes-cluster/cluster-plan";
import { toLookAt } from "../../../../components/kubernetes-cluster/to-look-at";
import { bundleFiles, runtimeFiles } from "../../provider/sample-specs";
import { record } from "../recorder";
import { clusterArgs } from "../sample-args";

describe("what a preview looks at on a new machine", () => {
    async function textWith(from?: "bundle"): Promise<string> {
        const containerRuntime = from && { containerRuntime: { from } };
        const kubernetes = { version: "1.36.3", source: { bundle: { path: "/srv/b" } }, ...containerRuntime };
        const args = clusterArgs(1, {}, { kubernetes });
        const plan = clusterPlan(args, "core", placedMembers(args), { bundleFiles: [...bundleFiles, ...runtimeFiles] });
        const machine = { name: "m1", connection: { host: "10.0.0.1" } } as unknown as NodeMachine;
        const look = () => new Promise<string>(done => toLookAt([machine], plan).toLookAt!["m1"]!.apply(done));
        return (await record("preview", look)).result;
    }

    it("says that containerd comes from the bundle, without the table of the bundle's files", async () => {
        const text = await textWith("bundle");
        match(text, /"runtimeFromBundle":true/);
        ok(!text.includes("sha256"));
        ok(!(await textWith()).includes("runtimeFromBundle"));
    });
});
