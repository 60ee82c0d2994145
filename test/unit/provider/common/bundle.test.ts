import { strict as assert } from "node:assert";
import { type BundleManifest, parseManifest } from "../../../../provider/common/bundle";

const manifest: BundleManifest = {
    apiVersion: "pulumi-nfv/v1",
    kubernetes: "1.34.4",
    arch: "amd64",
    files: [
        {
            path: "bin/kubelet",
            kind: "binary",
            sha256: "a".repeat(64),
            sizeBytes: 3,
            roles: ["controlPlane", "worker"],
        },
        {
            path: "images/etcd.tar",
            kind: "image",
            sha256: "b".repeat(64),
            sizeBytes: 4,
            roles: ["controlPlane"],
            image: "registry.k8s.io/etcd:3.6.5-0",
        },
        {
            path: "manifests/cluster-api.yaml",
            kind: "manifest",
            sha256: "c".repeat(64),
            sizeBytes: 5,
            roles: [],
            version: "v1.13.6",
        },
    ],
};

const withFile = (change: Record<string, unknown>) =>
    JSON.stringify({ ...manifest, files: [{ ...manifest.files[0], ...change }] });

const withRuntime = (version: string) => withFile({ path: "runtime/containerd", kind: "runtime", version });

describe("a bundle's manifest", () => {
    it("is read as it was written", () => {
        assert.deepEqual(parseManifest(JSON.stringify(manifest), "b"), manifest);
    });

    it("may have a runtime of any release", () => {
        for (const version of ["2.4.2", "v1.5.3", "2.4.0-rc.1+site"])
            assert.equal(parseManifest(withRuntime(version), "b").files[0]!.version, version);
    });

    it("is refused for another processor", () => {
        for (const arch of ["arm64", undefined])
            assert.throws(() => parseManifest(JSON.stringify({ ...manifest, arch }), "b"), {
                code: "BUNDLE_INVALID",
                message: new RegExp(`manifest.json says arch ${arch}; bundles are for amd64 \\(x86_64\\) alone`),
            });
    });

    const broken: Record<string, string> = {
        "a path that leaves the bundle": withFile({ path: "../etc/passwd" }),
        "a path that hides leaving": withFile({ path: "bin/../../etc/passwd" }),
        "an absolute path": withFile({ path: "/bin/kubelet" }),
        "a name that is an option": withFile({ path: "bin/-rf" }),
        "no sum": withFile({ sha256: undefined }),
        "an image without a name": withFile({ kind: "image" }),
        "a manifest without a version": withFile({ kind: "manifest" }),
        "a binary with a version": withFile({ version: "v1.0.0" }),
        "a version that leaves the folder": withRuntime(".."),
        "a version with a path in it": withRuntime("2.4.2/../../etc"),
        "a version that hides leaving": withRuntime("2..4"),
        "a version that is an option": withRuntime("-rf"),
        "a row that is nothing": JSON.stringify({ ...manifest, files: [null, ...manifest.files] }),
        "an image whose name is two lines": withFile({ path: "images/a.tar", kind: "image", image: "a\nsum /etc b" }),
        "a size below nothing": withFile({ sizeBytes: -5 }),
        "an unknown kind": withFile({ kind: "script" }),
        "another format": JSON.stringify({ ...manifest, apiVersion: "pulumi-nfv/v9" }),
        "no files": JSON.stringify({ ...manifest, files: [] }),
        "half a file": JSON.stringify(manifest).slice(0, 80),
        "nothing in it": "null",
    };
    for (const [what, text] of Object.entries(broken)) {
        it(`is refused with ${what}`, () => {
            assert.throws(() => parseManifest(text, "the-bundle"), { code: "BUNDLE_INVALID", message: /the-bundle/ });
        });
    }
});
