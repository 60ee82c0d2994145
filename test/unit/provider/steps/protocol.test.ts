import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import {
    type AgentCall,
    decodeCall,
    encodeCall,
    encodeScript,
    formatBusy,
    formatEnd,
    formatForeign,
    formatOpened,
    parseBusy,
    parseEnd,
    parseForeign,
    parseOpened,
} from "../../../../provider/steps/protocol";
import { redact } from "../../../../provider/steps/redact";

describe("the protocol", () => {
    it("decodes every call to what was encoded", () => {
        const word = fc.stringMatching(/^[a-zA-Z0-9.-]{1,12}$/);
        const calls: fc.Arbitrary<AgentCall> = fc.oneof(
            fc.record({
                verb: fc.constant("open" as const),
                cluster: word,
                node: word,
                holder: word,
                ttlSeconds: fc.nat(),
            }),
            fc.record({
                verb: fc.constant("run" as const),
                id: word,
                fingerprint: word,
                timeoutSeconds: fc.nat(),
                holder: word,
                attempt: fc.nat(),
                offset: fc.nat(),
                sizeBytes: fc.nat(),
            }),
            fc.record({ verb: fc.constant("wait" as const), id: word, offset: fc.nat() }),
            fc.record({ verb: fc.constant("forget" as const), id: fc.string() }),
        );
        fc.assert(fc.property(calls, call => assert.deepEqual({ ...decodeCall(encodeCall(call)) }, { ...call })));
    });

    it("takes no other command for a call", () => {
        assert.equal(decodeCall(["sh", "-s"]), undefined);
        assert.equal(decodeCall([encodeCall({ verb: "close", holder: "h" })[0], "close"]), undefined);
        assert.equal(decodeCall([encodeCall({ verb: "close", holder: "h" })[0], "toString", "h"]), undefined);
    });

    it("reads each answer as it was written", () => {
        const opened = { done: { a: "1", "b.c": "2" }, running: { d: "3" } };
        assert.deepEqual(parseOpened(formatOpened(opened)), opened);
        assert.deepEqual(parseBusy(formatBusy("h", 7)), { holder: "h", secondsLeft: 7 });
        assert.deepEqual(parseForeign(formatForeign("c", "n")), { cluster: "c", node: "n" });
        const result = { code: 0, stdout: "", stderr: formatEnd(3, 9) };
        assert.deepEqual(parseEnd(result), { code: 3, seconds: 9 });
        assert.equal(parseEnd({ ...result, code: 255 }), undefined);
    });
});

describe("a script", () => {
    it("gives every value to the shell as it is, whatever it contains", () => {
        const value = fc.string({ unit: "grapheme" }).filter(text => !text.includes("\0"));
        fc.assert(
            fc.property(value, variable => {
                const input = encodeScript({ run: 'printf %s "$VALUE"', env: { VALUE: variable } });
                assert.equal(execFileSync("sh", ["-s"], { input, encoding: "utf8" }), variable);
            }),
            { numRuns: 40 },
        );
    });

    it("gives values of any length, which no program's environment would take", () => {
        const input = encodeScript({ run: 'printf %s "$VALUE" | wc -c; true', env: { VALUE: "x".repeat(400_000) } });
        assert.equal(execFileSync("sh", ["-s"], { input, encoding: "utf8" }).trim(), "400000");
    });

    it("is run as a whole or not at all, wherever it is cut on its way", () => {
        const input = encodeScript({
            run: 'echo one\nwipe() { echo "wipe $*"; }\nwipe -rf /x/y\necho end',
            env: { A: "b}" },
        });
        const whole = "one\nwipe -rf /x/y\nend\n";
        const outcomes = new Set<string>();
        for (let length = 0; length <= input.length; length++) {
            const { stdout, status } = spawnSync("sh", ["-s"], { input: input.slice(0, length), encoding: "utf8" });
            assert.ok(stdout === "" || stdout === whole, `cut at ${length}: ${stdout}`);
            outcomes.add(`${stdout === whole} ${status === 0}`);
        }
        // An empty script does nothing and succeeds; the end of the connection shows the loss.
        assert.deepEqual([...outcomes].sort(), ["false false", "false true", "true true"]);
    });

    it("refuses names that are no names", () => {
        assert.throws(() => encodeScript({ run: "", env: { "A;reboot": "" } }), /cannot be the name/);
    });
});

describe("redaction", () => {
    it("leaves no secret of four characters or more, the longer ones first", () => {
        assert.equal(redact("abcdef abcd", ["abcd", "abcdef"]), "*** ***");
        assert.equal(redact("a b", ["a", ""]), "a b");
    });
});
