import assert from "node:assert/strict";
import type { CommandResult, Connection, RunOptions } from "../../../../provider/ssh/types";
import { type Query, query, queryArgv } from "../../../../provider/steps/query";

describe("a query", () => {
    let calls: { argv: readonly string[]; options: RunOptions }[];
    const machine = (result: Partial<CommandResult>) => {
        calls = [];
        return {
            target: { host: "10.0.0.1" },
            async exec(argv: readonly string[], options: RunOptions) {
                calls.push({ argv, options });
                return { code: 0, stdout: "", stderr: "", ...result };
            },
        } as unknown as Connection;
    };
    const asked: Query = {
        step: "look",
        script: 'echo "$WHO"',
        env: { WHO: "it's w1" },
        timeoutSeconds: 7,
        node: "w1",
    };

    it("returns what its script printed; values are on standard input, not among the arguments", async () => {
        assert.equal(await query(machine({ stdout: "w1\n", stderr: "noise" }), asked), "w1\n");
        const [{ argv, options }] = calls;
        assert.deepEqual([argv, options.timeoutSeconds, "signal" in options], [queryArgv, 7, false]);
        assert.match(String(options.stdin), /WHO='it'\\''s w1'\n/);
    });

    it("can be cancelled, and run under a name of its own", async () => {
        const { signal } = new AbortController();
        const argv = ["sh", "-s", "facts"];
        await query(machine({}), { ...asked, signal, argv });
        assert.deepEqual([calls[0]!.argv, calls[0]!.options.signal], [argv, signal]);
    });

    it("that fails names node, step and machine, with the end of what it said and the whole as output", async () => {
        const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n");
        const failing = (result: Partial<CommandResult>, more: Partial<Query> = {}) =>
            query(machine({ stdout: "out", ...result }), { ...asked, ...more }).catch(error => error);
        const error = await failing({ code: 3, stderr: `${lines}\n` });
        assert.deepEqual([error.code, error.node, error.step], ["STEP_FAILED", "w1", "look"]);
        assert.match(error.reason, /^exit code 3 on 10\.0\.0\.1\nline 5\n/);
        assert.equal(error.output, `out${lines}\n`);
        assert.match((await failing({ code: 3 })).reason, /on 10\.0\.0\.1\nout$/);
        assert.equal((await failing({ code: 43 }, { errors: { 43: "DRAIN_FAILED" } })).code, "DRAIN_FAILED");
    });
});
