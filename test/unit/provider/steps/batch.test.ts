import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
    BatchReader,
    type BatchStep,
    decodeBatch,
    encodeBatch,
    encodeStep,
    filesOf,
    formatBegin,
    formatStepEnd,
} from "../../../../provider/steps/batch";

const text = fc.string({ unit: "grapheme" }).filter(each => !each.includes("\0"));

describe("a step's script", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-step-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const run = (script: string) =>
        execFileSync("sh", ["-s"], {
            input: script,
            env: { ...process.env, SECRETS: join(folder, "secrets") },
            encoding: "utf8",
        });

    it("gives values, secrets and files to the node as they are, whatever they contain", () => {
        fc.assert(
            fc.property(text, text, text, (variable, secret, content) => {
                const files = [{ path: join(folder, "new/it's"), content, mode: 0o640 }];
                const script = encodeStep({
                    run: 'printf %s "$VALUE"',
                    env: { VALUE: variable },
                    secrets: { "a-b": secret },
                    files,
                });
                assert.equal(run(script), variable);
                assert.equal(readFileSync(join(folder, "secrets/a-b"), "utf8"), secret);
                assert.equal(readFileSync(files[0].path, "utf8"), content);
                assert.deepEqual(filesOf(script), [{ ...files[0], owner: "root:root" }]);
            }),
            { numRuns: 30 },
        );
        assert.equal(statSync(join(folder, "secrets/a-b")).mode & 0o777, 0o600);
    });

    for (const mode of [0o600, 0o644, 0o755, 0o440]) {
        it(`writes a file of mode ${mode.toString(8)}, over an old one and over what a killed run left`, () => {
            const path = join(folder, "f");
            writeFileSync(path, "old", { mode: 0o777 });
            symlinkSync("/nowhere", join(folder, ".nfv-f.new"));
            run(encodeStep({ files: [{ path, content: "new", mode }] }));
            assert.equal(readFileSync(path, "utf8"), "new");
            assert.equal(statSync(path).mode & 0o777, mode);
            assert.deepEqual(readdirSync(folder), ["f"]);
        });
    }

    it("makes folders and files for everybody in the run itself, and gives root's group to files in a shared folder", () => {
        const shared = join(folder, "shared");
        mkdirSync(shared);
        execFileSync("chown", ["root:daemon", shared]);
        execFileSync("chmod", ["g+s", shared]);
        run(encodeStep({ files: [{ path: join(shared, "f"), content: "" }], run: `: >${folder}/made` }));
        assert.equal(statSync(join(shared, "f")).gid, 0);
        assert.equal(statSync(join(folder, "made")).mode & 0o777, 0o644);
    });

    it("writes neither files nor secrets where it refuses", () => {
        const parts = { files: [{ path: join(folder, "f"), content: "" }], secrets: { a: "b" }, run: "echo ran" };
        assert.throws(() => run(encodeStep({ ...parts, refuse: "exit 54" })), { status: 54 });
        assert.deepEqual(readdirSync(folder), []);
        assert.equal(run(encodeStep({ ...parts, refuse: "true" })), "ran\n");
    });

    it("writes nothing and runs nothing where the probe says that it is so already", () => {
        const parts = { files: [{ path: join(folder, "f"), content: "" }], run: "echo ran" };
        assert.equal(run(encodeStep({ ...parts, probe: "echo quiet; true" })), "");
        assert.deepEqual(readdirSync(folder), []);
        assert.equal(
            run(encodeStep({ ...parts, probe: "false\ntrue" })),
            "ran\n",
            "a probe stops at its first failure",
        );
        assert.equal(run(encodeStep({ ...parts, probe: 'test -n "$UNSET_X"; exit 0' })), "ran\n");
    });

    it("refuses names and contents that cannot be", () => {
        assert.throws(() => encodeStep({ run: "", secrets: { "../x": "" } }), /cannot be the name/);
        assert.throws(() => encodeStep({ files: [{ path: "/x", content: "a\0" }] }), /NUL/);
    });
});

describe("a batch", () => {
    it("is read as it was written, and not at all without its end", () => {
        const step: fc.Arbitrary<BatchStep> = fc.record(
            {
                id: fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/),
                fingerprint: fc.stringMatching(/^[0-9a-f]{12}$/),
                timeoutSeconds: fc.nat(),
                script: text,
            },
            { noNullPrototype: true },
        );
        fc.assert(
            fc.property(fc.array(step, { minLength: 1 }), steps => {
                const written = encodeBatch(steps);
                assert.deepEqual(decodeBatch(written), steps);
                assert.equal(decodeBatch(written.slice(0, -3)), undefined);
            }),
        );
    });

    it("tells what each step printed, in whatever pieces it comes", () => {
        const output = `${formatBegin("a")}one\ntwo${formatStepEnd("a", "a1", 0, 0.25)}${formatBegin("b")}${formatStepEnd("b", "b1", 3, 1)}`;
        for (let size = 1; size < output.length; size++) {
            const heard: string[] = [];
            const reader = new BatchReader({
                begin: id => heard.push(`begin ${id}`, ""),
                output: (_, piece) => heard.push(heard.pop() + piece),
                end: ({ id, fingerprint, code, seconds }) => heard.push(`end ${id} ${fingerprint} ${code} ${seconds}`),
            });
            for (let at = 0; at < output.length; at += size) reader.add(output.slice(at, at + size));
            assert.deepEqual(heard, ["begin a", "one\ntwo", "end a a1 0 0.25", "begin b", "", "end b b1 3 1"]);
        }
    });
});
