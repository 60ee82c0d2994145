import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/common/errors";
import { type Act, type ActContext, runAct, runSteps, type Step, StepsFailed } from "../../../../provider/steps";
import { formatBegin, formatStepEnd } from "../../../../provider/steps/batch";
import { agentExit, encodeCall, formatEnd, isAct } from "../../../../provider/steps/protocol";
import type { RunContext } from "../../../../provider/steps/run-context";
import { FakeClock, FakeNode } from "./fake-node";

const step = (id: string, more: Partial<Step> = {}): Step => ({
    id,
    title: `do ${id}`,
    revision: 1,
    timeoutSeconds: 60,
    fingerprint: `${id}1`,
    run: "true",
    ...more,
});
const lost = () => new NfvError({ code: "CONNECTION_LOST", cause: "cut" });
const ended = (exitCode: number, output = "", seconds = 0) => ({ exitCode, output, seconds });

describe("running steps", () => {
    let node: FakeNode;
    let clock: FakeClock;
    let progress: string[];
    let master: FakeNode;
    const fromMaster = async () => ({ name: "m1", connection: master });
    const preparation: Act = {
        id: "p",
        title: "prepare",
        target: "controlPlane",
        run: "x",
        timeoutSeconds: 30,
        answers: true,
    };

    beforeEach(() => {
        node = new FakeNode();
        master = new FakeNode();
        clock = new FakeClock();
        progress = [];
    });

    const run = (steps: Step[], more: Partial<RunContext> = {}) =>
        runSteps(steps, {
            node: "n1",
            clusterId: "c1",
            connection: node,
            done: {},
            report: text => progress.push(text),
            clock,
            ...more,
        });
    const failure = async (steps: Step[], more: Partial<RunContext> = {}): Promise<StepsFailed> => {
        const error = await run(steps, more).then(
            () => assert.fail("did not fail"),
            error => error,
        );
        assert.ok(error instanceof StepsFailed, String(error));
        return error;
    };
    const ran = () => node.started.map(({ id }) => id);

    it("does probe, uploads, files, control plane and run in this order, under a lease", async () => {
        const all = step("a", {
            probe: "false",
            uploads: [{ localPath: "/l", path: "/opt/kubelet", sha256: "s", sizeBytes: 100 }],
            files: [{ path: "/etc/f", content: "x", mode: 0o600, owner: "root:etcd" }],
            preparation,
        });
        assert.deepEqual(await run([all], { controlPlane: fromMaster }), { a: "a1" });
        assert.deepEqual(node.log, ["open", "probe a", "upload /opt/kubelet", "run a", "close"]);
        assert.deepEqual(master.log, ["open for n1", "run p for n1", "close for n1"]);
        assert.deepEqual(node.files, ["/etc/f 384 root:etcd"]);
        assert.match(node.scripts.at(-1)!, /printf %s '\\''token\n'\\'' >"\$SECRETS\/control-plane"/);
        assert.deepEqual(
            progress.filter(text => text.includes("uploading")),
            [0, 34, 100].map(percent => `1/1 do a: uploading kubelet ${percent} %`),
        );
    });

    it("does nothing more where the probe says that it is so already, and records that", async () => {
        node.probes.a = 0;
        await run([step("a", { probe: "true", preparation })]);
        assert.deepEqual(node.log, ["open", "probe a", "done a", "close"]);
    });

    it("records a step that has only files", async () => {
        await run([step("a", { run: undefined, files: [{ path: "/f", content: "" }] })]);
        assert.deepEqual(node.journal, { a: "a1" });
    });

    it("skips what node or state have recorded; where they differ, the node is right", async () => {
        Object.assign(node.journal, { a: "a1", b: "b0" });
        const done = await run([step("a"), step("b"), step("c"), step("d")], { done: { a: "a0", b: "b1", c: "c1" } });
        assert.deepEqual(ran(), ["b", "d"]);
        assert.deepEqual(done, { a: "a1", b: "b1", c: "c1", d: "d1" });
        assert.deepEqual(progress, ["1/2 do b", "2/2 do d"]);
    });

    it("does everything again on a machine that was rebuilt and has no journal", async () => {
        await run([step("a")], { done: { a: "a1" } });
        assert.deepEqual(ran(), ["a"]);
    });

    it("waits for what a dead run left running, and takes its result", async () => {
        node.leaveRunning("a", "a1");
        await run([step("a"), step("b")]);
        assert.deepEqual(node.log, ["open", "wait a", "run b", "close"]);
    });

    it("sends steps together up to the next for which the operator's side has something to do", async () => {
        const join = step("c", { preparation });
        const big = step("e", { uploads: [{ localPath: "/l", path: "/p", sha256: "s", sizeBytes: 1 }] });
        await run([step("a"), step("b", { probe: "false" }), join, step("d"), big], { controlPlane: fromMaster });
        const calls = node.log.filter(line => /^(run|sh|upload)/.test(line));
        assert.deepEqual(calls, ["run a b", "run c d", "upload /p", "run e"]);
        assert.deepEqual(master.started, [{ id: "p", timeoutSeconds: 30 }]);
        assert.deepEqual(
            progress.filter(text => !text.includes("uploading")),
            ["1/5 do a", "2/5 do b", "3/5 do c", "3/5 do c: prepare", "4/5 do d", "5/5 do e"],
        );
    });

    it("begins again behind the last step that ended, when one fails and may be retried", async () => {
        node.answers.b = [ended(7)];
        await run([step("a"), step("b", { retries: { times: 1, delaySeconds: 5 } }), step("c")]);
        assert.deepEqual(ran(), ["a", "b", "b", "c"]);
        assert.deepEqual(node.log, ["open", "run a b c", "run b c", "close"]);
    });

    it("fails with exit code, the last 15 lines without secrets, the whole output, and what was done so far", async () => {
        const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
        node.answers.b = [ended(3, `${lines}\ntoken is hunter2-secret\n`)];
        const error = await failure([step("a"), step("b", { secrets: { t: "hunter2-secret" } }), step("c")]);
        assert.equal(error.code, "STEP_FAILED");
        assert.equal(error.node, "n1");
        assert.equal(error.step, "do b");
        assert.match(error.reason, /^exit code 3\nline 26\n(.*\n)*token is \*\*\*$/);
        assert.match(error.output!, /^line 0\n(.*\n)*token is \*\*\*$/);
        assert.deepEqual(error.done, { a: "a1" });
        assert.equal(node.lease, undefined);
    });

    it("tells a step that met its deadline from one whose own exit code is 124", async () => {
        node.answers.a = [ended(124, "", 2)];
        assert.equal((await failure([step("a")])).code, "STEP_FAILED");
        node.answers.a = [ended(124, "", 60)];
        assert.equal((await failure([step("a")])).code, "STEP_TIMEOUT");
    });

    it("retries only what is said to be transient, as often as said", async () => {
        const retries = { times: 2, delaySeconds: 5, onExitCodes: [7] };
        node.answers.a = [ended(7), ended(7)];
        await run([step("a", { retries })]);
        assert.deepEqual(clock.slept, [5, 5]);
        node.answers.b = [ended(7), ended(7), ended(7)];
        await failure([step("b", { retries })]);
        assert.equal(ran().filter(id => id === "b").length, 3);
        node.answers.c = [ended(8)];
        await failure([step("c", { retries })]);
        assert.equal(ran().filter(id => id === "c").length, 1);
    });

    it("knows a transient failure by its output, of the node or of the control plane", async () => {
        const retries = { times: 2, delaySeconds: 5, onOutput: [/timed out/], neverOnOutput: [/too late/] };
        node.answers.a = [ended(1, "it timed out"), ended(1, "it timed out")];
        await run([step("a", { retries })]);
        node.answers.b = [ended(1, "no such thing")];
        assert.match((await failure([step("b", { retries })])).reason, /no such thing/);
        node.answers.c = [ended(1, "it timed out, and too late")];
        await failure([step("c", { retries })]);
        assert.deepEqual(ran(), ["a", "a", "a", "b", "c"]);
        master.answers.p = [ended(1, "it timed out")];
        await run([step("d", { retries, preparation })], { controlPlane: fromMaster });
        assert.equal(master.started.length, 2);
        assert.deepEqual(clock.slept, [5, 5, 5]);
    });

    it("does not retry past the step's deadline", async () => {
        node.answers.a = Array.from({ length: 9 }, () => ended(1));
        await failure([step("a", { timeoutSeconds: 12, retries: { times: 9, delaySeconds: 5 } })]);
        assert.deepEqual(clock.slept, [5, 5]);
        assert.deepEqual(
            node.started.map(({ timeoutSeconds }) => timeoutSeconds),
            [12, 7, 2],
        );
    });

    it("repeats the same attempt after a lost connection, so that nothing starts twice", async () => {
        node.answers.a = [lost(), lost()];
        await run([step("a")]);
        const attempts = node.calls.flatMap(call => (call.verb === "run" ? [call.attempt] : []));
        assert.deepEqual(attempts, [1, 1, 1]);
        assert.deepEqual(clock.slept, [0.5, 1]);
    });

    it("goes on at the byte up to which it has read", async () => {
        const first = node.exec.bind(node);
        let cut = true;
        node.exec = async (argv, options) => {
            if (argv[1] === "run" && cut) {
                cut = false;
                options?.onOutput?.(`${formatBegin("a")}häl`, "stdout");
                throw lost();
            }
            return first(argv, options);
        };
        node.answers.a = [{ stdout: `lo${formatStepEnd("a", "a1", 1, 0)}`, stderr: formatEnd(1) }];
        const error = await failure([step("a")]);
        const call = node.calls.find(c => c.verb === "run");
        assert.equal(call?.verb === "run" && call.offset, Buffer.byteLength(formatBegin("a")) + 4);
        assert.equal(error.output, "hällo");
    });

    it("gives up on a node that does not come back, after the deadline or a minute", async () => {
        node.answers.a = Array.from({ length: 99 }, lost);
        assert.equal((await failure([step("a", { timeoutSeconds: 10 })])).code, "CONNECTION_LOST");
        const slept = clock.slept.reduce((a, b) => a + b, 0);
        assert.ok(slept >= 60 && slept < 70, `${slept}`);
    });

    it("does not count a step as done as before that may have begun on a node that was lost for good", async () => {
        Object.assign(node.journal, { a: "a0", b: "b0", c: "c1", d: "d0" });
        const original = node.exec.bind(node);
        let isCut = false;
        node.exec = async (argv, options) => {
            if (isCut) throw lost();
            if (argv[1] !== "run") return original(argv, options);
            isCut = true;
            options?.onOutput?.(`${formatBegin("a")}${formatStepEnd("a", "a1", 0, 0)}`, "stdout");
            throw lost();
        };
        const later = step("d", { preparation });
        const error = await failure([step("a"), step("b"), step("c"), later], { controlPlane: fromMaster });
        assert.equal(error.code, "CONNECTION_LOST");
        // The batch was a and b. d waits for the operator's side, so it cannot have begun.
        assert.deepEqual(error.done, { a: "a1", c: "c1", d: "d0" });
    });

    it("does not count a step as done as before that a dead run may have begun, where the wait for that run broke off", async () => {
        node.leaveRunning("a", "a1");
        Object.assign(node.journal, { b: "b0", c: "c1" });
        const original = node.exec.bind(node);
        node.exec = async (argv, options) => {
            if (argv[1] === "wait") throw lost();
            return original(argv, options);
        };
        assert.deepEqual((await failure([step("a"), step("b"), step("c")])).done, { c: "c1" });
    });

    it("keeps what is behind a step that failed: it did not begin", async () => {
        Object.assign(node.journal, { a: "a0", b: "b0" });
        node.answers.a = [ended(1)];
        assert.deepEqual((await failure([step("a"), step("b")])).done, { b: "b0" });
    });

    it("fails at once if the first contact fails", async () => {
        node.failures = [new NfvError({ code: "CONNECT_FAILED", cause: "refused" })];
        assert.equal((await failure([step("a")])).code, "CONNECT_FAILED");
        assert.deepEqual(clock.slept, []);
    });

    it("starts a step again that vanished without an exit code, but not for ever", async () => {
        node.answers.a = [{ code: agentExit.unknown }];
        await run([step("a")]);
        assert.deepEqual(node.log, ["open", "run a", "open", "run a", "close"]);
        node.answers.b = Array.from({ length: 9 }, () => ({ code: agentExit.unknown }));
        assert.match((await failure([step("b")])).reason, /killed on the node again and again/);
    });

    it("takes the lease again when it has been lost, and only then goes on", async () => {
        node.answers.a = [{ code: agentExit.leaseLost }];
        await run([step("a")]);
        assert.deepEqual(node.log, ["open", "run a", "open", "run a", "close"]);
    });

    it("does not run a step again that ended while the lease was another's", async () => {
        const original = node.exec.bind(node);
        node.exec = async (argv, options) => {
            if (argv[1] === "run") node.journal["a"] = "a1";
            return original(argv, options);
        };
        node.answers.a = [{ code: agentExit.leaseLost }];
        assert.deepEqual(await run([step("a")]), { a: "a1" });
        assert.deepEqual(node.log, ["open", "run a", "open", "close"]);
    });

    for (const there of [true, false]) {
        it(`installs the agent at first contact${there ? ", unless another run was faster" : ""}`, async () => {
            const original = node.exec.bind(node);
            let tries = 0;
            node.exec = async (argv, options) => {
                if (argv[1] === "open" && ++tries === 1) return { code: 127, stdout: "", stderr: "not found" };
                if (argv[0] === "test") return { code: there ? 0 : 1, stdout: "", stderr: "" };
                return original(argv, options);
            };
            await run([step("a")]);
            assert.deepEqual(node.log.slice(there ? 0 : 1), ["open", "run a", "close"]);
            if (!there) assert.match(node.log[0], /^file \/var\/lib\/pulumi-nfv\/agent-[0-9a-f]{12} 448 -$/);
        });
    }

    it("waits for another step that runs on the node, and then starts", async () => {
        node.answers.a = [{ code: agentExit.otherRunning, stderr: "running b b0\n" }];
        await run([step("a")]);
        assert.deepEqual(node.log, ["open", "run a", "wait b", "open", "run a", "close"]);
    });

    it("waits for the lease of a dead holder", async () => {
        node.lease = "other.0.1.1.x";
        clock.onSleep = () => {
            if (clock.slept.length === 2) node.lease = undefined;
        };
        await run([step("a")]);
        assert.equal(clock.slept.length, 3);
        assert.match(progress[0], /^waiting for the lease of other \(3 s\)$/);
    });

    it("fails with NODE_BUSY if the holder lives on", async () => {
        node.lease = "other.0.1.1.x";
        const error = await failure([step("a")]);
        assert.equal(error.code, "NODE_BUSY");
        assert.deepEqual(ran(), []);
        assert.equal(node.lease, "other.0.1.1.x");
    });

    it("refuses a machine of another cluster", async () => {
        node.cluster = "theirs";
        const error = await failure([step("a")]);
        assert.equal(error.code, "FOREIGN_NODE");
        assert.match(error.reason, /cluster theirs/);
    });

    it("stops when asked to, says where, and gives the lease back", async () => {
        const stop = new AbortController();
        const original = node.exec.bind(node);
        node.exec = async (argv, options) => {
            const result = await original(argv, options);
            if (argv[1] === "run") stop.abort();
            return result;
        };
        const second = step("b", { preparation });
        const error = await failure([step("a"), second], { signal: stop.signal });
        assert.equal(error.code, "CANCELLED");
        assert.deepEqual(error.done, { a: "a1" });
        assert.equal(node.lease, undefined);
    });

    it("says which step failed on the control plane, without the token", async () => {
        master.answers.p = [ended(2, "no etcd")];
        const error = await failure([step("a", { preparation })], { controlPlane: fromMaster });
        assert.match(error.message, /n1: prepare: STEP_FAILED[\s\S]*exit code 2 on m1\n\s*no etcd/);
        assert.deepEqual(ran(), []);
        master.answers.p = [{ ...ended(0), answer: "secret-token" }];
        node.answers.a = [ended(1, "what is secret-token?")];
        assert.match(
            (await failure([step("a", { preparation })], { controlPlane: fromMaster })).reason,
            /what is \*\*\*/,
        );
    });

    it("does a step of the control plane there, for its own node, and records it here", async () => {
        const all = [step("a"), step("b", { target: "controlPlane" }), step("c")];
        assert.deepEqual(await run(all, { controlPlane: fromMaster }), { a: "a1", b: "b1", c: "c1" });
        assert.deepEqual(node.log, ["open", "run a", "done b", "run c", "close"]);
        assert.deepEqual(master.log, ["open for n1", "run b for n1", "close for n1"]);
        assert.deepEqual(master.journal, {});
        assert.deepEqual(progress, ["1/3 do a", "2/3 do b", "3/3 do c"]);
        await run(all, { controlPlane: fromMaster });
        assert.equal(master.started.length, 1, "recorded, so it is not done again");
    });

    it("does a step of the control plane again where it failed, with its own retries", async () => {
        master.answers.b = [ended(7)];
        const labels = step("b", { target: "controlPlane", retries: { times: 1, delaySeconds: 5 } });
        await run([labels], { controlPlane: fromMaster });
        assert.deepEqual([master.started.length, clock.slept], [2, [5]]);
        master.answers.b = [ended(7), ended(7)];
        delete node.journal.b;
        assert.match((await failure([labels], { controlPlane: fromMaster })).reason, /exit code 7 on m1/);
        assert.deepEqual(node.journal, {});
    });
});

describe("an act", () => {
    const drain: Act = {
        id: "t.drain",
        title: "drain",
        target: "controlPlane",
        run: "kubectl drain",
        timeoutSeconds: 30,
    };
    let node: FakeNode;
    let clock: FakeClock;
    let said: string[];

    beforeEach(() => {
        node = new FakeNode();
        clock = new FakeClock();
        said = [];
    });

    const context = (more: Partial<ActContext> = {}): ActContext => ({
        node: "m1",
        clusterId: "c1",
        connection: node,
        forNode: "w1",
        report: text => void said.push(text),
        clock,
        ...more,
    });
    const run = (act: Act = drain, more: Partial<ActContext> = {}) => runAct(act, context(more));

    it("is done each time, whatever the journal says, and is never recorded", async () => {
        node.journal["t.drain"] = "x";
        await run();
        await run();
        assert.deepEqual(
            node.log,
            [1, 2].flatMap(() => ["open for w1", "run t.drain for w1", "close for w1"]),
        );
        assert.deepEqual(node.journal, { "t.drain": "x" });
        const prints = node.calls.flatMap(call => (call.verb === "run" ? [call.fingerprint] : []));
        assert.equal(new Set(prints).size, 2, "no attempt is taken for the one before");
        assert.ok(prints.every(isAct));
        assert.ok(said.includes("drain (w1)"), `${said}`);
    });

    it("gives what it printed, or its answer", async () => {
        node.answers["t.drain"] = [ended(0, "evicted\n"), { ...ended(0, "noise\n"), answer: "token\n" }];
        assert.equal(await run(), "evicted\n");
        assert.equal(await run({ ...drain, answers: true }), "token\n");
    });

    it("gives an answer only for another node: the log of the machine's own batches would keep it", async () => {
        await assert.rejects(run({ ...drain, answers: true }, { forNode: undefined }), /t\.drain answers/);
        assert.deepEqual(node.log, []);
    });

    it("fails when the control-plane node dies in its middle, by the name of that machine; it was not done twice", async () => {
        node.answers["t.drain"] = Array.from({ length: 99 }, lost);
        await assert.rejects(run(), { code: "CONNECTION_LOST", node: "m1" });
        const slept = clock.slept.reduce((a, b) => a + b, 0);
        assert.ok(slept >= 60 && slept < 70, `${slept}`);
        assert.ok(said.includes("connection to m1 lost, trying again"), `${said}`);
        const attempts = node.calls.flatMap(call =>
            call.verb === "run" ? [`${call.fingerprint} ${call.attempt}`] : [],
        );
        assert.equal(new Set(attempts).size, 1, "each call asks for the same attempt");
    });

    it("is done again when the control-plane node was rebooted in its middle", async () => {
        node.answers["t.drain"] = [{ code: agentExit.leaseLost }];
        await run();
        const attempts = node.calls.flatMap(call => (call.verb === "run" ? [call.attempt] : []));
        assert.deepEqual(attempts, [1, 2]);
    });

    it("says for which node the lease is that another run holds", async () => {
        const theirs = { verb: "open", cluster: "c1", node: "m1", holder: "other.0.1.1.x", ttlSeconds: 3 } as const;
        await node.exec(encodeCall({ ...theirs, forNode: "w1" }));
        await assert.rejects(run(), /NODE_BUSY[\s\S]*other\.0\.1\.1\.x holds the lease for w1 on this machine/);
        await run({ ...drain }, { forNode: "w2" });
    });

    it("fails in the name of the node that it is for, with the machine where it was done", async () => {
        node.answers["t.drain"] = [ended(43, "a budget")];
        const going = run({ ...drain, errors: { 43: "DRAIN_FAILED" } });
        await assert.rejects(going, /w1: drain: DRAIN_FAILED[\s\S]*exit code 43 on m1\n\s*a budget/);
    });

    for (const [what, print, calls] of [
        ["is awaited", "act-1", ["wait t.drain for w1"]],
        ["is stopped if that is allowed", "stoppable-1", ["stop t.drain for w1", "wait t.drain for w1"]],
    ] as const) {
        it(`that a killed run left running ${what}; then it is done again`, async () => {
            node.leaveRunning("t.drain", print, "w1");
            await run();
            assert.deepEqual(node.log, ["open for w1", ...calls, "run t.drain for w1", "close for w1"]);
        });
    }

    for (const stoppable of [true, false]) {
        it(`is ${stoppable ? "stopped" : "left to end"} when the run is cancelled`, async () => {
            const stop = new AbortController();
            const original = node.exec.bind(node);
            node.exec = async (argv, options) => {
                if (argv.includes("run")) stop.abort();
                return original(argv, options);
            };
            await assert.rejects(run({ ...drain, stoppable }, { signal: stop.signal }), { code: "CANCELLED" });
            const last = ["close for w1"];
            assert.deepEqual(node.log, ["open for w1", ...(stoppable ? ["stop t.drain for w1"] : []), ...last]);
        });
    }
});
