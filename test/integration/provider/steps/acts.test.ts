import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Act, type ActContext, callAgent, plan, runAct, runSteps } from "../../../../provider/steps";
import { encodeBatch, encodeStep } from "../../../../provider/steps/batch";
import { encodeScript, parseOpened } from "../../../../provider/steps/protocol";
import { underWayScript } from "../../../../provider/steps/under-way";
import { until } from "../../../support/eventually";
import { LocalConnection } from "./local-connection";

describe("acts with the real agent", () => {
    let root: string;
    let node: LocalConnection;
    let trace: string;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-acts-"));
        node = new LocalConnection(root);
        trace = join(root, "trace");
        writeFileSync(trace, "");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** Records its begin and its end, with this many seconds in between. */
    const slow = (name: string, seconds: number) =>
        `echo "${name} begins" >> ${trace}\nsleep ${seconds}\necho "${name} ends" >> ${trace}`;
    const act = (run: string, more: Partial<Act> = {}): Act => ({
        ...{ id: "t.reset", title: "reset", target: "self", run, timeoutSeconds: 20 },
        ...more,
    });
    const context = (more: Partial<ActContext> = {}): ActContext => ({
        ...{ node: "m1", clusterId: "c1", connection: node, report: () => {} },
        ...more,
    });
    const step = (run: string) =>
        plan([() => ({ id: "t.one", title: "one", revision: 1, timeoutSeconds: 20, run })], {}, "key");
    const runStep = (run: string) => runSteps(step(run), { ...context(), done: {} });
    const traced = () => readFileSync(trace, "utf8").trim().split("\n");
    const begun = (name: string) => until(60, () => traced().includes(`${name} begins`));
    /** The operator's process is killed; what it started goes on. */
    const killed = async (name: string, more: Partial<ActContext> = {}) => {
        const operator = new LocalConnection(root);
        const stop = new AbortController();
        const running = runAct(act(slow(name, 3)), context({ ...more, connection: operator, signal: stop.signal }));
        await begun(name);
        operator.cut();
        stop.abort();
        await assert.rejects(running);
        rmSync(join(root, more.forNode ? `run/for/${more.forNode}/lease` : "run/lease"), { force: true });
    };
    const inOrder = (...names: string[]) => names.flatMap(name => [`${name} begins`, `${name} ends`]);

    it("are done each time, give their answer, and leave nothing in the journal", async () => {
        const answering = act("echo noise >&2; echo abcdef.secret-token", { answers: true });
        const forAnother = context({ forNode: "w1" });
        for (let i = 0; i < 2; i++) assert.equal(await runAct(answering, forAnother), "abcdef.secret-token\n");
        assert.equal(await runAct(act("echo out; echo err >&2"), context()), "out\nerr\n");
        assert.deepEqual(readdirSync(join(root, "state/journal")), []);
        await assert.rejects(runAct(act("exit 43", { errors: { 43: "DRAIN_FAILED" } }), context()), {
            code: "DRAIN_FAILED",
        });
        const failing = act("echo no answer; false; echo never", { answers: true });
        await assert.rejects(runAct(failing, forAnother), /exit code 1/);
    });

    it("that a killed run left running on its node are seen by the first look, and awaited by steps and acts", async () => {
        await killed("first");
        const { stdout } = await node.exec(["sh", "-s"], { stdin: encodeScript({ run: underWayScript }) });
        assert.equal(stdout, "underWay=t.reset\n");
        await runStep(slow("step", 0));
        await runAct(act(slow("second", 0)), context());
        assert.deepEqual(traced(), inOrder("first", "step", "second"));
    });

    it("wait for the steps of another run", async () => {
        const holding = runStep(slow("step", 2));
        await begun("step");
        await runAct(act(slow("second", 0)), context({ connection: new LocalConnection(root) }));
        await holding;
        assert.deepEqual(traced(), inOrder("step", "second"));
    });

    it("for another node need not wait for this machine's own steps, nor for those for a third one", async () => {
        const own = runSteps(step(slow("own", 20)), { ...context(), done: {} });
        const third = runAct(act(slow("third", 20)), context({ forNode: "w2" }));
        own.catch(() => {});
        third.catch(() => {});
        await Promise.all([begun("own"), begun("third")]);
        await runAct(act(slow("second", 0)), context({ forNode: "w1" }));
        assert.deepEqual(traced().slice(2), inOrder("second"));
        for (const pid of pidsOf(root)) process.kill(pid, "SIGKILL");
        await Promise.allSettled([own, third]);
    });

    it("for one node wait for each other, also behind a killed run", async () => {
        await killed("first", { forNode: "w1" });
        await runAct(act(slow("second", 0)), context({ forNode: "w1" }));
        assert.deepEqual(traced(), inOrder("first", "second"));
    });

    it("for another node leave no answer, no log and no journal on the machine", async () => {
        await runAct(act("echo canary-4713", { answers: true }), context({ forNode: "w1" }));
        assert.throws(() => execFileSync("grep", ["-r", "canary-4713", root]), "the answer is still there");
        assert.ok(!existsSync(join(root, "state/journal")) && !existsSync(join(root, "state/log")));
        assert.ok(!existsSync(join(root, "state/cluster")), "the machine's own records are its own");
        assert.equal(statSync(join(root, "run/for/w1")).mode & 0o77, 0);
    });

    it("leave no answer either when their lease has expired meanwhile", async () => {
        const lease = { holder: "h", forNode: "w1" };
        await callAgent(node, { verb: "open", cluster: "c1", node: "m1", ttlSeconds: 60, ...lease });
        const step = { id: "t.token", fingerprint: "act-1", timeoutSeconds: 5 };
        const stdin = encodeBatch([{ ...step, script: encodeStep({ run: "echo canary-4714", answers: true }) }]);
        const rest = { attempt: 1, offset: 0, sizeBytes: Buffer.byteLength(stdin) };
        const { stdout } = await callAgent(
            node,
            { verb: "run", ...step, ...rest, ...lease },
            { stdin, keepStdinOpen: true },
        );
        assert.match(stdout, /canary-4714/);
        const file = join(root, "run/for/w1/lease");
        const [holder, , boot] = readFileSync(file, "utf8").trim().split(" ");
        writeFileSync(file, `${holder} 0 ${boot}\n`);
        await callAgent(node, { verb: "close", ...lease });
        assert.throws(() => execFileSync("grep", ["-r", "canary-4714", root]), "the answer is still there");
    });

    it("leave the lease of another run as it is", async () => {
        const theirs = { verb: "open", cluster: "c1", node: "m1", holder: "h", ttlSeconds: 30, forNode: "w1" } as const;
        await callAgent(node, theirs);
        await callAgent(node, { verb: "close", holder: "me", forNode: "w1" });
        assert.equal((await callAgent(node, { ...theirs, holder: "me" })).code, 70);
    });

    it("are refused by a machine of another cluster or node", async () => {
        await runStep("true");
        for (const wrong of [{ clusterId: "c2" }, { node: "m2" }]) {
            await assert.rejects(runAct(act("true"), context({ ...wrong, forNode: "w1" })), { code: "FOREIGN_NODE" });
        }
    });

    it("that came only in part do nothing", async () => {
        const open = { verb: "open", cluster: "c1", node: "m1", holder: "h", ttlSeconds: 30, forNode: "w1" } as const;
        assert.deepEqual(parseOpened((await callAgent(node, open)).stdout), { done: {}, running: {} });
        const rest = { fingerprint: "act-1", timeoutSeconds: 5, attempt: 1, offset: 0, sizeBytes: 999 };
        const call = { verb: "run", id: "t.reset", holder: "h", forNode: "w1", ...rest } as const;
        const { code } = await callAgent(node, call, {
            stdin: `nfv_step t.reset act-1 5 'echo x begins >>${trace}'\n`,
        });
        assert.equal(code, 65);
        assert.deepEqual(traced(), [""]);
    });
});

/** Processes that work in this folder. */
function pidsOf(folder: string): number[] {
    const lines = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
    return lines
        .filter(line => line.includes(folder) && !line.includes("mocha"))
        .map(line => Number.parseInt(line, 10));
}
