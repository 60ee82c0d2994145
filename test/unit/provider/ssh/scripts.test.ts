import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
    argvOf,
    type RemoteScript,
    readFileScript,
    transferExitCodes,
    uploadAppendScript,
    uploadBeginScript,
    uploadFinishScript,
    writeFileScript,
} from "../../../../provider/ssh/scripts";

describe("the scripts of file transfer, in a real shell", () => {
    let folder: string;
    const owner = `${process.getuid!()}:${process.getgid!()}`;
    const path = (name: string) => join(folder, name);
    const run = (input: string, script: RemoteScript, ...parameters: string[]) => {
        const [program, ...words] = argvOf(script, ...parameters);
        const { status, stdout } = spawnSync(program!, words, { input, encoding: "utf8" });
        return { status, stdout: stdout.trim() };
    };
    const sumOf = (text: string) => createHash("sha256").update(text).digest("hex");

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-transfer-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("write a file with its mode, also into a new folder", () => {
        assert.equal(run("content", writeFileScript, path("new/a b"), "0640", owner, "7").status, 0);
        assert.equal(readFileSync(path("new/a b"), "utf8"), "content");
        assert.equal(statSync(path("new/a b")).mode & 0o777, 0o640);
    });

    it("leave the old file, and no other, if the content is incomplete", () => {
        writeFileSync(path("a"), "old");
        const { status } = run("cont", writeFileScript, path("a"), "0640", owner, "7");
        assert.equal(status, transferExitCodes.incomplete);
        assert.deepEqual(readdirSync(folder), ["a"]);
        assert.equal(readFileSync(path("a"), "utf8"), "old");
    });

    it("upload in parts: an interrupted upload continues where it stopped", () => {
        const [file, part, sum] = [path("a"), path("a.part"), sumOf("content")];
        const begin = () => run("", uploadBeginScript, file, part, "0600", owner, "7", sum).stdout;
        const finish = () => run("", uploadFinishScript, file, part, "7", sum).status;
        assert.equal(begin(), "0");
        run("cont", uploadAppendScript, part, "0");
        assert.equal(begin(), "4");
        assert.equal(finish(), transferExitCodes.incomplete);
        run("ent", uploadAppendScript, part, "4");
        assert.equal(finish(), 0);
        assert.equal(readFileSync(file, "utf8"), "content");
        assert.equal(begin(), "complete");
    });

    it("delete a part with another checksum", () => {
        writeFileSync(path("part"), "conTent");
        const { status } = run("", uploadFinishScript, path("a"), path("part"), "7", sumOf("content"));
        assert.equal(status, transferExitCodes.checksumDiffers);
        assert.deepEqual(readdirSync(folder), []);
    });

    it("read a file, and tell a missing one from an unreadable one", () => {
        writeFileSync(path("a"), "content");
        assert.deepEqual(run("", readFileScript, path("a")), { status: 0, stdout: "content" });
        assert.equal(run("", readFileScript, path("none")).status, transferExitCodes.noSuchFile);
        assert.notEqual(run("", readFileScript, folder).status, transferExitCodes.noSuchFile);
    });
});
