import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "../../support/user-project";

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");
interface Template {
    description: string;
    important: boolean;
    config: Record<string, { description: string; default: string }>;
}

/** The project that the first one makes: test/integration/package/template.test.ts. */
for (const name of readdirSync(join(projectRoot, "templates")))
    describe(`the template ${name} for pulumi new`, () => {
        const folder = `templates/${name}`;
        const { template } = parse(read(`${folder}/Pulumi.yaml`)) as { template: Template };

        it("asks for what its program reads, each with a description and a default, and for no secret", () => {
            const program = read(`${folder}/index.ts`);
            const words = [...program.matchAll(/config\.(?:get|require|requireNumber)\("(\w+)"\)/g)].map(
                ([, key]) => key!,
            );
            deepStrictEqual(words.sort(), Object.keys(template.config).sort());
            for (const [key, { description, default: value }] of Object.entries(template.config)) {
                ok(description, key);
                ok(value !== undefined, key);
            }
            match(template.description, /pulumi-nfv/);
            strictEqual(template.important, true);
        });

        it("names this version of the package, and the versions of the others that it was tested with", () => {
            const manifest = JSON.parse(read(`${folder}/package.json`));
            const { version, devDependencies, name } = JSON.parse(read("package.json"));
            const wanted = { ...devDependencies, [name]: version };
            const used = { ...manifest.dependencies, ...manifest.devDependencies };
            ok(Object.keys(used).length >= 6);
            for (const [each, given] of Object.entries(used)) strictEqual(given, wanted[each], each);
        });
    });
