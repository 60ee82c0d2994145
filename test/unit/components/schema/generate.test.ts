import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import * as ts from "typescript";
import { generateSchema, readInterfaces } from "../../../../components/schema/generate";
import { inputsTable } from "../../../../components/schema/inputs-table";
import { outputsTable } from "../../../../components/schema/outputs-table";
import { projectRoot as root } from "../../../support/user-project";

const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const classes = {
    KubernetesCluster: "components/kubernetes-cluster/kubernetes-cluster.ts",
    Vim: "components/vim/vim.ts",
    Cnf: "components/cnf/cnf.ts",
};

/** The public fields of a class, with their docstrings. */
function outputsOf(name: string, file: string): { name: string; doc: string }[] {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true);
    const found = source.statements.filter(ts.isClassDeclaration).find(each => each.name?.text === name);
    const isPublic = (member: ts.PropertyDeclaration) =>
        !ts.isPrivateIdentifier(member.name) &&
        !(ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Static));
    return found!.members
        .filter(ts.isPropertyDeclaration)
        .filter(isPublic)
        .map(member => ({
            name: member.name.getText(),
            doc: ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc)?.comment) ?? "",
        }));
}

const renew = "run: npx tsx components/schema/write.ts";

describe("the published schema", () => {
    it("says what the interfaces say that TypeScript users write", () => {
        deepStrictEqual(JSON.parse(read("schema.json")), JSON.parse(JSON.stringify(generateSchema())), renew);
    });

    it("is what docs/inputs.md shows", () => {
        strictEqual(read("docs/inputs.md"), inputsTable(JSON.parse(read("schema.json"))), renew);
    });

    it("offers a StorageServer of its own no floating IPs of control-plane nodes, which its rules refuse", () => {
        const [of, own] = read("docs/inputs.md").split("\n## StorageServer\n");
        const rows = (text: string) => text.split("\n").filter(line => line.includes("access.floatingIps`"));
        strictEqual(rows(of!).filter(row => row.includes("`all`, `controlPlane`, `none`")).length, 1);
        const [row, ...others] = rows(own!);
        deepStrictEqual([row!.includes("`all` or `none`"), row!.includes("controlPlane"), others], [true, false, []]);
    });

    it("is what docs/outputs.md shows", () => {
        strictEqual(read("docs/outputs.md"), outputsTable(JSON.parse(read("schema.json"))), renew);
    });

    it("says of every output what it means, and which are secret", () => {
        const rows = [...read("docs/outputs.md").matchAll(/^\| `([^`]+)` \| (.*) \| ([^|]*) \|$/gm)];
        const names = rows.map(([, name]) => name);
        for (const name of ["kubeconfig", "bearerToken", "vimConnectionInfo", "scalable"])
            ok(names.includes(name), name);
        deepStrictEqual(
            rows.filter(([, , , meaning]) => meaning!.trim() === "").map(([, name]) => name),
            [],
        );
        const secret = rows.filter(([, , type]) => type!.includes("*secret*")).map(([, name]) => name);
        deepStrictEqual(secret, ["kubeconfig", "bearerToken", "kubeconfig", "vimConnectionInfo", "kubeconfig"]);
    });

    it("says of every plain input what it means", () => {
        const rows = [...read("docs/inputs.md").matchAll(/^\| `([^`]+)` \| (.*) \| ([^|]*)\| [^|]*\|$/gm)];
        ok(rows.length > 200);
        const silent = rows.filter(([, , , meaning]) => meaning!.trim() === "").map(([, input]) => input);
        deepStrictEqual(silent, []);
    });

    it("comes from interfaces of which each property says what it means, also where it is an object", () => {
        const silent = Object.entries(readInterfaces()).flatMap(([name, { properties }]) =>
            Object.entries(properties)
                .filter(([, { description }]) => !description)
                .map(([property]) => `${name}.${property}`),
        );
        deepStrictEqual(silent, []);
    });

    it("has the outputs that the classes have, each of which says what it is", () => {
        const { resources } = JSON.parse(read("schema.json"));
        for (const [name, file] of Object.entries(classes)) {
            const outputs = outputsOf(name, file);
            deepStrictEqual(
                outputs.filter(({ doc }) => doc === "").map(output => output.name),
                [],
                name,
            );
            const published = Object.keys(resources[`pulumi-nfv:index:${name}`].properties);
            deepStrictEqual(outputs.map(output => output.name).sort(), published.sort(), name);
        }
    });

    it("has no reference into the void", () => {
        const schema = JSON.parse(read("schema.json"));
        const references = [...read("schema.json").matchAll(/"\$ref": "#\/(types|resources)\/([^"]+)"/g)];
        ok(references.length > 20);
        for (const [, section, token] of references) ok(schema[section!][token!], `${section} ${token}`);
    });

    it("marks every input whose name says that it is a secret", () => {
        const names = /^(privateKey|passphrase|password|bearerToken|clientKey|clientSecret)$/;
        const secrets = Object.values(readInterfaces()).flatMap(({ properties }) =>
            Object.entries(properties).filter(([name]) => names.test(name)),
        );
        ok(secrets.length >= 6);
        for (const [name, property] of secrets) strictEqual(property.secret, true, name);
    });
});
