import { deepStrictEqual, match, notStrictEqual, strictEqual, throws } from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookArgs } from "../../../../components";
import { hookList } from "../../../../components/common/hook-list";

describe("the hooks as the provider gets them", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-nfv-test-"));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const path = (file: string) => join(folder, file);
    const put = (file: string, text: string) => {
        mkdirSync(dirname(path(file)), { recursive: true });
        writeFileSync(path(file), text);
    };
    const one = (hook: HookArgs) => hookList([hook])[0]!;

    it("have a kind, their files as the program gives them, and the defaults", () => {
        put("hook.sh", "x");
        const { hash, ...rest } = one({ name: "say", script: path("hook.sh"), events: ["scaleEnd"] });
        const expected = { name: "say", kind: "script", files: [path("hook.sh")], timeoutSeconds: 600, retries: 0 };
        deepStrictEqual(rest, { ...expected, events: ["scaleEnd"] });
        match(hash, /^[0-9a-f]{12}$/);
    });

    it("have what the program says, in its order", () => {
        for (const file of ["a.yaml", "b.yaml", "d.ts"]) put(file, file);
        const list = hookList([
            {
                name: "b",
                manifests: [path("b.yaml"), path("a.yaml")],
                action: "delete",
                events: ["healEnd"],
                retries: 2,
            },
            { name: "a", module: path("d.ts"), parameters: { x: 1 }, timeoutSeconds: 5 },
        ]);
        deepStrictEqual(
            list.map(({ hash: _, ...rest }) => rest),
            [
                {
                    ...{ name: "b", kind: "manifests", files: [path("b.yaml"), path("a.yaml")] },
                    ...{ timeoutSeconds: 600, retries: 2, events: ["healEnd"], action: "delete" },
                },
                {
                    name: "a",
                    kind: "module",
                    files: [path("d.ts")],
                    timeoutSeconds: 5,
                    retries: 0,
                    parameters: { x: 1 },
                },
            ],
        );
    });

    it("of a package have its folder as a file, and the other settings apart", () => {
        put("package/vnfd.yaml", "x");
        const { tacker, files } = one({ name: "m", tacker: { package: path("package"), python: "python3.12" } });
        deepStrictEqual([tacker, files], [{ python: "python3.12" }, [path("package")]]);
        strictEqual("tacker" in one({ name: "m", tacker: { package: path("package") } }), false);
    });

    describe("their hash", () => {
        const script = () => one({ name: "say", script: path("hook.sh"), events: [] }).hash;
        const pack = () => one({ name: "m", tacker: { package: path("package") } }).hash;
        const manifests = (...files: string[]) => one({ name: "m", manifests: files.map(path), events: [] }).hash;

        it("is another one for another content, and the same for the same", () => {
            put("hook.sh", "one");
            const before = script();
            strictEqual(script(), before);
            put("hook.sh", "two");
            notStrictEqual(script(), before);
            put("hook.sh", "one");
            strictEqual(script(), before);
        });

        it("depends on where one file ends and the next begins, and on their order", () => {
            put("a", "12");
            put("b", "3");
            const before = manifests("a", "b");
            notStrictEqual(manifests("b", "a"), before);
            put("a", "1");
            put("b", "23");
            notStrictEqual(manifests("a", "b"), before);
        });

        it("of a folder depends on contents and names, in folders, too, and not on where it is", () => {
            put("package/Scripts/hook.py", "x");
            put("package/vnfd.yaml", "y");
            const before = pack();
            put("package/Scripts/hook.py", "z");
            notStrictEqual(pack(), before);
            put("package/Scripts/hook.py", "x");
            strictEqual(pack(), before);
            renameSync(path("package/Scripts/hook.py"), path("package/Scripts/other.py"));
            notStrictEqual(pack(), before);
            renameSync(path("package/Scripts/other.py"), path("package/hook.py"));
            notStrictEqual(pack(), before);
            put("package/Scripts/hook.py", "x");
            rmSync(path("package/hook.py"));
            renameSync(path("package"), path("moved"));
            strictEqual(one({ name: "m", tacker: { package: path("moved") } }).hash, before);
        });

        it("does not change with what Python leaves beside a script", () => {
            put("package/hook.py", "x");
            const before = pack();
            put("package/__pycache__/hook.cpython-311.pyc", "compiled");
            strictEqual(pack(), before);
        });

        it("follows the link that the program names, but none in a folder: it may lead to itself", () => {
            put("real.sh", "one");
            symlinkSync(path("real.sh"), path("hook.sh"));
            const before = script();
            put("real.sh", "two");
            notStrictEqual(script(), before);
            put("package/vnfd.yaml", "y");
            const ofPackage = pack();
            symlinkSync(path("package"), path("package/itself"));
            symlinkSync("/nowhere", path("package/broken"));
            strictEqual(pack(), ofPackage);
        });

        it("of a package depends on the one that it changes to", () => {
            put("package/vnfd.yaml", "y");
            put("next/vnfd.yaml", "z");
            const hash = () => one({ name: "m", tacker: { package: path("package"), newPackage: path("next") } }).hash;
            const before = hash();
            notStrictEqual(before, pack());
            put("next/vnfd.yaml", "zz");
            notStrictEqual(hash(), before);
        });
    });

    it("cannot be made of files that are gone", () => {
        throws(() => one({ name: "say", script: path("gone"), events: [] }), /gone: there is no such file/);
    });
});
