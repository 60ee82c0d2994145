import { strict as assert } from "node:assert";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editsLike, moduleFiles, takenFiles } from "../../../tools/go-build";
import type { GoGroup } from "../../../tools/go-groups";
import { scratch } from "./scratch";

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

describe("folders of a Go module", () => {
    const { folder, set } = scratch();
    const group: GoGroup = {
        name: "some",
        requires: [],
        programs: {},
        stamps: [],
        files: { module: "example.org/some@v1.0.0", folders: { "some-config": "a/config" } },
    };

    it("are copied once, and can be changed and removed unlike those of Go's cache", async () => {
        const module = join(folder(), "module");
        mkdirSync(join(module, "a", "config", "crd"), { recursive: true });
        writeFileSync(join(module, "a", "config", "crd", "x.yaml"), "x: 1\n", { mode: 0o444 });
        chmodSync(join(module, "a", "config", "crd"), 0o555);
        // a go that knows one module
        mkdirSync(join(folder(), "bin"));
        const answer = JSON.stringify({ Dir: module });
        writeFileSync(join(folder(), "bin", "go"), `#!/bin/sh\necho "$@" >>${folder()}/calls\necho '${answer}'\n`, {
            mode: 0o755,
        });
        set("PATH", `${join(folder(), "bin")}:${process.env["PATH"]}`);
        assert.equal(await takenFiles(group), undefined);
        const files = await moduleFiles(group, () => {});
        const copy = join(files["some-config"]!, "crd", "x.yaml");
        assert.equal(readFileSync(copy, "utf8"), "x: 1\n");
        writeFileSync(copy, "x: 1\n");
        assert.deepEqual(await moduleFiles(group, () => {}), files);
        assert.deepEqual(await takenFiles(group), files);
        assert.equal(readFileSync(join(folder(), "calls"), "utf8"), "mod download -json example.org/some@v1.0.0\n");
        chmodSync(join(module, "a", "config", "crd"), 0o755);
    });

    it("are none for a group without", async () => {
        assert.deepEqual(await takenFiles({ ...group, files: undefined }), {});
    });
});
