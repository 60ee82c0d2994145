import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { countsOf, lowered, problemsOf } from "../../../../dev/house/ratchet";
import { wordsOf } from "../../../../dev/house/read-text";

const file = (path: string, ...lines: string[]) => ({ path, text: `${lines.join("\n")}\n` });
const countOf = (name: string, ...files: { path: string; text: string }[]) => {
    const { source, tests } = countsOf(files).find(count => count.name === name)!;
    return { source, tests };
};
const ofSource = (name: string, ...lines: string[]) => countOf(name, file("provider/a.ts", ...lines)).source;

describe("the words of a text", () => {
    it("are those of camel case, snake case and capitals, on the lines where they stand", () => {
        const { names } = wordsOf(
            "a.ts",
            'const livingMaster = "x";\n/* two\nlines */ const HTTPServer_name = `\n${a}`;',
        );
        deepStrictEqual(
            names.split("\n").map(line => line.match(/\w+/g)),
            [["living", "master"], null, ["http", "server", "name"], ["a"]],
        );
    });

    it("are names, or also those of comments and strings", () => {
        const { names, all } = wordsOf("a.ts", 'const one = "two" + `three${four({ a: {} })}five`; // six');
        deepStrictEqual(names.match(/\w+/g), ["one", "four", "a"]);
        deepStrictEqual(all.match(/\w+/g), ["one", "two", "three", "four", "a", "five", "six"]);
    });

    it("go on after a regular expression with a quotation mark, and after a division", () => {
        const { names } = wordsOf("a.ts", 'const one = text.replace(/"/g, two) / three / "four".length;');
        deepStrictEqual(names.match(/\w+/g), ["one", "text", "replace", "two", "three", "length"]);
    });

    it("of a script are comments after a #, which no variable has", () => {
        const { names, comments } = wordsOf("a.sh", '# one\necho "${#list}" two # three\n');
        deepStrictEqual(names.match(/\w+/g), ["echo", "list", "two"]);
        deepStrictEqual(comments, [
            { line: 1, text: "one\n" },
            { line: 2, text: "three\n" },
        ]);
    });
});

describe("the ratchet", () => {
    it("counts a private word in names, comments, strings and paths, each with its place, apart in source and tests", () => {
        const text = ["// a Master", "const masters = isMaster(livingMasters);", 'import "./masters-that-stay";'];
        const places = (path: string) => [1, 2, 2, 2, 3].map(line => `${path}:${line}`);
        const paths = ["components/a.ts", "test/b.test.ts"];
        deepStrictEqual(countOf("master", ...paths.map(path => file(path, ...text))), {
            source: places(paths[0]!),
            tests: places(paths[1]!),
        });
    });

    it("counts no part of another word, no name that others gave, and nothing that was recorded", () => {
        deepStrictEqual(
            ofSource("master", "const mastery = postmaster; // https://x.invalid/blob/master/README.md"),
            [],
        );
        deepStrictEqual(
            ofSource("master", 'const vdu = "masterNode_CP1"; const label = "node-role.kubernetes.io/master";'),
            [],
        );
        const nowhere = { source: [], tests: [] };
        deepStrictEqual(
            countOf("master", file("test/unit/fixtures/a.sh", "master"), file("docs/a.md", "master")),
            nowhere,
        );
    });

    it("counts words that are plain English in names only", () => {
        deepStrictEqual(ofSource("given", '// as given, "given"', "const isGiven = 1;"), ["provider/a.ts:2"]);
    });

    it("counts the procedures' engine and Pulumi's by their names only where they have none", () => {
        deepStrictEqual(ofSource("the engine", "// Pulumi's engine", "// the engine"), ["provider/a.ts:2"]);
    });

    it("counts comments that begin as riddles, of several lines once", () => {
        const riddles = [
            "/** Who logs in. */",
            "/**",
            " * What is stored.",
            " */",
            "// One that leaves.",
            "// Who stays.",
        ];
        const others = [
            "// Whose turn it is.",
            "// The server.",
            "// Who serves it.",
            "// What it does.",
            'const a = "// Who";',
        ];
        const places = [1, 2, 5].map(line => `provider/a.ts:${line}`);
        deepStrictEqual(ofSource("riddles", ...riddles, "", ...others), places);
    });

    it("counts the imports of the modules of Node and Host, in whichever folder they lie", () => {
        const text = ['import { a } from "./a";', "import {", "    b,", '} from "../b";'];
        const node = file("provider/member/node.ts", ...text, "export const node: ResourceType<A, B> = {};");
        const other = file("provider/cloud/node.ts", ...text);
        const places = [1, 4].map(line => `provider/member/node.ts:${line}`);
        deepStrictEqual(countOf("imports of Node's module", node, other).source, places);
    });
});

describe("the lint of the ratchet", () => {
    const count = (name: string, source: number, tests = 0) => {
        const places = (n: number) => Array.from({ length: n }, (_, i) => `a.ts:${i + 1}`);
        return { name, use: "something", source: places(source), tests: places(tests) };
    };

    it("says nothing where all counts are the allowed ones", () => {
        deepStrictEqual(problemsOf([count("word", 2, 1)], { word: [2, 1] }), []);
    });

    it("names the word, both numbers, the right word and five places, the newest ones, where a count rose", () => {
        const newest = (places: readonly string[]) => [...places].reverse();
        const [problem, ...others] = problemsOf([count("word", 7, 1)], { word: [6, 1] }, newest);
        match(problem!, /^word, in the source: 7, allowed are 6\. Use: something\n/);
        deepStrictEqual(problem!.match(/a\.ts:\d/g), ["a.ts:7", "a.ts:6", "a.ts:5", "a.ts:4", "a.ts:3"]);
        deepStrictEqual(others, []);
    });

    it("names the command that writes it down where a count fell, so that it never rises again", () => {
        const counts = [count("word", 1, 1), count("wish", 0, 0)];
        const problems = problemsOf(counts, { word: [2, 1], wish: [0, 0], gone: [1, 1] });
        strictEqual(problems.length, 1);
        match(problems[0]!, /npm run house -- --lower .*: word \(2 \/ 1 → 1 \/ 1\); gone \(1 \/ 1 → no row\)$/);
    });

    it("lowers numbers, never raises them, and begins with what it finds", () => {
        const counts = [count("word", 1, 3), count("new", 4, 0)];
        deepStrictEqual(lowered(counts, { word: [2, 2], gone: [1, 1] }), { word: [1, 2], new: [4, 0] });
    });
});
