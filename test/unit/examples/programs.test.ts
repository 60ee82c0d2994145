import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { readManifests, readObjects } from "../../../components/cnf/manifests";
import { cnfProblems } from "../../../components/cnf/plan";
import { skipIf } from "../../support/skip";
import { projectRoot as root } from "../../support/user-project";

const folder = path.join(root, "examples");
const programs = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name);

describe("the examples", () => {
    it("import the package by its name, and nothing else of this repository", () => {
        ok(programs.length >= 2);
        for (const program of programs) {
            const text = readFileSync(path.join(folder, program, "index.ts"), "utf8");
            const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, name]) => name!);
            deepStrictEqual(
                imports.filter(name => name !== "pulumi-nfv" && !name.startsWith("@pulumi/")),
                [],
                program,
            );
            ok(imports.includes("pulumi-nfv"), program);
        }
    });

    it("name their program's file, without which Pulumi would run the package around them", () => {
        for (const program of programs) {
            const project = readFileSync(path.join(folder, program, "Pulumi.yaml"), "utf8");
            ok(/^main: index\.ts$/m.test(project), program);
        }
        ok(/^main: examples\/[^/]+\/index\.ts$/m.test(readFileSync(path.join(root, "Pulumi.yaml"), "utf8")));
    });

    it("declare settings that Pulumi understands", () => {
        const known = ["type", "description", "default", "secret", "items"];
        for (const program of programs) {
            const { config = {} } = parse(readFileSync(path.join(folder, program, "Pulumi.yaml"), "utf8"));
            for (const [setting, declared] of Object.entries<Record<string, unknown>>(config)) {
                const unknown = Object.keys(declared).filter(key => !known.includes(key));
                deepStrictEqual(unknown, [], `${program}: ${setting}`);
            }
        }
    });

    it("have manifests that a Cnf accepts", () => {
        const withManifests = programs.filter(name => existsSync(path.join(folder, name, "manifests")));
        deepStrictEqual(withManifests.sort(), ["ha-cluster", "openstack-heat", "openstack-nova"]);
        for (const name of withManifests) {
            const found = readManifests([path.join(folder, name, "manifests")]);
            deepStrictEqual(cnfProblems(found, { namespace: "demo", replicas: { web: 2 } }), [], name);
            strictEqual(readObjects(found.map(({ object }) => object)).length, 3, name);
        }
    });

    it("are right in their types", function () {
        this.timeout(300_000);
        skipIf(
            this,
            !existsSync(path.join(root, "dist/components/index.d.ts")) && "the package is not built (npx tsc -p .)",
        );
        const tsc = path.join(root, "node_modules/typescript/bin/tsc");
        const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
        strictEqual(status, 0, stdout);
    });
});
