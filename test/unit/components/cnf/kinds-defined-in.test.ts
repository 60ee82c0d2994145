import { deepStrictEqual } from "node:assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { componentsIn, kindsDefinedIn } from "../../../../components/cnf/kinds-defined-in";

describe("the kinds that a provider's components define", () => {
    const folder = mkdtempSync(join(tmpdir(), "nfv-kinds-"));
    after(() => rmSync(folder, { recursive: true }));
    const namespace = stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "capi-system" } });
    const definition = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        spec: { group: "example.com", names: { kind: "Foo" } },
    };
    const kinds = (...documents: string[]) => {
        const file = join(folder, "components.yaml");
        writeFileSync(file, documents.join("\n---\n"));
        return kindsDefinedIn(componentsIn(file));
    };

    it("are those of a bundle's definitions", () => {
        deepStrictEqual(kinds(namespace, JSON.stringify(definition)), ["Foo.example.com"]);
    });

    it("may be any in a release's YAML", () => {
        deepStrictEqual(kinds(namespace, stringify(definition)), ["*"]);
    });

    it("are none without definitions", () => {
        deepStrictEqual(kinds(namespace), []);
    });
});
