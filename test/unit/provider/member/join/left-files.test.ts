import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
    controlPlaneManifests,
    etcdManifest,
    kubeletFiles,
    leavesFiles,
    noteLeft,
} from "../../../../../provider/member/join/left-files";
import { encodeScript } from "../../../../../provider/steps/protocol";

const flags = kubeletFiles[1]!;

describe("the files that kubeadm left, by a real shell", () => {
    let root: string;
    const at = (path: string) => join(root, path);
    const write = (path: string, text: string) => {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), text);
    };
    /** In a root of its own. */
    const shell = (script: string, env: Record<string, string> = {}) => {
        const moved = encodeScript({ run: script, env }).replace(/(?<![\w.}])\/(etc|var\/lib)\b/g, `${root}/$1`);
        return spawnSync("sh", ["-s"], { input: moved, encoding: "utf8" });
    };
    const observed = (files: readonly string[]) => {
        const { observe } = leavesFiles(files) as { observe: { script: string; env: Record<string, string> } };
        const { status, stdout } = shell(observe.script, observe.env);
        return {
            status,
            lines: stdout
                .split("\n")
                .filter(line => line !== "")
                .map(line => line.replace(root, "")),
        };
    };
    const journal = "/var/lib/pulumi-nfv/journal/cluster.join";

    beforeEach(() => {
        root = mkdtempSync("/tmp/nfv-left-");
        mkdirSync(at("/var/lib/pulumi-nfv/observations"), { recursive: true });
        mkdirSync(at("/var/lib/pulumi-nfv/applied"), { recursive: true });
        write(journal, "fingerprint @1 1\n");
        for (const file of [...controlPlaneManifests, ...kubeletFiles]) write(file, "a: 1\n");
        assert.equal(shell(noteLeft).status, 0);
    });
    afterEach(() => rmSync(root, { recursive: true }));

    it("differ where one has changed or is gone; a comment is no change", () => {
        assert.deepEqual(observed(controlPlaneManifests), { status: 0, lines: [] });
        write(etcdManifest, "# by hand\na: 1  \n\n");
        assert.deepEqual(observed(controlPlaneManifests).lines, []);
        write(etcdManifest, "a: 2\n");
        rmSync(at(controlPlaneManifests[1]!));
        assert.deepEqual(observed(controlPlaneManifests).lines, [
            `${etcdManifest} has changed`,
            `${controlPlaneManifests[1]} is gone`,
        ]);
        assert.deepEqual(observed(kubeletFiles).lines, []);
    });

    it("are not known where nothing was noted, or while something of ours is under way", () => {
        write(etcdManifest, "a: 2\n");
        mkdirSync(at("/etc/kubernetes/pulumi-nfv/restore-aside"), { recursive: true });
        assert.notEqual(observed(controlPlaneManifests).status, 0);
        rmSync(at("/etc/kubernetes/pulumi-nfv/restore-aside"), { recursive: true });
        rmSync(at("/var/lib/pulumi-nfv/observations/left"));
        assert.notEqual(observed(controlPlaneManifests).status, 0);
    });

    it("are noted again only when a step has written them: what a person changed does not become ours", () => {
        write(etcdManifest, "a: 2\n");
        assert.equal(shell(noteLeft).status, 0);
        assert.equal(observed(controlPlaneManifests).lines.length, 1);
        write(journal, "fingerprint @2 1\n");
        // the machine's clock has gone back meanwhile
        utimesSync(at(journal), 1, 1);
        assert.notEqual(observed(controlPlaneManifests).status, 0, "not known before it is noted");
        assert.equal(shell(noteLeft).status, 0);
        assert.deepEqual(observed(controlPlaneManifests), { status: 0, lines: [] });
    });

    it("are compared where one of the steps is not in the journal: a killed run has begun to put back the others", () => {
        write(etcdManifest, "a: 2\n");
        rmSync(at(journal));
        assert.equal(observed(controlPlaneManifests).lines.length, 1);
    });

    it("let their step do all of it again: marks are gone, etcd's only if its own manifest has changed, flags are back", () => {
        const marks = ["etcd", "cluster", "kubelet"].map(name => `/var/lib/pulumi-nfv/applied/${name}`);
        for (const mark of marks) write(mark, "done\n");
        const there = () => marks.map(mark => existsSync(at(mark)));
        assert.equal(shell(leavesFiles(controlPlaneManifests).again).status, 0);
        assert.deepEqual(there(), [true, false, true]);
        write(etcdManifest, "a: 2\n");
        assert.equal(shell(leavesFiles(controlPlaneManifests).again).status, 0);
        assert.deepEqual(there(), [false, false, true]);
        write(flags, "a: 3\n");
        assert.equal(shell(leavesFiles(kubeletFiles).again).status, 0);
        assert.deepEqual([there(), readFileSync(at(flags), "utf8")], [[false, false, false], "a: 1\n"]);
    });

    it("are not put back where a move to another version has ended the notes meanwhile", () => {
        write(flags, "a: 3\n");
        for (const note of ["left", "kubeadm-flags.env"]) rmSync(at(`/var/lib/pulumi-nfv/observations/${note}`));
        for (const files of [controlPlaneManifests, kubeletFiles])
            assert.equal(shell(leavesFiles(files).again).status, 0);
        assert.equal(readFileSync(at(flags), "utf8"), "a: 3\n");
    });
});
