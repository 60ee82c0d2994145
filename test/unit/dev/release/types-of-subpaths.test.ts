import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { projectRoot } from "../../../../dev/levels";

const { exports: subpaths } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

/** A project without tsconfig.json has `node10`: Pulumi's own default, and TypeScript's for CommonJS. It does not read `exports`. */
describe("the types of the package", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-types-"));
        mkdirSync(join(folder, "node_modules"));
        symlinkSync(projectRoot, join(folder, "node_modules/pulumi-nfv"));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const path of Object.keys(subpaths).filter(each => !each.endsWith(".json")))
        for (const moduleResolution of [ts.ModuleResolutionKind.Node10, ts.ModuleResolutionKind.Node16])
            it(`of ${path} are found with ${ts.ModuleResolutionKind[moduleResolution]}`, () => {
                const name = join("pulumi-nfv", path);
                const { resolvedModule } = ts.resolveModuleName(
                    name,
                    join(folder, "a.ts"),
                    { moduleResolution },
                    ts.sys,
                );
                const wanted = join(projectRoot, subpaths[path].types);
                assert.ok(existsSync(wanted));
                assert.equal(resolvedModule?.resolvedFileName, wanted);
            });
});
