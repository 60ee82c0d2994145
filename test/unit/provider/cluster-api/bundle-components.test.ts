import { deepStrictEqual, rejects } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleComponents } from "../../../../provider/cluster-api";

describe("the components of a provider in a bundle", () => {
    let folder = "";
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
        mkdirSync(join(folder, "manifests"));
        const file = { kind: "manifest", sha256: "0".repeat(64), sizeBytes: 1, roles: [], version: "v1.13.6" };
        const paths = ["manifests/cluster-api.yaml", "manifests/bootstrap-kubeadm.yaml"];
        const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes: "1.34.4", arch: "amd64" };
        writeFileSync(
            join(folder, "manifest.json"),
            JSON.stringify({ ...manifest, files: paths.map(path => ({ ...file, path })) }),
        );
        writeFileSync(join(folder, paths[0]!), "kind: A\n");
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    const core = { type: "core", name: "cluster-api" } as const;

    it("come with their version", async () => {
        const found = { version: "v1.13.6", components: "kind: A\n" };
        deepStrictEqual(await bundleComponents(folder, core), found);
        deepStrictEqual(await bundleComponents(folder, { ...core, version: "v1.13.6" }), found);
    });

    it("are refused where the bundle has another version, or none", async () => {
        await rejects(bundleComponents(folder, { ...core, version: "v1.14.0" }), {
            code: "VERSION_MISMATCH",
            message:
                /does not have cluster-api v1\.14\.0, but v1\.13\.6[\s\S]*--add-ons cluster-api,cluster-api-openstack/,
        });
        await rejects(bundleComponents(folder, { type: "infrastructure", name: "openstack" }), {
            code: "VERSION_MISMATCH",
            message: /does not have infrastructure-openstack\n/,
        });
    });

    it("are refused where the file is missing", async () => {
        await rejects(bundleComponents(folder, { type: "bootstrap", name: "kubeadm" }), { code: "BUNDLE_INVALID" });
    });
});
