import { strict as assert } from "node:assert";
import { editsLike } from "../../../tools/go-build";

describe("Kubernetes' Go module", () => {
    it("replaces the staging modules by the published ones of the release, and nothing else", () => {
        const upstream = {
            Go: "1.24.0",
            Replace: [
                { Old: { Path: "k8s.io/api" }, New: { Path: "./staging/src/k8s.io/api" } },
                { Old: { Path: "k8s.io/client-go" }, New: { Path: "./staging/src/k8s.io/client-go" } },
                { Old: { Path: "example.org/fork" }, New: { Path: "example.org/ours", Version: "v1.0.0" } },
            ],
        };
        assert.deepEqual(editsLike(upstream, "v0.34.4"), [
            "-go=1.24.0",
            "-godebug=default=go1.24",
            "-replace=k8s.io/api=k8s.io/api@v0.34.4",
            "-replace=k8s.io/client-go=k8s.io/client-go@v0.34.4",
        ]);
    });
});
