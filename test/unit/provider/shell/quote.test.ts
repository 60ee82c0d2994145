import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { quote, unquote } from "../../../../provider/shell/quote";

const word = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("'", '"', "\\", "$", "`", "\n", " ", "*", "~", "!", "a", "=", "#", "-") }),
);
const words = fc.array(
    // A lone surrogate cannot be encoded as UTF-8.
    word.map(text => Buffer.from(text.replaceAll("\0", "")).toString()),
    { maxLength: 6 },
);

describe("quoting", () => {
    it("brings every argv through a real sh unchanged", () => {
        fc.assert(
            fc.property(words, argv => {
                const line = quote(["printf", "%s\\0", ...argv, "end"]);
                const { stdout, status } = spawnSync("sh", ["-c", line]);
                assert.equal(status, 0);
                assert.deepEqual(stdout.toString().split("\0"), [...argv, "end", ""]);
            }),
            { numRuns: 150 },
        );
    });

    it("is undone by unquote", () => {
        fc.assert(
            fc.property(words, fc.string(), (argv, first) => {
                const command = [first.replaceAll("\0", ""), ...argv];
                assert.deepEqual(unquote(quote(command)), command);
            }),
        );
    });

    it("does not let the first word be a keyword, an assignment or an alias", () => {
        for (const first of ["if", "a=b", "ll", "!"]) {
            assert.ok(quote([first, "x"]).startsWith("'"), first);
        }
    });

    it("refuses an empty command and NUL", () => {
        assert.throws(() => quote([]), TypeError);
        assert.throws(() => quote(["a", "b\0c"]), TypeError);
    });
});
