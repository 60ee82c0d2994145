import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences, ensureBundle, exportBundle, readBundle, verifyBundle } from "../../../tools/bundle";
import { scratch } from "./scratch";

describe("a bundle", () => {
    const { folder } = scratch();
    const bundle = () => join(folder(), "bundle");

    beforeEach(() => {
        mkdirSync(join(bundle(), "bin"), { recursive: true });
        const files = ["kubelet", "kubeadm"].map(name => {
            writeFileSync(join(bundle(), "bin", name), name);
            const sha256 = createHash("sha256").update(name).digest("hex");
            return { path: `bin/${name}`, kind: "binary", sha256, sizeBytes: 7, roles: ["worker"] };
        });
        const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes: "1.34.4", arch: "amd64", files };
        writeFileSync(join(bundle(), "manifest.json"), JSON.stringify(manifest));
        writeFileSync(join(bundle(), ".complete.json"), "{}");
    });

    it("is verified file by file, and every difference is named", async () => {
        assert.equal((await verifyBundle(bundle())).kubernetes, "1.34.4");
        writeFileSync(join(bundle(), "bin/kubelet"), "kubeleT");
        rmSync(join(bundle(), "bin/kubeadm"));
        await assert.rejects(verifyBundle(bundle()), {
            code: "BUNDLE_INVALID",
            message: /bin\/kubelet has the sum[\s\S]*bin\/kubeadm is missing/,
        });
    });

    it("is copied out of the cache over an older one, without the cache's own file", async () => {
        const out = join(folder(), "out");
        await exportBundle(bundle(), out);
        await exportBundle(bundle(), out);
        assert.equal(readFileSync(join(out, "bin/kubelet"), "utf8"), "kubelet");
        assert.equal(existsSync(join(out, ".complete.json")), false);
        await verifyBundle(out);
    });

    it("is compared with the one of the same version that was there before", async () => {
        const before = await readBundle(bundle());
        const [kubelet, kubeadm] = before.files;
        const other = { ...kubelet!, sha256: "0".repeat(64) };
        const files = [other, { ...kubeadm!, path: "bin/kubectl" }];
        assert.deepEqual(differences(before, before), []);
        assert.deepEqual(differences(before, { ...before, files }), [
            `bin/kubelet has the sum ${other.sha256}, before ${kubelet!.sha256}`,
            "bin/kubectl is new",
            "bin/kubeadm is gone",
        ]);
        assert.deepEqual(differences({ ...before, kubernetes: "1.33.1" }, { ...before, files }), []);
        assert.deepEqual(differences(undefined, before), []);
    });

    it("never replaces a folder whose manifest.json is somebody else's, nor a bundle with other files in it", async () => {
        const web = join(folder(), "web");
        mkdirSync(web);
        writeFileSync(join(web, "manifest.json"), JSON.stringify({ name: "my web app" }));
        await assert.rejects(exportBundle(bundle(), web), {
            code: "INVALID_INPUT",
            message: /is not a bundle: .*apiVersion/,
        });
        assert.ok(existsSync(join(web, "manifest.json")));
        const out = join(folder(), "out");
        await exportBundle(bundle(), out);
        mkdirSync(join(out, "notes"));
        for (const file of ["bin/thesis.txt", "notes/a"]) writeFileSync(join(out, file), "");
        await assert.rejects(exportBundle(bundle(), out), {
            code: "INVALID_INPUT",
            message: /files of others in it: (?=.*bin\/thesis\.txt)(?=.*notes\/a)/,
        });
        assert.ok(existsSync(join(out, "bin/thesis.txt")) && existsSync(join(out, "bin/kubelet")));
    });

    it("never replaces a folder that is something else", async () => {
        const out = join(folder(), "home");
        mkdirSync(out);
        writeFileSync(join(out, "thesis.txt"), "");
        await assert.rejects(exportBundle(bundle(), out), { code: "INVALID_INPUT" });
        assert.ok(existsSync(join(out, "thesis.txt")));
    });

    it("is not begun for what is not a version", async () => {
        await assert.rejects(ensureBundle({ kubernetes: "latest" }), { code: "INVALID_INPUT" });
    });
});
