import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { mostBytes, partsOf } from "../../../../components/cluster-api/manifest-parts";

const documentOf = (name: string, bytes: number) => `---\nkind: ${name}\n# ${"x".repeat(bytes)}\n`;

describe("manifests for a ConfigMap", () => {
    it("that fit are left as they are", () => {
        const text = "kind: A\n---\nkind: B\n";
        deepStrictEqual(partsOf("add-on-1", text), { "add-on-1": text });
    });

    it("that do not fit are divided between documents, in their order; each part fits", () => {
        const text = ["A", "B", "C"].map(name => documentOf(name, 600_000)).join("");
        const parts = partsOf("add-on-1", text);
        deepStrictEqual(Object.keys(parts), ["add-on-1", "add-on-1-2", "add-on-1-3"]);
        strictEqual(Object.values(parts).join(""), text);
        ok(Object.values(parts).every(part => Buffer.byteLength(part) <= mostBytes));
    });

    it("share parts where they fit", () => {
        const text = [900_000, 50_000, 900_000].map((bytes, i) => documentOf(`K${i}`, bytes)).join("");
        deepStrictEqual(Object.keys(partsOf("network", text)), ["network", "network-2"]);
    });

    it("are counted in bytes, not in letters", () => {
        const text = documentOf("A", 10).replaceAll("x", "ä".repeat(40_000)) + documentOf("B", 400_000);
        strictEqual(Object.keys(partsOf("network", text)).length, 2);
    });

    it("with an object that does not fit are refused, with its place", () => {
        const text = documentOf("A", 10) + documentOf("B", mostBytes);
        throws(() => partsOf("add-on-2", text), /add-on-2: its document 2 has \d+ bytes.*apply it with a Cnf/);
    });
});
