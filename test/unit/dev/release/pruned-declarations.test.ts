import { deepStrictEqual, doesNotMatch, match } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prunedDeclarations } from "../../../../dev/release/pruned-declarations";

const sources = {
    "index.d.ts": `import type { Args, Unused } from "./args";\nimport * as all from "./whole";\nexport { make, make as build } from "./make";\nexport declare function take(args: Args, from: all.One): void;\n`,
    "args.d.ts": `/** What it takes. */\nexport interface Args {\n    inner: Inner;\n}\n/** Within. */\ninterface Inner {\n    n: number;\n}\nexport interface Unused {\n    x: 1;\n}\n`,
    "make.d.ts": `import type { Deep } from "./folder";\nexport declare const make: () => Deep;\nexport declare const hidden: number;\n`,
    "folder/index.d.ts": `export * from "./deep";\nexport * from "./unreached";\n`,
    "folder/deep.d.ts": `export type Deep = import("../late").Late;\nexport type Other = string;\n`,
    "folder/unreached.d.ts": "export declare function unreached(): void;\n",
    "late.d.ts": "export interface Late {\n    l: string;\n}\n",
    "whole.d.ts": "export interface One {\n    o: 1;\n}\n",
    "alone.d.ts": "export declare function alone(): void;\n",
};

describe("the declarations of the package", () => {
    let folder: string;
    let files: Map<string, string>;
    let values: Map<string, string[]>;
    const text = (name: string) => files.get(join(folder, name)) ?? "";

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-declarations-"));
        mkdirSync(join(folder, "folder"));
        for (const [name, content] of Object.entries(sources)) writeFileSync(join(folder, name), content);
        ({ files, values } = prunedDeclarations([join(folder, "index.d.ts")]));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it("have what exported types are made of, with comments, also through barrels, namespaces and imports within types", () => {
        match(
            text("args.d.ts"),
            /\/\*\* What it takes\. \*\/\nexport interface Args[\s\S]*\/\*\* Within\. \*\/\ninterface Inner/,
        );
        match(text("folder/deep.d.ts"), /^export type Deep = /);
        match(text("late.d.ts"), /interface Late/);
        match(text("whole.d.ts"), /interface One/);
    });

    it("have nothing else: no other declaration, no import of one, no file without any", () => {
        doesNotMatch([...files.values()].join(""), /Unused|hidden|Other|unreached|alone/);
        match(text("index.d.ts"), /^import type \{ Args \} from ".\/args";\nimport \* as all/);
        deepStrictEqual(
            [...files.keys()].map(file => file.slice(folder.length + 1)).sort(),
            ["args", "folder/deep", "folder/index", "index", "late", "make", "whole"].map(name => `${name}.d.ts`),
        );
    });

    it("name the values of an entry, which are what code can import", () => {
        deepStrictEqual([...values.values()], [["build", "make", "take"]]);
    });
});
