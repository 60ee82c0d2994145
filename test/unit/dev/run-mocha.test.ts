import { strict as assert } from "node:assert";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Level } from "../../../dev/levels";
import { inColumn } from "../../../dev/progress";
import { compiledTests, runMocha } from "../../../dev/run-mocha";
import { skipIf } from "../../support/skip";
import { notBuilt, projectRoot } from "../../support/user-project";
import { scratch } from "../tools/scratch";

/** Compiled tests by name. Each of the first has a mistake that mocha by itself takes for a passed test, or for none. */
const wrong: Record<string, string> = {
    "an assertion in a promise that nobody awaits": `
        const { strictEqual } = require("node:assert");
        it("one", () => void Promise.resolve().then(() => strictEqual(1, 2)));
        it("two", done => void setTimeout(done, 200));`,
    "a test that runs alone": `it.only("one", () => {}); it("two", () => { throw new Error("hidden"); });`,
};

describe("a level's test files", () => {
    const { folder } = scratch();
    const checkout = { passed: {}, changedSince: () => [], helpersOf: () => [], turn: 0 };

    function write(name: string, text: string): void {
        for (const [place, content] of [
            [join("test", "x", `${name}.test.ts`), ""],
            [join("dist", "test", "x", `${name}.test.js`), `describe("suite", () => {${text}});`],
        ] as const) {
            mkdirSync(join(folder(), place, ".."), { recursive: true });
            writeFileSync(join(folder(), place), content);
        }
    }

    async function summaryOf(text: string, sideBySide: boolean) {
        write("only", text);
        symlinkSync(join(projectRoot, "node_modules"), join(folder(), "node_modules"));
        symlinkSync(join(projectRoot, "dist/dev"), join(folder(), "dist/dev"));
        const places: Partial<Level> = sideBySide ? { sideBySide: ["x"] } : { folders: ["x"] };
        const level = { name: "x", title: "x", budgetMinutes: 1, ...places };
        // Its failures must not look like those of the run that it is part of.
        return inColumn("mocha in a test", () => runMocha(level, { full: true, named: [], checkout, root: folder() }));
    }

    for (const sideBySide of [false, true])
        for (const [what, text] of Object.entries(wrong))
            it(`fail with ${what}, ${sideBySide ? "side by side" : "one after another"}`, async function () {
                skipIf(this, notBuilt());
                const { failed, passedFiles } = await summaryOf(text, sideBySide);
                assert.ok(failed > 0);
                assert.deepEqual(passedFiles, []);
            });

    it("fail where their process ends with an error after the last one", async function () {
        skipIf(this, notBuilt());
        const late = `it("one", () => {}); process.on("exit", () => { process.exitCode = 3; });`;
        const { failed, failures } = await summaryOf(late, false);
        assert.deepEqual([failed, failures], [1, ["no test failed, but their process ended with 3"]]);
    });

    it("pass with none of these mistakes", async function () {
        skipIf(this, notBuilt());
        const { passed, failed, passedFiles } = await summaryOf(`it("one", () => {});`, false);
        assert.deepEqual([passed, failed, passedFiles], [1, 0, ["x/only.test.js"]]);
    });

    it("are not left out where the compiler wrote nothing for one of them", () => {
        write("a", "");
        writeFileSync(join(folder(), "test/x/b.test.ts"), "");
        assert.throws(() => compiledTests(folder(), "x"), /^Error: not compiled: test\/x\/b\.test\.js/);
    });
});
