import { deepEqual, match, rejects, throws } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

describe("the bundle of a cluster", () => {
    const folder = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
    after(() => rmSync(folder, { recursive: true }));
    const row = { path: "bin/kubelet", kind: "binary", sha256: "a".repeat(64), sizeBytes: 1, roles: ["worker"] };
    const whole = { apiVersion: "pulumi-nfv/v1", kubernetes: "1.36.3", arch: "amd64", files: [row] };
    const filesOf = (manifest: unknown) => {
        writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
        const kubernetes = { version: "1.36.3", source: { bundle: { path: folder } } };
        return readFiles({ ...clusterArgs(1), kubernetes }).bundleFiles;
    };

    it("is refused with files from elsewhere, for another processor, and without files", () => {
        deepEqual(filesOf(whole), [row]);
        const { files: _, ...withoutFiles } = whole;
        for (const manifest of [
            { ...whole, files: [{ ...row, path: "../../root/.ssh/id_ed25519" }] },
            { ...whole, arch: "arm64" },
            withoutFiles,
            null,
        ])
            throws(() => filesOf(manifest), { code: "BUNDLE_INVALID" });
    });
});
