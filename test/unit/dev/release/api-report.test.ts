import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiReports } from "../../../../dev/release/api-report";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot } from "../../../support/user-project";

describe("the public surface", () => {
    it("is what dev/release/api says: npm run api notes a change that is meant, CHANGELOG.md announces it", function () {
        skipIf(this, notBuilt());
        const reports = apiReports(projectRoot);
        deepStrictEqual(Object.keys(reports), ["index", "provider", "pipeline", "testing"]);
        for (const [name, text] of Object.entries(reports)) {
            ok(text.length > 1000, name);
            strictEqual(text, readFileSync(join(projectRoot, "dev/release/api", `${name}.txt`), "utf8"), name);
        }
    });

    describe("of a package", () => {
        let root: string;
        beforeEach(() => {
            root = mkdtempSync(join(tmpdir(), "nfv-api-"));
            mkdirSync(join(root, "dist"));
            write(
                "package.json",
                JSON.stringify({ exports: { ".": { types: "./dist/index.d.ts" }, "./schema.json": "x" } }),
            );
            write(
                "dist/index.d.ts",
                'export { Pool, type Args as PoolArgs } from "./pool";\nexport { Output } from "@pulumi/pulumi";\n',
            );
            write("dist/pool.d.ts", pool);
        });
        afterEach(() => rmSync(root, { recursive: true, force: true }));

        const pool = `import type { Inner } from "./inner";
export interface Args { /** How many. */ count?: number; inner: Inner; }
export declare class Pool { private secret; readonly size: number; constructor(args: Args); }
export interface Unused { a: string; }
`;
        const write = (file: string, text: string) => writeFileSync(join(root, file), text);
        const report = () => apiReports(root)["index"]!;

        it("has what is exported, also by another name or from elsewhere, and what that is made of", () => {
            write("dist/inner.d.ts", 'export interface Inner { policy: "fail" | "evict"; }\n');
            const text = report();
            for (const part of [
                /class Pool \{\s+readonly size: number;/,
                /\/\/ as PoolArgs\nexport interface Args/,
                /count\?: number/,
                /"fail" \| "evict"/,
                /Output: of another package/,
            ])
                ok(part.test(text), text);
            for (const part of [/secret/, /Unused/, /How many/]) ok(!part.test(text), text);
        });

        it("changes with an option that goes, a value that a type no longer takes, and a class that another one names", () => {
            write("dist/inner.d.ts", 'export interface Inner { policy: "fail" | "evict"; }\n');
            const before = report();
            write("dist/pool.d.ts", pool.replace("count?: number; ", ""));
            ok(report() !== before);
            write(
                "dist/pool.d.ts",
                pool.replace("/** How many. */", "/** Number of nodes. */").replace("private secret;", ""),
            );
            strictEqual(report(), before);
            write("dist/inner.d.ts", 'export interface Inner { policy: "fail"; }\n');
            ok(report() !== before);
        });
    });
});
