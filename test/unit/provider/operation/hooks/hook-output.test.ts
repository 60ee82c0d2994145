import assert from "node:assert/strict";
import { HookOutput } from "../../../../../provider/operation/hooks/hook-output";

describe("what a report keeps of a hook's output", () => {
    const of = (printed: Record<string, string>, redact = (text: string) => text) => {
        const output = new HookOutput(redact);
        for (const [node, text] of Object.entries(printed)) output.add(text, node);
        return output.lines();
    };

    it("is nothing where nothing was printed", () => assert.deepEqual(of({ m1: "", m2: " \n" }), []));

    it("names nodes once that printed the same", () =>
        assert.deepEqual(of({ m2: "ok", m1: "ok", w1: "a\nb" }), ["m1, m2: ok", "w1:", "    a", "    b"]));

    it("has the last lines, and says how many there were before", () => {
        const [first, ...rest] = of({ "": Array.from({ length: 9 }, (_, i) => `line ${i}`).join("\n") });
        assert.equal(first, "… 4 lines before");
        assert.deepEqual(rest.at(-1), "line 8");
    });

    it("has no part of a long line: a secret that is known only later would not be found in it", () =>
        assert.deepEqual(of({ w1: "x".repeat(5000) }), ["w1: (a line of 5000 characters)"]));

    it("is redacted before it is shortened", () => {
        const secret = "s".repeat(400);
        assert.deepEqual(
            of({ w1: `token ${secret}` }, text => text.replaceAll(secret, "***")),
            ["w1: token ***"],
        );
    });

    it("of many nodes has some, and says how many it leaves out", () => {
        const lines = of(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`w${i + 1}`, `I am ${i}`])));
        assert.deepEqual([lines.length, lines[0], lines.at(-1)], [11, "w1: I am 0", "… of 190 more nodes"]);
    });
});
