import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { commonConstants, declaredInputs, readScript, script } from "../../../../provider/shell/script-file";
import { checkInputs } from "../../../../provider/steps/protocol";
import type { StepBody } from "../../../../provider/steps/types";
import { projectRoot } from "../../../support/user-project";
import { stepLists } from "../steps/step-lists";

const provider = join(projectRoot, "provider");
const sources = readdirSync(provider, { recursive: true, encoding: "utf8" });
const paths = sources.filter(name => name.endsWith(".sh")).sort();
const textOf = (path: string) => readFileSync(join(provider, path), "utf8");

/** Variables of the shell, of our runner, and of the programs that scripts call. */
const known = new Set(["PATH", "SECRETS", "KUBECONFIG", "DEBIAN_FRONTEND", "SYSTEMCTL_SKIP_SYSV"]);

/** Values that no script reads any more, or not each: without them fingerprints would change, and all nodes run the step again. */
const onlyInFingerprint: Record<string, string[]> = {
    "host.kubernetes-packages": ["KEY_URL"],
};

const withoutComments = (text: string) => text.replace(/^\s*#.*$/gm, "");

/** Names in capitals whose values a text reads, and those that it assigns. */
function variablesOf(text: string): { used: string[]; assigned: Set<string> } {
    const code = withoutComments(text);
    const names = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, a, b]) => a ?? b!))].sort();
    return {
        // in arithmetic a name needs no sign
        used: names(/\$\{?([A-Z][A-Z0-9_]*)\b|\$\(\(.*?\b([A-Z][A-Z0-9_]{2,})\b/g).filter(name => !known.has(name)),
        assigned: new Set(names(/(?:^|[\s;{(])([A-Z][A-Z0-9_]*)=/gm)),
    };
}

describe("the script files of the provider", () => {
    for (const path of paths) {
        describe(path, () => {
            it("says its name and what it does", () => {
                assert.match(textOf(path), new RegExp(`^#!/bin/sh\n# ${basename(path)}: .{10}`));
            });

            it("declares the values that it uses, and no others", () => {
                const { inputs, constants, body } = readScript(path);
                const { used, assigned } = variablesOf(body);
                const declared = [...inputs, ...constants];
                assert.deepEqual(
                    declared.filter(name => !used.includes(name)),
                    [],
                    "declared, not used",
                );
                assert.deepEqual(
                    used.filter(name => !declared.includes(name) && !assigned.has(name)),
                    [],
                    "used, not declared",
                );
            });

            it("declares the secrets that it reads, and no others", () => {
                const { secrets, body } = readScript(path);
                const read = [...withoutComments(body).matchAll(/\$SECRETS\/([\w.-]+)/g)].map(([, name]) => name!);
                assert.deepEqual(secrets, [...new Set(read)].sort());
            });
        });
    }

    it("are sound shell, for dash and for bash", () => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-scripts-"));
        for (const path of paths) writeFileSync(join(folder, path.replaceAll("/", ".")), readScript(path).body);
        for (const shell of ["sh", "bash"]) {
            const each = `for file in *; do ${shell} -n "$file"; done`;
            const { stderr } = spawnSync("sh", ["-c", each], { cwd: folder, encoding: "utf8" });
            assert.equal(stderr, "", shell);
        }
        rmSync(folder, { recursive: true });
    });

    it("are all used", () => {
        const texts = sources.filter(name => /\.(ts|sh)$/.test(name)).map(textOf);
        const unused = paths.filter(
            path => !texts.some(text => text.includes(`"${path}"`) || text.includes(`\n. ${path}\n`)),
        );
        assert.deepEqual(unused, []);
    });

    it("get exactly the values and secrets that they declare, from the step that uses them", async () => {
        const wrong = (body: Pick<StepBody, "id" | "probe" | "refuse" | "run" | "env" | "secrets">) => {
            const texts = [body.probe, body.refuse, body.run].filter(text => text !== undefined);
            // lines of templates have no head
            const used = texts.flatMap(text => variablesOf(text).used);
            const given = Object.keys(body.env ?? {});
            const declared = declaredInputs(texts.join("\n"));
            const tolerated = onlyInFingerprint[body.id] ?? [];
            if (!texts.some(text => /^# \S+\.sh$/m.test(text))) return [];
            return [
                ...declared.filter(name => !given.includes(name)).map(name => `${body.id} does not give ${name}`),
                ...given
                    .filter(name => ![...declared, ...used, ...tolerated].includes(name))
                    .map(name => `${body.id} gives ${name}, which its script does not declare`),
                ...texts
                    .flatMap(text =>
                        [...text.matchAll(/^# secrets: (.*)$/gm)].flatMap(([, names]) => names!.split(" ")),
                    )
                    .filter(name => name !== "control-plane" && !(name in (body.secrets ?? {})))
                    .map(name => `${body.id} does not give the secret ${name}`),
            ];
        };
        const lists = Object.values(await stepLists());
        const found = lists.flatMap(({ specs, bodiesOf }) => specs.flatMap(bodiesOf));
        const bodies = found.flatMap(body => [body, ...(body.preparation ? [body.preparation] : [])]);
        assert.deepEqual([...new Set(bodies.flatMap(wrong))], []);
    });
});

describe("script", () => {
    let folder: string;
    /** Path of a new file, as callers of `script` write it: relative to provider/. */
    const file = (name: string, ...lines: string[]) => {
        writeFileSync(join(folder, name), [...lines, ""].join("\n"));
        return relative(provider, join(folder, name));
    };
    const run = (text: string, input = "") => spawnSync("sh", ["-euc", input + text], { encoding: "utf8" }).stdout;

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-script-"));
    });
    after(() => rmSync(folder, { recursive: true }));

    it("puts the name, the inputs and the constants before the text, without its head", () => {
        const path = file(
            "a.sh",
            "#!/bin/sh",
            "# a.sh: x",
            "# inputs: B (a word) A",
            "# constants: C",
            "",
            'echo "$A $B $C"',
        );
        assert.equal(script(path, { C: "it's" }), `# ${path}\n# inputs: A B\nC='it'\\''s'\necho "$A $B $C"\n`);
        assert.equal(run(script(path, { C: "it's" }), "A=1 B=2\n"), "1 2 it's\n");
        assert.deepEqual(declaredInputs(script(path, { C: 1 })), ["A", "B"]);
    });

    it("keeps comments of the text, but no directive of shellcheck", () => {
        const path = file("b.sh", "#!/bin/sh", "# b.sh: x", "", "# why", "# shellcheck disable=SC2086 # why", "true");
        assert.equal(readScript(path).body, "# why\ntrue\n");
    });

    it("puts files in place that the script includes, with all that these declare", () => {
        const inner = file(
            "inner.sh",
            "#!/bin/sh",
            "# inner.sh: x",
            "# inputs: A",
            "# constants: STATE_FOLDER",
            "",
            "f() { echo $A $STATE_FOLDER; }",
        );
        const outer = file(
            "outer.sh",
            "#!/bin/sh",
            "# outer.sh: x",
            "# inputs: B",
            "# secrets: key",
            "",
            "echo $B",
            `. ${inner}`,
            "f",
        );
        const { inputs, constants, secrets } = readScript(outer);
        assert.deepEqual(
            { inputs, constants, secrets },
            { inputs: ["A", "B"], constants: ["STATE_FOLDER"], secrets: ["key"] },
        );
        assert.equal(run(script(outer), "A=1 B=2\n"), `2\n1 ${commonConstants["STATE_FOLDER"]}\n`);
    });

    it("refuses a constant without value, one that is not declared, a missing file, and a file without first line", () => {
        const path = file("c.sh", "#!/bin/sh", "# c.sh: x", "# constants: C", "", "echo $C");
        assert.throws(() => script(path), /c\.sh: no value for its constants C/);
        assert.throws(() => script(path, { C: 1, D: 2 }), /c\.sh: its head does not declare the constants D/);
        assert.throws(() => script("node/no-such.sh"), /no-such\.sh/);
        assert.throws(() => script(file("d.sh", "true")), /d\.sh: its first line must be/);
    });

    it("lets no script be sent without a value for each input", () => {
        const path = file("e.sh", "#!/bin/sh", "# e.sh: x", "# inputs: A B", "", "echo $A $B");
        checkInputs(script(path), { A: "", B: "" });
        assert.throws(() => checkInputs(`true\n${script(path)}`, { A: "1" }), /no value for B/);
    });
});
