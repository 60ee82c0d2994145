import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { commitsOf, importsBetween, linesIn, measuresOf, sessionParts, tableOf } from "../../../../dev/house/measures";
import { placesOfSteps, placesOfTypes } from "../../../../dev/house/places";
import { readCommit, readFiles, type TextFile } from "../../../../dev/house/read-files";

const file = (path: string, ...lines: string[]): TextFile => ({ path, text: `${lines.join("\n")}\n` });
const placesIn = (all: ReturnType<typeof placesOfTypes>) =>
    Object.fromEntries(all.map(({ name, files }) => [name, files]));

describe("the measures of the source", () => {
    const house = [
        file("dev/stories.ts", "const stories = {", '    "e2e/a": { sources: [] },', '    "e2e/b": {', "    },", "};"),
        file("provider/descriptors.ts", "    Host: describe<A>({}),"),
        file("provider/host.ts", "const host: ResourceType<A> = {};"),
        file("provider/node/swap.ts", '    id: "host.swap",', '    title: "turn swap off",', ...Array(400).fill("")),
        file("provider/node/lib/a.sh", "true"),
        file("test/a.test.ts", "one", "two"),
        file("test/passed.json", '{ "e2e/a": "0123abcd" }'),
    ];
    const shown = (name: string) =>
        measuresOf(house, new Map([["0123abcd", 86400]])).find(each => each.name === name)?.value;

    it("count a folder without its subfolders", () => {
        strictEqual(shown("largest flat folder by files"), "2 (provider)");
        strictEqual(shown("largest flat folder by lines"), "402 (provider/node)");
    });

    it("count lines of all kinds of files, as wc does, and those over a limit", () => {
        strictEqual(linesIn([file("a.sh", "one", "two"), { path: "a.md", text: "one\ntwo" }]), 3);
        strictEqual(shown("lines of source / of tests"), "405 / 3");
        strictEqual(shown("files over 400 / 200 lines"), "1 / 1");
    });

    it("name the story that passed longest ago, and count those that never did", () => {
        deepStrictEqual(commitsOf(house), ["0123abcd"]);
        strictEqual(shown("stories that never passed"), "1 of 2");
        strictEqual(shown("oldest commit on which a story last passed"), "0123abcd, 1970-01-02 (e2e/a)");
    });

    it("say so where the code no longer has the form that they look for", () => {
        const without = house.filter(({ path }) => path !== "provider/descriptors.ts");
        throws(() => measuresOf(without, new Map()), /correct dev\/house\/places\.ts/);
    });

    it("count imports between folders once for each pair, types and late ones, too", () => {
        const pairs = importsBetween([
            file(
                "provider/a/one.ts",
                'import type { B } from "../b/two";',
                'const c = () => require("../c");',
                'import "./own";',
            ),
            file("provider/a/own.ts", 'export * from "../b/two";', 'import "node:fs";'),
            file("provider/b/two.ts"),
            file("provider/c/index.ts"),
        ]);
        deepStrictEqual([...pairs].sort(), ["provider/a > provider/b", "provider/a > provider/c"]);
    });

    it("count a session part once, however often it is used; two classes of a name are two", () => {
        const parts = sessionParts([
            file(
                "provider/a.ts",
                "class Given {}",
                "session.part(Given); session.part(",
                "    Given,);",
                "session.part(Given)",
            ),
            file("provider/b.ts", "export class Given {}", "session.part(Given); session.part(Connections);"),
            file("provider/c/d.ts", 'import { Given } from "../b";', "session.part(Given)"),
        ]);
        deepStrictEqual(parts, ["provider/a.ts#Given", "provider/b.ts#Given"]);
    });

    it("stand beside those of another commit", () => {
        const [a, b] = ["1", "2"].map(value => [{ name: "lines", value }]);
        const table = tableOf([
            { title: "0123abcd", measures: a! },
            { title: "now", measures: b! },
        ]);
        strictEqual(table, "|  | 0123abcd | now |\n| --- | --- | --- |\n| lines | 1 | 2 |");
    });

    it("find resource types, steps and session parts in this checkout", () => {
        const files = readFiles();
        for (const found of [placesOfTypes(files), placesOfSteps(files), sessionParts(files)]) ok(found.length > 0);
    });

    it("of a commit that is not in the clone are an error", () => {
        throws(() => readCommit("no-such-commit"), /^Error: git archive no-such-commit: /);
    });
});

describe("the places of a resource type", () => {
    it("are files with its name as a string or a key; not its own module, comments, classes and imports", () => {
        const places = placesOfTypes([
            file("provider/descriptors.ts", "    Host: describe<A>({}),", "    ClusterId: describe({}),"),
            file("provider/host.ts", 'const host: ResourceType<A> = { a: "Host" };'),
            file("provider/dynamic.ts", 'classOf("Host");', "    ClusterId: 1,"),
            file("components/a.ts", 'import { Host } from "a";', ' * "Host"', '// "Host"', "new Host(a, b);"),
            file("pipeline/b.ts", 'const a = { Host: 1 }; const b = "Host of";'),
            file("tools/c.ts", '"Host"'),
        ]);
        deepStrictEqual(placesIn(places), {
            Host: ["provider/descriptors.ts", "provider/dynamic.ts", "pipeline/b.ts"],
            ClusterId: ["provider/descriptors.ts", "provider/dynamic.ts"],
        });
    });
});

describe("the places of a step", () => {
    it("are files with its id or one of its titles as a string, but not its own", () => {
        const places = placesOfSteps([
            file(
                "provider/a.ts",
                'const own = "host.a";',
                "id: own,",
                'title: isNew ? "make a" : "change a",',
                'id: "host.b", title: "make b", x: 1',
            ),
            file("provider/c.ts", 'const common = { id: "host.c", revision: 1 };', 'title: "make c",'),
            file("provider/order.ts", '"change a",', '"make b",', '"host.b",', '"make c and d",'),
            file("pipeline/b.ts", '"make c"', '// "make b"'),
        ]);
        deepStrictEqual(placesIn(places), {
            "host.a": ["provider/order.ts"],
            "host.b": ["provider/order.ts"],
            "host.c": ["pipeline/b.ts"],
        });
    });
});
