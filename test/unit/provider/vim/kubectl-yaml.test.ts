import assert from "node:assert/strict";
import { kubectlDocuments } from "../../../../provider/vim/kubectl-yaml";
import { objectsInYaml } from "../../../../provider/vim/manifests";
import { yamlSamples } from "./yaml-samples";

const read = (text: string) => (kubectlDocuments(`x: ${text}\n`)[0] as { x: unknown }).x;

describe("users' YAML is read as kubectl reads it", () => {
    for (const [text, value] of yamlSamples)
        it(`${text || "nothing"}: ${value === undefined ? "refused" : JSON.stringify(value)}`, () => {
            if (value === undefined) assert.throws(() => read(text));
            else assert.deepEqual(read(text), value);
        });

    it("refuses a key that stands twice", () => assert.throws(() => read("{a: 1, a: 2}"), /unique/));

    it("says of a template without quotes that nothing has rendered it", () => {
        for (const text of ["kind: {{ .Values.kind }}\n", "{{- if .Values.on }}\nkind: Pod\n{{- end }}\n"])
            assert.throws(
                () => objectsInYaml("a.yaml", text),
                /^Error: a\.yaml: \{.*\} is a template that nothing has rendered; a Helm chart/,
            );
    });

    it("says where a text is wrong, without a line of it: it may be secret", () => {
        const wrong = 'data:\n  a: 1\n  password: "hunter2\n';
        const said = (text: string) => {
            try {
                objectsInYaml("a.yaml", text);
            } catch (error) {
                return (error as Error).message;
            }
            return "";
        };
        assert.equal(said(`kind: ConfigMap\n${wrong}`), 'a.yaml: Missing closing "quote at line 5, column 1');
        // of this one the parser's own words quote a part
        assert.match(said('a: "x" hunter2\n'), /^a\.yaml: .* at line 1, column 8$/);
        for (const kind of [
            "kind: Secret\n",
            "kind: ConfigMap\n---\n'kind':  \"Secret\"\n",
            '{"a": 1, "kind":"Secret"}\n---\n',
        ])
            assert.match(said(`${kind}${wrong}`), /^a\.yaml: cannot be read as YAML, at line \d+, column 1$/);
    });

    it("refuses aliases of aliases that would fill the memory", () => {
        const nine = (name: string) => `[${Array(9).fill(name).join(", ")}]`;
        const lines = ["a: &a x", ...[..."bcdefgh"].map((name, i) => `${name}: &${name} ${nine(`*${"abcdefg"[i]}`)}`)];
        assert.throws(() => kubectlDocuments(`${lines.join("\n")}\n`), /more than 500000 values/);
    });
});
