import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../../../../provider/common/errors";
import type { HookSpec } from "../../../../../provider/operation/hooks/hook-spec";
import { forgetCluster, recordsVariable } from "../../../../../provider/operation/hooks/record";
import {
    hookPatience,
    markOf,
    recordOf,
    runHook,
    skipVariable,
} from "../../../../../provider/operation/hooks/run-hook";
import type { HookTools } from "../../../../../provider/operation/hooks/tools";
import { ownFolder, specOf, toolsIn } from "./fixtures";
import { endOthers, otherProcess } from "./other-process";

/** Notes what it is told of former attempts; then does what the file `do` says. */
const script = `#!/bin/sh
facts=$(cat)
printf '%s\\n' "$facts" >>told
[ ! -e do ] || . ./do
`;

describe("a run of a hook", () => {
    const folder = ownFolder();
    beforeEach(() => folder.put({ "hook.sh": script }));
    afterEach(async () => {
        delete process.env[skipVariable];
        await endOthers();
    });

    const operation = {
        ...{ id: "7", kind: "scale", added: ["w2"], removed: [], replaced: [], changed: [], reasons: [] },
        ...{ before: {}, after: {} },
    } as const;
    const run = (change: Partial<HookSpec> = {}, tools: Partial<HookTools> = {}) => {
        const recording = toolsIn(folder.path, tools);
        const ending = runHook({
            due: { hook: specOf(change), event: "scaleEnd", operation: operation as never },
            moment: {
                moment: "end",
                cluster: { id: "c0ffee", name: "core" },
                stack: { project: "site", name: "dev" },
                machines: { before: {}, after: {} },
            },
            tools: recording,
        });
        return { ending, recording };
    };
    const failure = async (change: Partial<HookSpec> = {}, tools: Partial<HookTools> = {}) => {
        const { ending, recording } = run(change, tools);
        const error = await ending.then(
            () => assert.fail("it did not fail"),
            (reason: unknown) => reason,
        );
        assert.ok(error instanceof NfvError, String(error));
        return { error, recording };
    };
    const told = () =>
        existsSync(join(folder.path, "told"))
            ? readFileSync(join(folder.path, "told"), "utf8")
                  .split("\n")
                  .slice(0, -1) // the hook may still be writing its last line
                  .map(line => JSON.parse(line))
            : [];
    const attempts = () =>
        told().map(({ attempt, interrupted, errorHandlingData }) => ({ attempt, interrupted, errorHandlingData }));
    const does = (text: string) => folder.put({ do: text });
    const untilTold = async () => {
        while (told().length === 0) await sleep(20);
    };

    it("tells the hook its operation, once", async () => {
        await run().ending;
        assert.equal(told().length, 1);
        const [{ event, operation: its, attempt }] = told();
        assert.deepEqual([event, its.id, attempt], ["scaleEnd", "7", 1]);
    });

    it("is left out if PULUMI_NFV_SKIP_HOOKS names the hook, with a warning", async () => {
        for (const names of ["mgmt", "dns, mgmt ,bill"]) {
            process.env[skipVariable] = names;
            const { ending, recording } = run();
            await ending;
            assert.match(recording.warned.join(), /^hook mgmt \(scale_end\) does not run: PULUMI_NFV_SKIP_HOOKS/);
        }
        assert.deepEqual(told(), []);
        for (const names of ["mgmt-2", "mg", ""]) {
            process.env[skipVariable] = names;
            await run().ending;
            // An end that has succeeded does not run again.
            forgetCluster("c0ffee");
        }
        assert.equal(told().length, 3);
    });

    it("fails with the hook's place, and what it left is told to the next one", async () => {
        does(`echo '{"errorHandlingData":{"ticket":5}}' >"$PULUMI_NFV_RESULT"; exit 7`);
        const { error } = await failure();
        assert.deepEqual([error.code, error.step], ["HOOK_FAILED", "hook mgmt: scale_end"]);
        assert.match(error.reason, /hook\.sh ended with exit code 7/);
        rmSync(join(folder.path, "do"));
        await run().ending;
        assert.deepEqual(attempts()[1], { attempt: 2, interrupted: false, errorHandlingData: { ticket: 5 } });
    });

    it("is repeated as often as retries say, and warns each time", async () => {
        does("exit 7");
        const { recording } = await failure({ retries: 2 });
        assert.deepEqual(
            attempts().map(({ attempt }) => attempt),
            [1, 2, 3],
        );
        assert.equal(recording.warned.length, 2);
        assert.match(recording.warned[0]!, /^hook mgmt \(scale_end\) failed and runs again: .*exit code 7/);
    });

    it("tells how it ended, how long it took, and the end of what it printed, without secrets", async () => {
        does("for i in 1 2 3 4 5 6 7; do echo line $i; done; echo open-sesame; sleep 1.1");
        const { ending, recording } = run();
        const began = performance.now();
        await ending;
        const seconds = (performance.now() - began) / 1000;
        const [, saidSeconds] = /\((\d+) s\)/.exec(recording.told[0] ?? "") ?? [];
        assert.ok(
            Number(saidSeconds) >= 1 && Number(saidSeconds) <= Math.ceil(seconds),
            `${saidSeconds} of ${seconds} s`,
        );
        assert.deepEqual(recording.told, [
            [
                `hook mgmt (scale_end): done (${saidSeconds} s)`,
                "… 3 lines before",
                "line 4",
                "line 5",
                "line 6",
                "line 7",
                "***",
            ].join("\n    "),
        ]);
    });

    it("that failed tells it once, after its retries, with what the last attempt printed", async () => {
        does('echo "attempt $PULUMI_NFV_ATTEMPT"; exit 7');
        const { recording } = await failure({ retries: 1 });
        assert.equal(recording.told.length, 1);
        assert.match(recording.told[0]!, /^hook mgmt \(scale_end\): failed \(\d+ s\)\n {4}attempt 2$/);
    });

    for (const odd of ["undefined", "null", "Object.create(null)"])
        it(`fails in words of its own if its method throws ${odd}`, async () => {
            folder.put({ "odd.js": `module.exports = { scaleEnd() { throw ${odd}; } };` });
            const { error } = await failure({ kind: "module", files: ["odd.js"] });
            assert.equal(error.code, "HOOK_FAILED");
            assert.doesNotMatch(error.message, /Cannot/);
        });

    it("ends well when a retry does", async () => {
        does("[ -e once ] || { : >once; exit 7; }");
        await run({ retries: 5 }).ending;
        assert.equal(told().length, 2);
    });

    it("fails at its deadline, keeps what the hook leaves then, and may be repeated", async () => {
        does(`trap 'echo "{\\"errorHandlingData\\":{\\"half\\":1}}" >"$PULUMI_NFV_RESULT"; exit 0' TERM
            while :; do sleep 0.05; done`);
        const { error } = await failure({ timeoutSeconds: 1, retries: 1 });
        assert.match(error.reason, /^it did not end within 1 s$/);
        assert.match(error.hint, /longer timeoutSeconds/);
        assert.deepEqual(attempts(), [
            { attempt: 1, interrupted: false, errorHandlingData: {} },
            { attempt: 2, interrupted: false, errorHandlingData: { half: 1 } },
        ]);
    });

    it("of a module fails at its deadline, whether it ends in order or not", async () => {
        folder.put({
            "polite.js": `exports.scaleEnd = ({ signal }) => new Promise(resolve => {
                const timer = setInterval(() => {}, 1000);
                signal.addEventListener("abort", () => { clearInterval(timer); resolve({ errorHandlingData: { half: 1 } }); });
            });`,
            "deaf.js": "exports.scaleEnd = () => new Promise(resolve => setTimeout(resolve, 9000));",
        });
        for (const [file, seconds] of [
            ["polite.js", 3],
            ["deaf.js", 12],
        ] as const) {
            const began = Date.now();
            const { error } = await failure({ name: file[0]!, kind: "module", files: [file], timeoutSeconds: 1 });
            assert.match(error.reason, /^it did not end within 1 s$/, file);
            assert.ok(Date.now() - began < seconds * 1000, file);
        }
        const left = JSON.parse(readFileSync(join(folder.path, "records/c0ffee/7-p.json"), "utf8"));
        assert.deepEqual(left.errorHandlingData, { half: 1 });
    });

    it("ends when the run is stopped, is not repeated, and says why", async () => {
        does("sleep 60 & wait");
        const stop = new AbortController();
        const ending = failure({ retries: 3 }, { signal: stop.signal });
        await untilTold();
        stop.abort(new NfvError({ code: "CANCELLED", cause: "the run was stopped" }));
        const { error } = await ending;
        assert.deepEqual([error.code, error.step], ["CANCELLED", "hook mgmt: scale_end"]);
        assert.equal(told().length, 1);
        rmSync(join(folder.path, "do"));
        await run().ending;
        assert.deepEqual(attempts()[1], { attempt: 2, interrupted: false, errorHandlingData: {} });
    });

    it("does not begin in a run that was stopped", async () => {
        folder.put({
            "driver.js": 'exports.scaleEnd = () => require("node:fs").writeFileSync(__dirname + "/told", "{}\\n");',
        });
        const signal = AbortSignal.abort(new NfvError({ code: "CANCELLED", cause: "the run was stopped" }));
        for (const change of [{}, { kind: "module", files: ["driver.js"] }] as const) {
            const { error } = await failure(change as Partial<HookSpec>, { signal });
            assert.equal(error.code, "CANCELLED");
        }
        assert.deepEqual(told(), []);
        await run().ending;
        assert.deepEqual(attempts(), [{ attempt: 1, interrupted: false, errorHandlingData: {} }]);
    });

    it("shows no secret, neither in lines nor in errors nor in warnings", async () => {
        does('echo "the password is open-sesame"; exit 7');
        const { error, recording } = await failure({ retries: 1 });
        assert.match(error.message, /the password is \*\*\*/);
        assert.doesNotMatch(error.message, /open-sesame/);
        assert.doesNotMatch(recording.warned.join(), /open-sesame/);
        folder.put({ "driver.js": 'exports.scaleEnd = () => { throw new Error("wrong: open-sesame"); };' });
        const { error: ofModule } = await failure({ kind: "module", files: ["driver.js"] });
        assert.match(ofModule.reason, /^wrong: \*\*\*\n/);
    });

    it("says where in the user's module an error was thrown", async () => {
        folder.put({ "driver.js": '\n\nexports.scaleEnd = () => { throw new Error("no licence"); };' });
        const { error } = await failure({ kind: "module", files: ["driver.js"] });
        assert.match(error.reason, /^no licence\nat .*driver\.js:3:\d+/);
        folder.put({ "text.js": 'exports.scaleEnd = () => { throw "only text"; };' });
        assert.match((await failure({ kind: "module", files: ["text.js"] })).error.reason, /only text/);
    });

    it("is refused while a process of another run still runs the hook, and is told so when that was killed", async () => {
        const other = otherProcess(`
            const { HookRecord } = require("./provider/operation/hooks/record");
            const mark = ${JSON.stringify(markOf(operation as never))};
            new HookRecord("c0ffee", "7", "mgmt", undefined, mark).begin("scale_end");
            console.log("begun");
            setInterval(() => {}, 1000);`);
        await other.line();
        hookPatience.earlier = 0.5;
        const { error } = await failure();
        hookPatience.earlier = 15;
        assert.equal(error.reason, `the process ${other.child.pid} of an earlier run still runs it`);
        assert.deepEqual(told(), []);
        // Killed while this run waits for its end.
        const { ending, recording } = run();
        setTimeout(() => other.child.kill("SIGKILL"), 300);
        await ending;
        assert.deepEqual(attempts(), [{ attempt: 2, interrupted: true, errorHandlingData: {} }]);
        assert.match(recording.warned.join(), /runs again: the run of its attempt 1 was ended/);
    });

    it("is not refused for the process of an earlier run in which the hook has ended", async () => {
        const other = otherProcess(`
            const { HookRecord } = require("./provider/operation/hooks/record");
            const mark = ${JSON.stringify(markOf(operation as never))};
            const record = new HookRecord("c0ffee", "7", "mgmt", undefined, mark);
            record.begin("scale_end");
            record.succeed("scale_end");
            console.log("begun");
            setInterval(() => {}, 1000);`);
        await other.line();
        assert.equal(recordOf("c0ffee", operation as never, "mgmt").running("scale_end"), undefined);
        other.child.kill("SIGKILL");
    });

    it("runs although no record can be written, and warns", async () => {
        writeFileSync(join(folder.path, "file"), "");
        process.env[recordsVariable] = join(folder.path, "file", "records");
        const { ending, recording } = run();
        await ending;
        assert.equal(told().length, 1);
        assert.match(recording.warned.join("\n"), /cannot be written: [\s\S]*PULUMI_NFV_HOOK_RECORDS/);
    });
});
