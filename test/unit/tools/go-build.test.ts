import { strict as assert } from "node:assert";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPrograms, builtPrograms, goVersion, moduleFiles, takenFiles } from "../../../tools/go-build";
import type { GoGroup } from "../../../tools/go-group";
import { editsLike, identity } from "../../../tools/go-module";
import { packageRoot } from "../../../tools/settings";
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

describe("a Go module with sources of ours", () => {
    const { folder, set } = scratch();
    const group: GoGroup = {
        name: "some",
        requires: [],
        stamps: [],
        sources: "pulumi-resource-openstack",
        embedded: { module: "example.org/some@v1.0.0", files: { "embedded.json": "cmd/some.json" } },
        generated: { file: "schema.json", package: "./schema", usualSeconds: 1 },
        programs: { some: { package: ".", usualSeconds: 1 } },
    };

    it("has them, the files that they embed and those that they generate, when it is built", async () => {
        await goVersion(); // of the machine, not of the stand-in
        mkdirSync(join(folder(), "bin"));
        mkdirSync(join(folder(), "module", "cmd"), { recursive: true });
        writeFileSync(join(folder(), "module", "cmd", "some.json"), "embedded\n", { mode: 0o444 });
        copyFileSync(join(packageRoot(), "test/unit/tools/fake-go.sh"), join(folder(), "bin", "go"));
        chmodSync(join(folder(), "bin", "go"), 0o755);
        set("FAKE_MODULE", join(folder(), "module"));
        set("PATH", `${join(folder(), "bin")}:${process.env["PATH"]}`);
        const { some } = await buildPrograms(group, () => {});
        const files = ["./info/info.go", "./info/tokens.go", "./main.go", "./schema/main.go"];
        assert.equal(readFileSync(some!, "utf8"), [...files, "embedded", "generated", ""].join("\n"));
        if (await goVersion()) assert.deepEqual(await builtPrograms(group), { some });
    });

    it("is another one when they change, so that the program is built anew", () => {
        assert.match(JSON.stringify(identity(group)), /func Provider\(\) tfbridge/);
        const { sources: _, ...without } = group;
        assert.doesNotMatch(JSON.stringify(identity(without)), /tfbridge/);
    });
});
