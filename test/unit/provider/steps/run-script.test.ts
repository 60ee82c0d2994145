import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { callAgent, forgetNode, plan, runSteps } from "../../../../provider/steps";
import { underWayScript } from "../../../../provider/steps/alone";
import { encodeScript, parseOpened } from "../../../../provider/steps/protocol";
import { runScript, type ScriptCall, waits } from "../../../../provider/steps/run-script";
import { LocalConnection } from "../../../integration/provider/steps/local-connection";
import { projectRoot } from "../../../support/user-project";

describe("a script that runs alone on a machine", function () {
    this.timeout(30_000);
    const usual = { ...waits };
    let root: string;
    let node: LocalConnection;
    let trace: string;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-alone-"));
        node = new LocalConnection(root);
        trace = join(root, "trace");
        writeFileSync(trace, "");
    });
    afterEach(() => {
        Object.assign(waits, usual);
        rmSync(root, { recursive: true, force: true });
    });

    /** Records its begin and its end, with this many seconds in between. */
    const slow = (name: string, seconds: number) =>
        `echo "${name} begins" >> ${trace}\nsleep ${seconds}\necho "${name} ends" >> ${trace}`;
    const run = (script: string, more: Partial<ScriptCall> = {}) =>
        runScript(node, {
            script,
            timeoutSeconds: 20,
            node: "w1",
            step: "reset the node",
            alone: "node.reset",
            ...more,
        });
    const traced = () => readFileSync(trace, "utf8").trim().split("\n");
    const begun = async (name: string) => {
        for (const end = Date.now() + 10_000; !traced().includes(`${name} begins`); await sleep(20)) {
            assert.ok(Date.now() < end, "waited in vain");
        }
    };
    const open = async (holder: string, ttlSeconds: number) => {
        const call = { verb: "open", cluster: "c1", node: "w1", holder, ttlSeconds } as const;
        return parseOpened((await callAgent(node, call)).stdout);
    };
    /** The operator's process is killed; what it started goes on. */
    const killed = async (name: string, seconds: number) => {
        const running = run(slow(name, seconds));
        await begun(name);
        node.cut();
        await assert.rejects(running);
        node.restore();
    };
    const underWay = async () =>
        (await node.exec(["sh", "-s"], { stdin: encodeScript({ run: underWayScript }) })).stdout;

    it("gives its output and its exit code, and leaves nothing running", async () => {
        assert.equal(await run("echo done"), "done\n");
        await assert.rejects(run("exit 43", { errors: { 43: "DRAIN_FAILED" } }), /w1: reset the node: DRAIN_FAILED/);
        await assert.rejects(run("false\necho not reached"), /STEP_FAILED[\s\S]*exit code 1/);
        assert.deepEqual((await open("me", 1)).running, {});
        assert.equal(await underWay(), "");
    });

    it("is waited for by the next one where its operator was killed", async () => {
        await killed("first", 1.5);
        const said: string[] = [];
        await run(slow("second", 0), { report: text => said.push(text) });
        assert.deepEqual(traced(), ["first begins", "first ends", "second begins", "second ends"]);
        assert.match(said[0]!, /^reset the node \(w1\): waiting, node\.reset is still going on there/);
    });

    it("is waited for by steps, and seen by the first look", async () => {
        await killed("reset", 1.5);
        assert.equal(await underWay(), "underWay=node.reset\n");
        const step = { id: "t.one", title: "join", revision: 1, timeoutSeconds: 20, run: slow("step", 0) };
        const report = () => {};
        await runSteps(plan([() => step], {}, "key"), {
            node: "w1",
            clusterId: "c1",
            connection: node,
            done: {},
            report,
        });
        assert.deepEqual(traced(), ["reset begins", "reset ends", "step begins", "step ends"]);
        assert.equal(await underWay(), "");
    });

    it("is seen by agents of former releases", async () => {
        const folder = join(projectRoot, "test/integration/provider/steps/fixtures");
        const recorded = readdirSync(folder).filter(name => /^agent-.*\.sh$/.test(name));
        assert.ok(recorded.length > 0);
        await killed("reset", 1.5);
        for (const name of recorded) {
            const { stdout } = await node.exec(["sh", join(folder, name), "open", "c1", "w1", "former", "5"]);
            assert.match(stdout, /^running node\.reset \S+$/m, name);
            await node.exec(["sh", join(folder, name), "wait", "node.reset", "0"]);
            assert.deepEqual(traced(), ["reset begins", "reset ends"], name);
        }
    });

    it("waits for steps that a killed run left running", async () => {
        const step = { id: "t.one", title: "join", revision: 1, timeoutSeconds: 20, run: slow("step", 1.5) };
        const steps = plan([() => step], {}, "key");
        const holding = runSteps(steps, {
            node: "w1",
            clusterId: "c1",
            connection: node,
            done: {},
            report: () => {},
            leaseSeconds: 1,
        });
        await begun("step");
        await run(slow("reset", 0));
        await holding;
        assert.deepEqual(traced(), ["step begins", "step ends", "reset begins", "reset ends"]);
    });

    it("waits for the lease of another run, and says whose it is where it does not end", async () => {
        await open("host.1.2.3.abc", 2);
        waits.lease = 0;
        await assert.rejects(run("echo wrong"), /NODE_BUSY\s+host\.1\.2\.3\.abc holds the lease/);
        waits.lease = 10;
        assert.equal(await run("echo right"), "right\n");
    });

    it("that does not end is named", async () => {
        await killed("first", 2);
        waits.running = 0;
        await assert.rejects(run("true"), /NODE_BUSY\s+node\.reset is still going on there[\s\S]*restart the machine/);
    });

    it("is over with its own process, although what it started lives on", async () => {
        await run("sleep 20 >/dev/null 2>&1 </dev/null &");
        const began = Date.now();
        await run("true");
        assert.ok(Date.now() - began < 5000);
    });

    it("needs nothing of ours on the machine, and is forgotten with it", async () => {
        assert.equal(await run("echo done"), "done\n");
        await forgetNode(node);
        assert.equal(await run("echo again"), "again\n");
    });
});
