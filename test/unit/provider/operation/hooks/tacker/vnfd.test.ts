import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NfvError } from "../../../../../../provider/common/errors";
import { readTackerPackage } from "../../../../../../provider/operation/hooks/tacker/vnfd";
import { Folders, vnfd } from "./fixtures";

describe("the scripts of a VNF package", () => {
    const folders = new Folders();
    afterEach(() => folders.remove());

    const script = { "Scripts/hook.py": "" };
    const refusal = (files: Record<string, string>, flavour?: string) => refused(folders.package(files), flavour);
    const refused = (folder: string, flavour?: string): string => {
        try {
            readTackerPackage(folder, flavour);
        } catch (error) {
            assert.ok(error instanceof NfvError);
            assert.equal(error.code, "INVALID_INPUT");
            return error.message;
        }
        throw new Error("not refused");
    };

    it("are found by the events that its descriptor names", () => {
        const definition = vnfd(["instantiate_end", "change_current_package_rollback_start"]);
        const read = readTackerPackage(folders.package({ ...script, "Definitions/vnfd.yaml": definition }));
        assert.deepEqual(read.scripts, {
            instantiate_end: "Scripts/hook.py",
            change_current_package_rollback_start: "Scripts/hook.py",
        });
        assert.equal(read.flavourId, "simple");
        const { vnfdId, provider, softwareVersion } = read.descriptor;
        assert.deepEqual([vnfdId, provider, softwareVersion], ["vnfd-1", "Us", "1.0"]);
    });

    it("are found beside definitions that only Python's reader takes, as Tacker's own types are", () => {
        const types = "data_types:\n  load:\n    - valid_values: [ cpu,\nmemory ]\n";
        const read = readTackerPackage(
            folders.package({
                ...script,
                "Definitions/a_types.yaml": types,
                "Definitions/vnfd.yaml": vnfd(["heal_end"]),
            }),
        );
        assert.deepEqual(Object.keys(read.scripts), ["heal_end"]);
    });

    it("may be none", () => {
        assert.deepEqual(readTackerPackage(folders.package({ "Definitions/vnfd.yaml": vnfd([]) })).scripts, {});
    });

    it("depend on the flavour, which must be given if there are several", () => {
        const files = {
            ...script,
            "Definitions/other.yaml": vnfd(["scale_start"], { flavour: "complex" }),
        };
        const { scripts } = readTackerPackage(folders.package(files), "complex");
        assert.deepEqual(Object.keys(scripts), ["scale_start"]);
        assert.match(refusal(files), /several flavours\n.*one of: complex, simple/);
        assert.match(refusal(files, "tiny"), /no flavour tiny/);
    });

    it("cannot be read without folder, meta file, entry or definitions: the error names the file", () => {
        assert.match(refused("/nowhere/at/all"), /\/nowhere\/at\/all: there is no such folder/);
        const empty = folders.empty();
        assert.match(refused(empty), /the package has no file TOSCA-Metadata\/TOSCA\.meta\n.*unpacked VNF package, in/);
        writeFileSync(join(empty, "a"), "");
        assert.match(refused(join(empty, "a")), /it is not a folder/);
        assert.match(refusal({ "TOSCA-Metadata/TOSCA.meta": "\0garbage" }), /TOSCA\.meta: it has no line Entry-Def/);
        assert.match(refusal({ "TOSCA-Metadata/TOSCA.meta": "Entry-Definitions: no.yaml" }), /has no file no\.yaml/);
        assert.match(refusal({ ...script, "Definitions/bad.yaml": "a: [1" }), /Definitions\/bad\.yaml: /);
        assert.match(refusal({ ...script, "Definitions/list.yaml": "- 1" }), /list\.yaml: it contains no mapping/);
        assert.match(refusal({ "Definitions/vnfd.yaml": "a: 1" }), /no file defines a deployment flavour/);
    });

    it("must be Python scripts that the package has", () => {
        assert.match(refusal({}), /Vnflcm\.scale_end: the package has no file Scripts\/hook\.py/);
        const definition = vnfd(["scale_end"]);
        const other = { ...script, "Definitions/vnfd.yaml": definition.replace("Python", "Bash") };
        assert.match(refusal(other), /of type tosca\.artifacts\.Implementation\.Bash/);
        const unnamed = { ...script, "Definitions/vnfd.yaml": definition.replace("our-script: {", "else: {") };
        assert.match(refusal(unnamed), /no artifact our-script with a file/);
    });

    for (const file of ["../../hook.py", "/etc/passwd", "../Scripts/../../x.py"]) {
        it(`must not leave the package: ${file}`, () => {
            const files = { ...script, "Definitions/vnfd.yaml": vnfd(["scale_end"], { file }) };
            assert.match(refusal(files), /leaves the package\n.*relative to its folder Definitions/);
        });
    }

    it("must not leave it by a symbolic link, neither do definitions", () => {
        const folder = folders.package({});
        mkdirSync(join(folder, "Scripts"));
        symlinkSync("/etc/passwd", join(folder, "Scripts/hook.py"));
        assert.match(refused(folder), /Scripts\/hook\.py is a symbolic link out of the package/);
        const other = folders.package(script);
        symlinkSync("/etc/hosts", join(other, "Definitions/hosts.yaml"));
        assert.match(refused(other), /hosts\.yaml is a symbolic link out of the package/);
    });
});
