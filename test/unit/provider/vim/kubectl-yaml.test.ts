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

    it("shows no line of a text that has a Secret", () => {
        const wrong = 'data:\n  a: 1\n  password: "hunter2\n';
        assert.throws(() => kubectlDocuments(`kind: ConfigMap\n${wrong}`), /hunter2/);
        for (const kind of ["kind: Secret\n", "kind: ConfigMap\n---\n'kind':  \"Secret\"\n"])
            assert.throws(
                () => objectsInYaml("a.yaml", `${kind}${wrong}`),
                ({ message }: Error) =>
                    /^a\.yaml: cannot be read as YAML, at line \d+;/.test(message) && !/hunter2/.test(message),
            );
    });

    it("refuses aliases of aliases that would fill the memory", () => {
        const nine = (name: string) => `[${Array(9).fill(name).join(", ")}]`;
        const lines = ["a: &a x", ...[..."bcdefgh"].map((name, i) => `${name}: &${name} ${nine(`*${"abcdefg"[i]}`)}`)];
        assert.throws(() => kubectlDocuments(`${lines.join("\n")}\n`), /more than 500000 values/);
    });
});
