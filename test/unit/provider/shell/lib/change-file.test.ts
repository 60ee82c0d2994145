import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "./shell-run";

const changeFile = script("shell/lib/change-file.sh");

describe("shell/lib/change-file.sh", () => {
    for (const kind of ["sh", "bash"] as const) {
        describe(`in ${kind}`, () => {
            let shell: ShellRun;
            let file: string;
            beforeEach(() => {
                shell = shellIn(kind);
                file = join(shell.folder, "hosts");
                writeFileSync(file, "one\ntwo\n", { mode: 0o640 });
            });
            afterEach(() => shell.remove());

            const content = () => readFileSync(file, "utf8");
            const change = (command = "sed s/two/three/") => shell.run(`${changeFile}change_file '${file}' ${command}`);
            const alone = () => {
                for (const end of ["new", "whole"]) assert.ok(!existsSync(`${file}.nfv-${end}`), end);
            };
            /** A mount cannot be renamed over; cp and others are as ever. */
            const asMount = (more = ":") => {
                shell.program("mv", `case "$3" in */hosts) exit 1 ;; esac; exec /bin/mv "$@"`);
                shell.program("cat", `${more}; exec /bin/cat "$@"`);
            };

            it("changes a file, which keeps its mode, and leaves nothing beside it", () => {
                assert.equal(change().stderr, "");
                assert.deepEqual([content(), statSync(file).mode & 0o777], ["one\nthree\n", 0o640]);
                alone();
            });

            it("does not write where nothing changes", () => {
                const { ino } = statSync(file);
                assert.equal(change("cat").status, 0);
                assert.equal(statSync(file).ino, ino);
                alone();
            });

            it("leaves the file as it was where its command or the write beside it fails", () => {
                shell.program("broken", "echo half; exit 9");
                assert.equal(change("broken").status, 9);
                assert.equal(content(), "one\ntwo\n");
                assert.equal(change().status, 0, "what the failed run left is in nobody's way");
                assert.equal(content(), "one\nthree\n");
                alone();
            });

            it("changes what a link leads to", () => {
                const link = join(shell.folder, "link");
                symlinkSync(file, link);
                assert.equal(shell.run(`${changeFile}change_file '${link}' sed s/two/three/`).status, 0);
                assert.deepEqual([content(), lstatSync(link).isSymbolicLink()], ["one\nthree\n", true]);
            });

            it("writes a mount in place", () => {
                asMount();
                const { ino } = statSync(file);
                assert.equal(change().status, 0);
                assert.deepEqual([content(), statSync(file).ino], ["one\nthree\n", ino]);
                alone();
            });

            it("loses no line of a mount if the disk is full in the middle of that: the next call ends it", () => {
                asMount("printf on; exit 1");
                assert.notEqual(change().status, 0);
                assert.equal(content(), "on");
                asMount();
                assert.equal(change("sed s/one/1/").status, 0);
                assert.equal(content(), "1\nthree\n");
                alone();
            });

            it("does not end it where somebody wrote the file since", () => {
                asMount("printf on; exit 1");
                assert.notEqual(change().status, 0);
                writeFileSync(file, "mine\n");
                asMount();
                assert.equal(change("sed s/mine/MINE/").status, 0);
                assert.equal(content(), "MINE\n");
                alone();
            });

            it("takes a block out, and nothing else where the block has no end", () => {
                const without = (text: string) =>
                    shell.run(`${changeFile}printf '%s' '${text}' | without_block '# begin' '# end'`).stdout;
                assert.equal(without("a\n# begin\nours\n# end\nb\n\n"), "a\nb\n\n");
                assert.equal(without("# begin\n# end\na"), "a\n");
                assert.equal(without("a\n# begin\nours\ntheirs\n"), "a\nours\ntheirs\n");
                assert.equal(without("a\n# begin\ntheirs\n# begin\nours\n# end\nb\n"), "a\ntheirs\nb\n");
            });
        });
    }
});
