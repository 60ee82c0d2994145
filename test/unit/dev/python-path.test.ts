import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOfPython } from "../../../dev/python-path";

describe("the python3 of the tests", () => {
    let folder: string;
    const program = (place: string, text: string) => {
        mkdirSync(join(folder, place), { recursive: true });
        writeFileSync(join(folder, place, "python3"), `#!/bin/sh\n${text}\n`);
        chmodSync(join(folder, place, "python3"), 0o755);
    };
    const path = () => `${join(folder, "shims")}:/bin`;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-python-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("is the interpreter that a version manager's script starts", () => {
        program("versions/3/bin", `echo ${join(folder, "versions/3/bin/python3")}`);
        program("shims", `exec ${join(folder, "versions/3/bin/python3")} "$@"`);
        assert.equal(pathOfPython(path()), `${join(folder, "versions/3/bin")}:${path()}`);
    });

    it("is the one that comes first, where that is none or fails", () => {
        program("shims", "exit 1");
        assert.equal(pathOfPython(path()), path());
        assert.equal(pathOfPython(join(folder, "none")), join(folder, "none"));
    });
});
