import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { generateSchema, readInterfaces } from "../../../../components/schema/generate";
import { inputsTable } from "../../../../components/schema/inputs-table";
import { projectRoot as root } from "../../../support/user-project";

const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const renew = "run: npx tsx components/schema/write.ts";

describe("the published schema", () => {
    it("says what the interfaces say that TypeScript users write", () => {
        deepStrictEqual(JSON.parse(read("schema.json")), JSON.parse(JSON.stringify(generateSchema())), renew);
    });

    it("is what docs/inputs.md shows", () => {
        strictEqual(read("docs/inputs.md"), inputsTable(JSON.parse(read("schema.json"))), renew);
    });

    it("says of every plain input what it means", () => {
        const rows = [...read("docs/inputs.md").matchAll(/^\| `([^`]+)` \| (.*) \| ([^|]*)\|$/gm)];
        ok(rows.length > 200);
        const silent = rows.filter(([, , , meaning]) => meaning!.trim() === "").map(([, input]) => input);
        deepStrictEqual(silent, []);
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
