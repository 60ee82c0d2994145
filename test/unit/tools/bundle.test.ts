import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences, ensureBundle, exportBundle, readBundle, verifyBundle } from "../../../tools/bundle";
import { goVersion } from "../../../tools/go-build";
import { packageRoot } from "../../../tools/settings";
import { scratch } from "./scratch";

describe("a bundle", () => {
    const { folder, set } = scratch();
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

    it("is not begun for what is not a version, or is of a minor that nobody knows", async () => {
        for (const kubernetes of ["latest", "1.99.0"])
            await assert.rejects(ensureBundle({ kubernetes, sources: [] }), { code: "INVALID_INPUT" });
        const allowUnsupportedVersion = true;
        await assert.rejects(ensureBundle({ kubernetes: "1.99.0", allowUnsupportedVersion, sources: [] }), {
            code: "TOOL_MISSING",
        });
    });

    it("says of a minor that has ended what the bundle is for, before it looks for programs", async () => {
        const said: string[] = [];
        const onProgress = (line: string) => said.push(line);
        await assert.rejects(ensureBundle({ kubernetes: "1.31.1", sources: [], onProgress }), { code: "TOOL_MISSING" });
        assert.match(said[0]!, /ended on 2025-10-28.*The bundle is for clusters that have this version/);
    });

    it("of a version that does not exist is refused with one sentence: the version, who says so, and what to give", async () => {
        if ((await goVersion()) === undefined) return;
        mkdirSync(join(folder(), "bin"));
        const go = join(folder(), "bin", "go");
        copyFileSync(join(packageRoot(), "test/unit/tools/fake-go.sh"), go);
        chmodSync(go, 0o755);
        set("PATH", `${join(folder(), "bin")}:${process.env["PATH"]}`);
        set("FAKE_ABSENT", "reading https://proxy/v1.36.99.info: 404 Not Found\\n\\tserver response: not found");
        const said: string[] = [];
        const onProgress = (line: string) => said.push(line);
        await assert.rejects(ensureBundle({ kubernetes: "1.36.99", sources: ["modules"], onProgress }), {
            code: "INVALID_INPUT",
            reason: "there is no Kubernetes 1.36.99 in any source: Go's module proxy has no k8s.io/kubernetes@v1.36.99: reading https://proxy/v1.36.99.info: 404 Not Found; server response: not found",
            hint: /^Give a patch release that upstream has made .* such as 1\.36\.3, or a mirror folder/,
        });
        assert.deepEqual(said, ["resolving the Go module of kubernetes"], "not the output of go");
        set("FAKE_ABSENT", "dial tcp 127.0.0.1:1: connect: connection refused");
        await assert.rejects(ensureBundle({ kubernetes: "1.36.99", sources: ["modules"] }), {
            code: "TOOL_MISSING",
            reason: /\n {4}go ended with 1: dial tcp 127\.0\.0\.1:1: connect: connection refused\n/,
        });
    });
});
