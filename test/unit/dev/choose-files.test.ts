import { strict as assert } from "node:assert";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Checkout, type Choice, chooseFiles } from "../../../dev/choose-files";
import { projectRoot } from "../../../dev/levels";
import { stories, storyOf } from "../../../dev/stories";

const table = {
    "unit/lab": { sources: ["lab"] },
    "e2e/heal": { sources: ["provider/health", "components/args/heal-args.ts"] },
    "cloud/heat": { sources: ["cloud"], inTurn: "cloud" },
    "cloud/nova": { sources: ["cloud"], inTurn: "cloud" },
};
const files = [
    ...["unit/plan.test.js", "unit/lab/names.test.js", "e2e/heal.full.test.js"],
    ...["cloud/heat.test.js", "cloud/nova.test.js"],
];
const changed: Record<string, string[]> = { old: ["lab/cli.ts", "provider/health/look.ts"], new: ["README.md"] };

function chosen(choice: Partial<Choice>, checkout: Partial<Checkout> = {}) {
    return chooseFiles(
        files,
        { full: false, named: [], ...choice },
        {
            passed: { "unit/lab": "new" },
            ...{ changedSince: commit => changed[commit], helpersOf: () => [], turn: 0 },
            ...checkout,
        },
        table,
    );
}

describe("the files of a landing", () => {
    it("are those that no story holds, and one story of those that take turns", () => {
        assert.deepEqual(chosen({}).run, ["unit/plan.test.js", "cloud/heat.test.js"]);
        assert.deepEqual(chosen({}, { turn: 1 }).run, ["unit/plan.test.js", "cloud/nova.test.js"]);
        assert.deepEqual(chosen({}, { turn: 4 }).run, chosen({}).run);
    });

    it("are those of a story, too, if something that it tests changed since it passed", () => {
        for (const commit of ["old", "unknown"])
            assert.ok(chosen({}, { passed: { "unit/lab": commit } }).run.includes("unit/lab/names.test.js"), commit);
        assert.ok(chosen({}, { passed: {} }).run.includes("unit/lab/names.test.js"));
        const own = { passed: { "unit/lab": "x" }, changedSince: () => ["test/unit/lab/names.test.ts"] };
        assert.ok(chosen({}, own).run.includes("unit/lab/names.test.js"));
    });

    it("are those of a story, too, if a helper of one of its files changed", () => {
        const helpersOf = (file: string) => (file === "unit/lab/names.test.js" ? ["support/skip.ts"] : []);
        const since = (path: string) =>
            chosen({}, { passed: { "unit/lab": "x" }, helpersOf, changedSince: () => [path] }).run.length;
        assert.deepEqual(["test/support/skip.ts", "test/support/story.ts"].map(since), [3, 2]);
    });

    it("are the short tests of a story of which only the long one waits for a change", () => {
        const both = ["e2e/heal.test.js", "e2e/heal.full.test.js"];
        const checkout = { passed: { "e2e/heal": "new" }, changedSince: () => [], helpersOf: () => [], turn: 0 };
        const run = (longOnly: object) =>
            chooseFiles(both, { full: false, named: [] }, checkout, { "e2e/heal": { sources: [], ...longOnly } }).run;
        assert.deepEqual([run({}), run({ longOnly: true })], [[], ["e2e/heal.test.js"]]);
    });

    it("that are left out are named by their story, with the reason", () => {
        assert.deepEqual(Object.fromEntries(chosen({}).leftOut), {
            "unit/lab": "unchanged since it passed on new",
            "e2e/heal": "long",
            "cloud/nova": "this time it is the turn of cloud/heat",
        });
    });
});

describe("the files of `full`", () => {
    it("are all", () => assert.deepEqual(chosen({ full: true }).run, files));

    it("are those of named stories", () => {
        const { run, leftOut } = chosen({ full: true, named: ["e2e/heal"] });
        assert.deepEqual([run, leftOut.size], [["e2e/heal.full.test.js"], 0]);
    });

    it("are with --since those of the stories whose sources changed", () => {
        assert.deepEqual(chosen({ full: true, since: "old" }).run, ["unit/lab/names.test.js", "e2e/heal.full.test.js"]);
        assert.deepEqual(chosen({ full: true, since: "new" }).run, []);
        assert.deepEqual(Object.fromEntries(chosen({ full: true, since: "new" }).leftOut), {
            "the others": "no story: each landing runs them",
            ...Object.fromEntries(Object.keys(table).map(name => [name, "unchanged since new"])),
        });
    });
});

describe("the table of stories", () => {
    const tests = (readdirSync(join(projectRoot, "test"), { recursive: true }) as string[]).filter(file =>
        file.endsWith(".test.ts"),
    );

    it("has a row of its own for each long story", () => {
        const without = tests
            .filter(file => file.endsWith(".full.test.ts"))
            .filter(file => {
                const name = storyOf(file);
                return name === undefined || !file.startsWith(`${name}.`);
            });
        assert.deepEqual(without, []);
    });

    it("names only tests and sources that exist", () => {
        const used = new Set(tests.map(file => storyOf(file)));
        assert.deepEqual(
            Object.keys(stories).filter(name => !used.has(name)),
            [],
        );
        const sources = Object.values(stories).flatMap(story => story.sources);
        assert.deepEqual(
            sources.filter(place => !existsSync(join(projectRoot, place))),
            [],
        );
    });

    it("leaves no test of components, provider or pipeline out of a landing but the long ones and those that take turns", () => {
        const passed = Object.fromEntries(Object.keys(stories).map(name => [name, "0123abcd"]));
        const checkout = { passed, changedSince: () => [], helpersOf: () => [], turn: 0 };
        const { run } = chooseFiles(tests, { full: false, named: [] }, checkout);
        const product = /^(unit|integration)\/(components|provider|pipeline|testing)\//;
        const takesTurns = (file: string) => stories[storyOf(file) ?? ""]?.inTurn !== undefined;
        const short = tests.filter(file => product.test(file) && !file.endsWith(".full.test.ts") && !takesTurns(file));
        assert.ok(short.length > 100);
        assert.deepEqual(
            tests.filter(takesTurns).filter(file => file.startsWith("unit/")),
            [],
        );
        assert.deepEqual(
            short.filter(file => !run.includes(file)),
            [],
        );
    });

    it("puts a file into the nearest row: its own, else a folder's", () => {
        assert.equal(storyOf("integration/package/bill.full.test.js"), "integration/package/bill");
        assert.equal(storyOf("integration/package/packed.test.ts"), "integration/package");
        assert.equal(storyOf("unit/provider/steps/plan.test.ts"), undefined);
    });
});
