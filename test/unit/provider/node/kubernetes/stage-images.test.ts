import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../../../../../provider/shell/script-file";

describe("images of a bundle on a machine", () => {
    let root: string;
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-images-"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const name = "registry.k8s.io/etcd:3.7.3-0";
    const run = (file: string, sum: string) =>
        spawnSync("sh", ["-eu"], {
            input: `ctr() { case $* in *list*) echo "${name}" ;; esac; }\n${script(`node/kubernetes/${file}.sh`, { IMAGE_FOLDER: root })}`,
            encoding: "utf8",
            env: { PATH: process.env["PATH"], IMAGES: `${sum} ${join(root, sum, "image.tar")} ${name}` },
        });
    const stage = (sum: string) => {
        mkdirSync(join(root, sum));
        writeFileSync(join(root, sum, "image.tar"), "");
        assert.equal(run("stage-images", sum).status, 0);
        assert.ok(!existsSync(join(root, sum)));
    };
    const isStaged = (sum: string) => run("images-staged", sum).status === 0;

    it("are staged once imported, until another bundle's image takes the name", () => {
        assert.ok(!isStaged("a"));
        stage("a");
        assert.ok(isStaged("a"));
        stage("b");
        assert.deepEqual([isStaged("a"), isStaged("b")], [false, true]);
    });
});
