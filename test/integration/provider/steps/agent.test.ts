import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { forgetNode, plan, runSteps, type StepBody, StepsFailed } from "../../../../provider/steps";
import { encodeBatch } from "../../../../provider/steps/batch";
import { agentExit, encodeCall } from "../../../../provider/steps/protocol";
import type { RunContext } from "../../../../provider/steps/run-context";
import { until } from "../../../support/eventually";
import { LocalConnection } from "./local-connection";
import { startOperator } from "./operator";
import { eachOnce, readTrace, tracedSteps } from "./trace";

const one = (more: Partial<StepBody>): StepBody => ({
    id: "t.one",
    title: "one",
    revision: 1,
    timeoutSeconds: 20,
    ...more,
});

const batchOf = (script: string) => encodeBatch([{ id: "x", fingerprint: "f", timeoutSeconds: 5, script }]);

/** The call with which a holder starts a batch of this size. */
const runCall = (holder: string, sizeBytes: number) =>
    ({ verb: "run", id: "x", fingerprint: "f", holder, timeoutSeconds: 5, attempt: 1, offset: 0, sizeBytes }) as const;

describe("steps with the real agent", () => {
    let root: string;
    let node: LocalConnection;
    let trace: string;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-agent-"));
        node = new LocalConnection(root);
        trace = join(root, "trace");
        writeFileSync(trace, "");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const run = (bodies: StepBody[], more: Partial<RunContext> = {}) => {
        const steps = plan(
            bodies.map(body => () => body),
            {},
            "key",
        );
        const report = () => {};
        return runSteps(steps, { node: "n1", clusterId: "c1", connection: node, done: {}, report, ...more });
    };
    const failure = (bodies: StepBody[], more: Partial<RunContext> = {}) =>
        run(bodies, more).then(
            () => assert.fail("did not fail"),
            (error: unknown) => {
                assert.ok(error instanceof StepsFailed, String(error));
                return error;
            },
        );
    const traced = () => readFileSync(trace, "utf8");

    it("runs each step once, in order, and nothing the second time", async () => {
        await run(tracedSteps(4, trace, 0));
        const done = await run(tracedSteps(4, trace, 0));
        assert.deepEqual(readTrace(traced()), eachOnce(4));
        assert.equal(Object.keys(done).length, 4);
    });

    it("runs again exactly the step that changed", async () => {
        await run(tracedSteps(3, trace, 0));
        const changed = tracedSteps(3, trace, 0);
        changed[1].secrets = { token: "canary-4712" };
        await run(changed);
        assert.deepEqual(readTrace(traced()).started, { s0: 1, s1: 2, s2: 1 });
    });

    it("does a step again that failed on the way to another state, also where the program goes back", async () => {
        const before = tracedSteps(2, trace, 0);
        const done = await run(before);
        const bad = tracedSteps(2, trace, 0);
        bad[0] = { ...bad[0]!, run: "false", secrets: { token: "canary-4712" } };
        // once with an operator that hears of it, once with one that was killed: then its state has the former fingerprint
        const error = await failure(bad, { done });
        assert.deepEqual(Object.keys(error.done), ["trace.s1"]);
        const again = await run(before, { done });
        assert.deepEqual(again, done);
        assert.deepEqual(readTrace(traced()).started, { s0: 2, s1: 1 });
        await run(before, { done });
        assert.deepEqual(readTrace(traced()).started, { s0: 2, s1: 1 });
    });

    it("does what was not done after kill -9 in the middle of each step, and no step twice", async () => {
        const count = 8;
        for (let killedIn = 0; killedIn < count; killedIn++) {
            const folder = mkdtempSync(join(root, "node-"));
            const file = join(folder, "trace");
            writeFileSync(file, "");
            const bodies = tracedSteps(count, file, { [killedIn]: 1.5 });
            const first = startOperator({ root: folder, bodies });
            await until(60, () => readFileSync(file, "utf8").includes(`start s${killedIn} `));
            first.kill("SIGKILL");
            await first.finished;
            assert.ok(!readFileSync(file, "utf8").includes(`end s${killedIn} `), "killed too late to prove anything");
            await run(bodies, { connection: new LocalConnection(folder) });
            assert.deepEqual(readTrace(readFileSync(file, "utf8")), eachOnce(count), `killed in step ${killedIn}`);
        }
    });

    it("begins no other step once the operator is dead", async () => {
        const bodies = tracedSteps(4, trace, { 1: 1 });
        const operator = startOperator({ root, bodies });
        await until(60, () => traced().includes("start s1 "));
        operator.kill("SIGKILL");
        await operator.finished;
        await until(60, () => traced().includes("end s1 "));
        await sleep(500);
        assert.deepEqual(readTrace(traced()).started, { s0: 1, s1: 1 });
        await run(bodies);
        assert.deepEqual(readTrace(traced()), eachOnce(4));
    });

    it("ends when the run is stopped: the lease is free at once, no other step begins, the next run goes on", async () => {
        const bodies = tracedSteps(3, trace, { 1: 2 });
        const stop = new AbortController();
        const said: string[] = [];
        const report = (line: string) => void said.push(line);
        const running = failure(bodies, { signal: stop.signal, report });
        // The node has done more than the run knows.
        await until(60, () => traced().includes("start s1 ") && said.some(line => line.includes("2/3")));
        stop.abort();
        const error = await running;
        assert.equal(error.code, "CANCELLED");
        assert.deepEqual(Object.keys(error.done), ["trace.s0"]);
        assert.ok(!traced().includes("end s1 "), "it did not wait for the step");
        assert.ok(!existsSync(join(root, "run", "lease")));
        await run(bodies);
        assert.deepEqual(readTrace(traced()), eachOnce(3));
    });

    it("goes on after the network was cut in a long step, without a gap or repetition in its output", async () => {
        const count = "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i + 1)); sleep 0.1; done; exit 9";
        const running = failure([one({ run: count })]);
        await sleep(1000);
        node.cut();
        await sleep(1500);
        node.restore();
        const error = await running;
        assert.equal(error.output, Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n"));
        assert.ok(node.calls.filter(call => call[1] === "run").length >= 2);
    });

    it("lets one of two runs work and the other wait; nothing runs twice or at once", async () => {
        const second = new LocalConnection(root);
        const bodies = tracedSteps(3, trace, 0.3);
        const waited: string[] = [];
        const first = run(bodies);
        await until(60, () => traced().includes("start"));
        await run(bodies, { connection: second, report: text => waited.push(text) });
        await first;
        assert.deepEqual(readTrace(traced()), eachOnce(3));
        assert.ok(
            waited.some(text => text.startsWith("waiting for the lease")),
            waited.join("\n"),
        );
    });

    it("fails with NODE_BUSY beside a run that does not end", async () => {
        const first = run(tracedSteps(1, trace, 6), { leaseSeconds: 3 });
        await until(60, () => traced().includes("start"));
        const error = await failure(tracedSteps(1, trace, 6), { connection: new LocalConnection(root) });
        assert.equal(error.code, "NODE_BUSY");
        await first;
        assert.deepEqual(readTrace(traced()), eachOnce(1));
    });

    it("waits until the lease of a dead holder on another machine expires, not longer", async () => {
        await run([]);
        const call = { verb: "open", cluster: "c1", node: "n1", holder: "away.1.1.1.x", ttlSeconds: 2 } as const;
        assert.equal((await node.exec(encodeCall(call))).code, 0);
        const began = performance.now();
        await run(tracedSteps(1, trace, 0));
        const seconds = (performance.now() - began) / 1000;
        assert.ok(seconds > 0.9 && seconds < 5, `${seconds}`);
    });

    it("starts nothing for a holder that has lost its lease", async () => {
        await run([]);
        const stdin = batchOf(`echo start s0 1 >>${trace}`);
        const { code } = await node.exec(encodeCall(runCall("late", stdin.length)), { stdin });
        assert.equal(code, agentExit.leaseLost);
        assert.equal(traced(), "");
    });

    it("starts no script that came only in part", async () => {
        const open = { verb: "open", cluster: "c1", node: "n1", holder: "h", ttlSeconds: 30 } as const;
        await run([]);
        await node.exec(encodeCall(open));
        const stdin = batchOf(`echo start >>${trace}\necho more >>${trace}`).slice(0, -25);
        const { code } = await node.exec(encodeCall(runCall("h", 999)), { stdin });
        assert.equal(code, agentExit.truncated);
        assert.equal(traced(), "");
    });

    it("starts a step again after a reboot in its middle", async () => {
        const bodies = tracedSteps(3, trace, { 1: 3 });
        const running = run(bodies);
        await until(60, () => traced().includes("start s1"));
        const pid = Number(/start s1 (\d+)/.exec(traced())![1]);
        node.cut();
        killTree(wrapperOf(pid));
        rmSync(join(root, "run"), { recursive: true });
        node.restore();
        await running;
        const seen = readTrace(traced(), true);
        assert.deepEqual(seen.started, { s0: 1, s1: 2, s2: 1 });
        assert.deepEqual(seen.ended, { s0: 1, s1: 1, s2: 1 });
    });

    it("ends a step at its deadline, with everything it had started", async () => {
        const error = await failure([one({ timeoutSeconds: 1, run: `sh -c 'sleep 3; echo start >>${trace}' & wait` })]);
        assert.equal(error.code, "STEP_TIMEOUT");
        await sleep(2500);
        assert.equal(traced(), "");
    });

    it("gives secrets as root-only files that are gone when the step ends, also at its deadline", async () => {
        const run = `stat -c %a "$SECRETS" "$SECRETS/token"; echo "at $SECRETS"; ps axww; sleep 5`;
        const error = await failure([one({ timeoutSeconds: 1, secrets: { token: "canary-4711" }, run })]);
        assert.match(error.output!, /^700\n600\nat /);
        assert.ok(!error.output!.includes("canary-4711") && !error.output!.includes("***"));
        const folder = /^at (.*)$/m.exec(error.output!)![1];
        assert.ok(!existsSync(folder));
        assert.throws(() => execFileSync("grep", ["-r", "canary-4711", root]), "the secret is still on the node");
    });

    it("keeps journal, log and agent from other users", async () => {
        await run(tracedSteps(1, trace, 0));
        for (const folder of ["journal", "log"]) {
            assert.equal(statSync(join(root, "state", folder)).mode & 0o77, 0, folder);
        }
        assert.equal(statSync(join(root, "run")).mode & 0o77, 0);
    });

    it("does nothing where the probe finds it done, and asks with the step's environment", async () => {
        const probe = one({ probe: 'test "$A" = "it\'s"', env: { A: "it's" }, run: `echo start >>${trace}` });
        await run([probe]);
        assert.equal(traced(), "");
        await run([{ ...probe, env: { A: "other" } }]);
        assert.equal(traced(), "start\n");
    });

    it("stops at the first command that fails and at unset variables", async () => {
        assert.equal((await failure([one({ run: `false; echo start >>${trace}` })])).code, "STEP_FAILED");
        assert.equal((await failure([one({ run: `echo "$UNSET_X" >>${trace}` })])).code, "STEP_FAILED");
        assert.equal(traced(), "");
    });

    it("refuses the machine of another cluster and another node's, until it is forgotten", async () => {
        await run(tracedSteps(1, trace, 0));
        assert.equal((await failure([], { clusterId: "c2" })).code, "FOREIGN_NODE");
        assert.equal((await failure([], { node: "n2" })).code, "FOREIGN_NODE");
        await forgetNode(node);
        assert.ok(!existsSync(join(root, "state")), "nothing of ours stays");
        await run([], { clusterId: "c2" });
    });
});

/** The step's processes share the session of the wrapper. */
function wrapperOf(pid: number): number {
    return Number(execFileSync("ps", ["-o", "sid=", "-p", String(pid)], { encoding: "utf8" }));
}

function killTree(session: number): void {
    const pids = execFileSync("ps", ["-o", "pid=", "-s", String(session)], { encoding: "utf8" })
        .trim()
        .split(/\s+/);
    for (const pid of [String(session), ...pids]) {
        try {
            process.kill(Number(pid), "SIGKILL");
        } catch {
            // ended meanwhile
        }
    }
}
