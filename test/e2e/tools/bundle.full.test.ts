import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { BundleManifest } from "../../../provider/common/bundle";
import { ensureBundle, verifyBundle } from "../../../tools/bundle";
import { versions } from "../../../tools/versions";

/** On a machine without a cache this builds Kubernetes, which takes minutes. */
describe("the bundle for the pinned Kubernetes", function () {
    this.timeout(50 * 60_000);
    let folder: string;
    let manifest: BundleManifest;

    before(async () => {
        folder = await ensureBundle({ onProgress: line => console.log(`    ${line}`) });
        manifest = await verifyBundle(folder);
    });

    const output = (program: string, ...argv: string[]) =>
        spawnSync(join(folder, program), argv, { encoding: "utf8" }).stdout.trim();

    it("has programs of that version", () => {
        assert.equal(output("bin/kubelet", "--version"), `Kubernetes v${versions.kubernetes}`);
        assert.equal(output("bin/kubeadm", "version", "-o", "short"), `v${versions.kubernetes}`);
        assert.match(output("bin/etcdctl", "version"), new RegExp(`etcdctl version: ${versions.etcd}`));
    });

    it("has every image that kubeadm will ask for, for masters", () => {
        const wanted = output(
            "bin/kubeadm",
            "config",
            "images",
            "list",
            "--kubernetes-version",
            `v${versions.kubernetes}`,
        );
        const images = new Set(manifest.files.map(file => file.image));
        assert.deepEqual(
            wanted.split("\n").filter(name => !images.has(name)),
            [],
        );
        assert.equal(wanted.split("\n").length, 7);
    });

    it("gives workers less than half of the images' size", () => {
        const images = manifest.files.filter(file => file.kind === "image");
        const size = (role: "controlPlane" | "worker") =>
            images.filter(({ roles }) => roles.includes(role)).reduce((sum, file) => sum + file.sizeBytes, 0);
        assert.ok(size("worker") * 2 < size("controlPlane"));
    });

    it("is found again within seconds", async () => {
        const started = Date.now();
        assert.equal(await ensureBundle(), folder);
        assert.ok(Date.now() - started < 5000);
    });
});
