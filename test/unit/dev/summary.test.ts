import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { projectRoot } from "../../../dev/levels";
import {
    type LevelResult,
    leftOutLines,
    listOfStories,
    nothingRan,
    slowestFiles,
    storiesThatPassed,
    timesOf,
    totalOf,
} from "../../../dev/summary";
import { scratch } from "../tools/scratch";

const result = (passedFiles: string[]): LevelResult => ({
    ...{ name: "e2e", seconds: 700, budgetSeconds: 600 },
    summary: { ...nothingRan(), passed: passedFiles.length, passedFiles },
});

describe("the closing lines of npm test", () => {
    it("name a level that takes longer than its budget, and the whole run", () => {
        const lines = timesOf([result([])], { seconds: 1900, setUpSeconds: 3, full: false });
        assert.deepEqual(lines, [
            "  e2e            700 s of 600 s, over budget",
            "  all           1900 s of 1800 s, over budget",
            "  set-up beside the levels: 3 s (warm)",
        ]);
    });

    it("give a machine that had to build its tools more time, and `full` none", () => {
        const cold = timesOf([], { seconds: 1900, setUpSeconds: 900, full: false });
        assert.deepEqual(cold, ["  all           1900 s of 3600 s", "  set-up beside the levels: 900 s (cold)"]);
        assert.deepEqual(timesOf([], { seconds: 1900, setUpSeconds: 3, full: true })[0], "  all           1900 s");
    });

    it("list the stories of some files only, in the order of the table, or all", () => {
        const files = ["e2e/heal.full.test.js", "unit/lab/names.test.js", "unit/provider/steps/plan.test.js"];
        assert.deepEqual(listOfStories({ "e2e/heal": "0123abcd" }, files).split("\n"), [
            "unit/lab  no run noted",
            "e2e/heal  0123abcd",
        ]);
        assert.match(listOfStories({}), /^unit\/bench .*\nunit\/dev /);
    });

    it("add all up, and say why nothing ran", () => {
        assert.equal(totalOf({ ...nothingRan(), passed: 2, skipped: 1 }, "x"), "2 passed, 0 failed, 1 skipped");
        assert.match(totalOf(nothingRan(), "tokns"), /^0 passed.*: no test's title matches --grep tokns$/);
    });

    it("name the files that took longest, of all levels", () => {
        const took = (fileSeconds: [string, number][]) => ({
            ...result([]),
            summary: { ...nothingRan(), fileSeconds },
        });
        const results = [
            took([["unit/a.test.js", 1.4]]),
            took([
                ["e2e/b.test.js", 90],
                ["e2e/c.test.js", 0.1],
            ]),
        ];
        assert.deepEqual(slowestFiles(results, 2), ["     90 s  e2e/b.test.js", "      1 s  unit/a.test.js"]);
    });

    it("list what did not run by reason", () => {
        const leftOut = new Map([
            ["e2e/heal", "long"],
            ["unit/lab", "unchanged"],
            ["e2e/scale", "long"],
        ]);
        assert.deepEqual(leftOutLines(leftOut), ["  long: e2e/heal, e2e/scale", "  unchanged: unit/lab"]);
    });
});

describe("a story is noted as passed", () => {
    const filesOf = (story: string) =>
        story === "unit/lab"
            ? ["unit/lab/a.test.js", "unit/lab/b.test.js"]
            : story === "e2e/heal"
              ? ["e2e/heal.full.test.js"]
              : [];

    it("if all of its files passed", () => {
        const both = [result(["unit/lab/a.test.js"]), result(["unit/lab/b.test.js"])];
        assert.deepEqual(storiesThatPassed(both, filesOf), ["unit/lab"]);
        assert.deepEqual(storiesThatPassed([result(["unit/lab/a.test.js", "e2e/heal.full.test.js"])], filesOf), [
            "e2e/heal",
        ]);
    });

    it("only if none of its files failed in another level that ran it, too", () => {
        const failed = { ...result([]), summary: { ...nothingRan(), notPassedFiles: ["e2e/heal.full.test.js"] } };
        assert.deepEqual(storiesThatPassed([failed, result(["e2e/heal.full.test.js"])], filesOf), []);
    });
});

describe("a test file has passed", () => {
    const { folder } = scratch();
    const sources: Record<string, string> = {
        good: 'describe("good", () => { it("one", () => {}); });',
        skipping: 'describe("skipping", () => { it("one", () => {}); it("two", function () { this.skip(); }); });',
        hook: 'describe("hook", () => { it("one", () => {}); after(() => { throw new Error("wrong"); }); });',
        outside: 'describe("outside", () => { it("one", () => {}); }); after(() => { throw new Error("wrong"); });',
    };

    function passedOf(...names: string[]): string[] {
        const files = names.map(name => join(folder(), `${name}.test.js`));
        files.forEach((file, i) => {
            writeFileSync(file, sources[names[i]!]!);
        });
        const reporter = ["--require", require.resolve("tsx/cjs"), "--reporter", join(projectRoot, "dev/reporter.ts")];
        const mocha = [join(projectRoot, "node_modules/mocha/bin/mocha.js"), "--no-config", ...reporter];
        const summary = join(folder(), "summary.json");
        spawnSync(process.execPath, [...mocha, ...files], { env: { ...process.env, NFV_SUMMARY: summary } });
        return JSON.parse(readFileSync(summary, "utf8")).passedFiles.map((file: string) => basename(file, ".test.js"));
    }

    it("if none of its tests and hooks failed, and none was skipped", () => {
        assert.deepEqual(passedOf("good", "skipping", "hook"), ["good"]);
    });

    it("not if something failed that belongs to no file", () => {
        assert.deepEqual(passedOf("good", "outside"), []);
    });
});
