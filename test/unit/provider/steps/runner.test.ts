import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/errors";
import { runSteps, type Step, StepsFailed } from "../../../../provider/steps";
import { formatBegin, formatStepEnd } from "../../../../provider/steps/batch";
import { agentExit, formatEnd } from "../../../../provider/steps/protocol";
import type { RunContext } from "../../../../provider/steps/runner";
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

    beforeEach(() => {
        node = new FakeNode();
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
            onControlPlane: "kubeadm token create",
        });
        assert.deepEqual(await run([all], { controlPlane: async () => node }), { a: "a1" });
        assert.deepEqual(node.log, [
            "open",
            "probe a",
            "upload /opt/kubelet",
            "sh -s pulumi-nfv-control-plane",
            "run a",
            "close",
        ]);
        assert.deepEqual(node.files, ["/etc/f 384 root:etcd"]);
        assert.match(node.scripts.at(-1)!, /printf %s '\\''token\n'\\'' >"\$SECRETS\/control-plane"/);
        assert.deepEqual(
            progress.filter(text => text.includes("uploading")),
            [0, 34, 100].map(percent => `1/1 do a: uploading kubelet ${percent} %`),
        );
    });

    it("does nothing more where the probe says that it is so already, and records that", async () => {
        node.probes.a = 0;
        await run([step("a", { probe: "true", onControlPlane: "x" })]);
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
        const join = step("c", { onControlPlane: "x" });
        const big = step("e", { uploads: [{ localPath: "/l", path: "/p", sha256: "s", sizeBytes: 1 }] });
        await run([step("a"), step("b", { probe: "false" }), join, step("d"), big], { controlPlane: async () => node });
        const calls = node.log.filter(line => /^(run|sh|upload)/.test(line));
        assert.deepEqual(calls, ["run a b", "sh -s pulumi-nfv-control-plane", "run c d", "upload /p", "run e"]);
        assert.deepEqual(
            progress.filter(text => !text.includes("uploading")),
            ["a", "b", "c", "d", "e"].map((id, i) => `${i + 1}/5 do ${id}`),
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
        const master = new FakeNode();
        const answers = [
            { code: 1, stdout: "", stderr: "it timed out" },
            { code: 0, stdout: "token\n", stderr: "" },
        ];
        master.exec = async () => answers.shift()!;
        await run([step("d", { retries, onControlPlane: "make a token" })], { controlPlane: async () => master });
        assert.equal(answers.length, 0);
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
        const second = step("b", { onControlPlane: "x" });
        const error = await failure([step("a"), second], { signal: stop.signal });
        assert.equal(error.code, "CANCELLED");
        assert.deepEqual(error.done, { a: "a1" });
        assert.equal(node.lease, undefined);
    });

    it("says which step failed on the control plane, without the token", async () => {
        const master = new FakeNode();
        master.exec = async () => ({ code: 2, stdout: "", stderr: "no etcd" });
        const error = await failure([step("a", { onControlPlane: "x" })], { controlPlane: async () => master });
        assert.match(error.reason, /exit code 2 on fake\nno etcd/);
        assert.deepEqual(ran(), []);
    });
});
