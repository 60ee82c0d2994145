import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "./shell-run";

describe("shell/lib/originals.sh", () => {
    let shell: ShellRun;
    const originals = () => join(shell.folder, "original");
    const path = (name: string) => join(shell.folder, name);
    const run = (line: string) => {
        const text = script("shell/lib/originals.sh").replace(
            /^ORIGINALS_FOLDER=.*$/m,
            `ORIGINALS_FOLDER='${originals()}'`,
        );
        const { status, stderr } = shell.run(text + line);
        assert.equal(stderr, "");
        return status;
    };
    /** Makes the copy of a file that existed before us. */
    const kept = (name: string, text: string) => {
        mkdirSync(join(originals(), shell.folder), { recursive: true });
        writeFileSync(join(originals(), path(name)), text, { mode: 0o640 });
    };

    for (const kind of ["sh", "bash"] as const) {
        describe(`in ${kind}`, () => {
            beforeEach(() => {
                shell = shellIn(kind);
            });
            afterEach(() => shell.remove());

            it("there: finds files, folders and dangling links, nothing else", () => {
                writeFileSync(path("file"), "");
                symlinkSync("/no/such", path("link"));
                const found = ["file", "link", ".", "none"].map(name => run(`there "${path(name)}"`));
                assert.deepEqual(found, [0, 0, 0, 1]);
            });

            it("restore: puts the original back, with its mode", () => {
                kept("a file", "theirs");
                writeFileSync(path("a file"), "ours");
                assert.equal(run(`restore "${path("a file")}"`), 0);
                assert.equal(readFileSync(path("a file"), "utf8"), "theirs");
                assert.equal(lstatSync(path("a file")).mode & 0o777, 0o640);
                assert.equal(existsSync(path("a file.nfv-new")), false);
            });

            it("restore: deletes a file of ours that did not exist before", () => {
                kept("file.absent", "");
                writeFileSync(path("file"), "ours");
                assert.equal(run(`restore "${path("file")}"`), 0);
                assert.equal(existsSync(path("file")), false);
            });

            it("restore: leaves a file that was never noted", () => {
                writeFileSync(path("file"), "theirs");
                assert.equal(run(`restore "${path("file")}"`), 0);
                assert.equal(readFileSync(path("file"), "utf8"), "theirs");
            });

            it("restore: makes no folder that is gone", () => {
                mkdirSync(join(originals(), path("gone")), { recursive: true });
                writeFileSync(join(originals(), path("gone/file")), "theirs");
                assert.equal(run(`restore "${path("gone/file")}"`), 0);
                assert.equal(existsSync(path("gone")), false);
            });
        });
    }
});
