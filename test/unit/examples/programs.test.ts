import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as ts from "typescript";
import { parse } from "yaml";
import * as nfv from "../../../components";
import { readManifests, readObjects } from "../../../components/cnf/manifests";
import { cnfProblems } from "../../../components/cnf/plan";
import { unpack } from "../../../provider/contract/packed";
import type { HookSpec } from "../../../provider/operation/hooks/hook-spec";
import { kinds } from "../../../provider/operation/hooks/kinds";
import { skipIf } from "../../support/skip";
import { projectRoot as root } from "../../support/user-project";
import { record, registered } from "../components/recorder";
import { clusterArgs, sampleKey } from "../components/sample-args";

const folder = path.join(root, "examples");
const programs = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && entry.name !== "pipelines")
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
        deepStrictEqual(withManifests.sort(), ["cluster-api", "ha-cluster", "openstack-heat", "openstack-nova"]);
        for (const name of withManifests) {
            const found = readManifests([path.join(folder, name, "manifests")]);
            deepStrictEqual(cnfProblems(found, { namespace: "demo", replicas: { web: 2 } }), [], name);
            strictEqual(readObjects(found.map(({ object }) => object)).length, 3, name);
        }
    });

    it("have hooks that can be used as they are", async () => {
        const place = path.join(folder, "hooks");
        const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
        const { outputText } = ts.transpileModule(readFileSync(path.join(place, "index.ts"), "utf8"), {
            compilerOptions: options,
        });
        const module = { exports: {} };
        const startedIn = process.cwd();
        pulumi.runtime.setConfig("nfv:hosts", JSON.stringify(clusterArgs(1, { workers: 1 }).infrastructure.hosts));
        pulumi.runtime.setConfig("nfv:privateKey", sampleKey);
        try {
            process.chdir(place);
            const load = (name: string) => (name === "pulumi-nfv" ? nfv : require(name));
            const run = () => new Function("require", "module", "exports", outputText)(load, module, module.exports);
            const { resources } = await record("up", run);
            const { hooks } = unpack(registered(resources, "OperationStart core").inputs, ["hooks"]) as {
                hooks: { list: HookSpec[] };
            };
            const events = await Promise.all(hooks.list.map(hook => kinds[hook.kind].eventsOf(hook, place)));
            deepStrictEqual(
                hooks.list.map(({ name }, i) => `${name} ${events[i]!.length}`),
                ["inventory 6", "announce 6", "certificate-report 5", "priorities 1"],
            );
            const { inputs, after } = registered(resources, "Command check");
            strictEqual((inputs["triggers"] as unknown[]).length, 1);
            ok(after.includes("OperationEnd core"), after.join(", "));
        } finally {
            process.chdir(startedIn);
        }
    });

    it("are right in their types", function () {
        skipIf(
            this,
            !existsSync(path.join(root, "dist/components/index.d.ts")) && "the package is not built (npx tsc -p .)",
        );
        const tsc = path.join(root, "node_modules/typescript/bin/tsc");
        const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--exactOptionalPropertyTypes"], {
            encoding: "utf8",
        });
        strictEqual(status, 0, stdout);
    });
});
