import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { NfvError } from "../../../../provider/common/errors";
import type { CommandResult, Connection, RunOptions } from "../../../../provider/ssh/types";
import { decodeQueries, formatQueries, queryTogether } from "../../../../provider/steps/queries";
import type { Query } from "../../../../provider/steps/query";

describe("queries that go together", () => {
    const asked = (step: string, script: string, more: Partial<Query> = {}): Query => ({
        ...{ step, script, timeoutSeconds: 5, argv: ["sh", "-s", step] },
        ...more,
    });
    let calls: RunOptions[];
    /** The shell of this machine, or an answer. */
    const machine = (answer?: CommandResult) => {
        calls = [];
        return {
            target: { host: "10.0.0.1" },
            exec: (argv: readonly string[], options: RunOptions) =>
                new Promise<CommandResult>(resolve => {
                    calls.push(options);
                    if (answer !== undefined) return resolve(answer);
                    const [program, ...rest] = argv as [string, ...string[]];
                    const run = spawn(program, rest);
                    const said = { stdout: "", stderr: "" };
                    for (const each of ["stdout", "stderr"] as const)
                        run[each].on("data", data => (said[each] += data));
                    run.on("close", code => resolve({ code: code!, ...said }));
                    run.stdin.end(options.stdin);
                }),
        } as unknown as Connection;
    };
    const reasonOf = (answer: string | NfvError | undefined) => {
        assert.ok(answer instanceof NfvError, String(answer));
        return `${answer.code} ${answer.step}: ${answer.reason}`;
    };

    it("cost one round trip, and each gets what it printed, with its own values", async () => {
        const together = [
            asked("one", 'echo "$WHO"\necho two lines', { env: { WHO: "it's w1" } }),
            asked("none", "true"),
            asked("last", "printf 'no line end'; echo noise >&2"),
        ];
        assert.deepEqual(await queryTogether(machine(), together), ["it's w1\ntwo lines\n", "", "no line end"]);
        assert.deepEqual(
            calls.map(({ timeoutSeconds }) => timeoutSeconds),
            [15],
        );
    });

    it("do not stop each other: one that fails, or takes too long, says so alone", async () => {
        const together = [
            asked("fails", "echo 5\necho why >&2\nfalse\necho unreached"),
            asked("hangs", "sleep 60", { timeoutSeconds: 1 }),
            asked("leaves", "exit 3", { errors: { 3: "QUORUM_AT_RISK" } }),
            asked("reads", "cat; echo well"),
        ];
        const [fails, hangs, leaves, reads] = await queryTogether(machine(), together);
        assert.match(reasonOf(fails), /^STEP_FAILED fails: exit code 1 on 10\.0\.0\.1\nwhy$/);
        assert.match(reasonOf(hangs), /^STEP_FAILED hangs: exit code 124/);
        assert.match(reasonOf(leaves), /^QUORUM_AT_RISK leaves: exit code 3/);
        assert.equal(reads, "well\n");
    });

    it("fail together where no shell answers, or its answer is cut off", async () => {
        const together = [asked("one", "true"), asked("two", "true")];
        for (const answer of [
            { code: 127, stdout: "", stderr: "no sh" },
            { code: 0, stdout: "half\x1d0\n", stderr: "" },
            { code: 0, stdout: "\x1d0\n\x1dno code", stderr: "" },
        ])
            await assert.rejects(queryTogether(machine(answer), together), /one; two: STEP_FAILED/);
    });

    it("can be answered by a fake machine as if each had come alone", async () => {
        await queryTogether(machine({ code: 0, stdout: "\x1d0\n\x1d0\n", stderr: "" }), [
            asked("one", "echo 'a'", { env: { WHO: "it's" } }),
            asked("two", "true"),
        ]);
        const decoded = decodeQueries(String(calls[0]!.stdin));
        assert.deepEqual(
            decoded.map(({ argv }) => argv),
            [
                ["sh", "-s", "one"],
                ["sh", "-s", "two"],
            ],
        );
        assert.match(decoded[0]!.script, /^WHO='it'\\''s'$/m);
        assert.match(decoded[0]!.script, /^echo 'a'$/m);
        const answer = { code: 0, ...formatQueries([{ stdout: "x" }, { code: 2, stderr: "no\n" }]) };
        const [first, second] = await queryTogether(machine(answer), [asked("one", "true"), asked("two", "true")]);
        assert.equal(first, "x");
        assert.match(reasonOf(second), /exit code 2 on 10\.0\.0\.1\nno$/);
    });
});
