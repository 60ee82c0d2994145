import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readGivenFile, whyUnreadable } from "../../../../provider/common/given-file";

describe("a file that the user has named", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-given-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const said = (path: string) => {
        try {
            return readGivenFile(path);
        } catch (error) {
            return (error as Error).message;
        }
    };

    it("is read, or refused with its path and why, never with the words of the operating system", () => {
        const at = (name: string) => join(folder, name);
        writeFileSync(at("file"), "text");
        symlinkSync(at("loop"), at("loop"));
        assert.equal(said(at("file")), "text");
        const rows = {
            gone: "there is no such file",
            "file/below": "there is no such file: a part of its path is no folder",
            loop: "its links lead in a circle",
            ["x".repeat(300)]: "the name is too long: is it a text in place of a path?",
        };
        for (const [name, why] of Object.entries(rows)) assert.equal(said(at(name)), `${at(name)}: ${why}`);
        assert.equal(said(folder), `${folder}: it is a folder`);
        // Root may read all.
        assert.equal(whyUnreadable("/a", { code: "EACCES" }), "/a: this user may not read it");
    });

    it("is looked for from the current folder where its path is relative, which is said", () => {
        assert.equal(said("gone.pem"), `gone.pem: there is no such file; relative paths start from ${process.cwd()}`);
    });
});
