import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { journalToUndo, readJournal } from "../../../../provider/resources/journal";
import { RunSession } from "../../../../provider/run-session";
import { stateFolder } from "../../../../provider/shell/folders";
import type { FileAttributes, RunOptions } from "../../../../provider/ssh/types";
import {
    agentPath,
    agentText,
    callAgent,
    forgetNode,
    forgetStep,
    plan,
    runAct,
    runSteps,
    type StepBody,
    StepsFailed,
} from "../../../../provider/steps";
import { journalQuery, parsePrintedJournal } from "../../../../provider/steps/print-journal";
import { encodeScript } from "../../../../provider/steps/protocol";
import { query } from "../../../../provider/steps/query";
import { underWayScript } from "../../../../provider/steps/under-way";
import { LocalConnection } from "./local-connection";
import { eachOnce, readTrace, tracedSteps } from "./trace";

const fixture = join(__dirname, "fixtures/agent-756b3c0.sh").replace(join("dist", "test"), "test");
const lastRelease = readFileSync(fixture, "utf8");
const lastPath = `${stateFolder}/agent-756b3c0756b3`;

/** What a former release did on the node to reset it, without its agent (its steps/alone.ts). */
const resetOfFormerRelease = `
    dir=$NFV_RUN_DIR/steps/node.reset
    umask 077
    mkdir "$dir"
    : >"$dir/out"
    : >"$dir/alone"
    exec 8>"$dir/alive"
    flock 8
    echo "script - 0" >"$dir/meta"
    : >"$dir/started"
    trap 'echo "0 0" >"$dir/rc"' EXIT
    (echo "start s8 1" >>"$TRACE"; sleep 1.5; echo "end s8 1" >>"$TRACE") 8>&-
`;

/** The client of a release with another agent: the calls are the same, which the compatibility rule requires. */
class OfLastRelease extends LocalConnection {
    override exec(argv: readonly string[], options: RunOptions = {}) {
        return super.exec(
            argv.map(word => (word === agentPath ? lastPath : word)),
            options,
        );
    }

    override async writeFile(path: string, content: string | Buffer, attributes?: FileAttributes) {
        const [place, text] = path === agentPath ? [lastPath, lastRelease] : [path, content];
        assert.ok(path !== agentPath || content === agentText);
        await super.writeFile(place, text, attributes);
    }
}

const fail = (text: string) => assert.fail(text);
const context = { urn: "", session: new RunSession(), report: () => {}, note: () => {}, warn: fail };

describe("a node on which only the agent of another release is", () => {
    let root: string;
    let trace: string;
    let before: OfLastRelease;
    let now: LocalConnection;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-releases-"));
        trace = join(root, "trace");
        appendFileSync(trace, "");
        before = new OfLastRelease(root);
        now = new LocalConnection(root);
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const run = (connection: LocalConnection, bodies: StepBody[], node = "n1") => {
        const steps = plan(
            bodies.map(body => () => body),
            {},
            "key",
        );
        return runSteps(steps, { node, clusterId: "c1", connection, done: {}, report: () => {} });
    };
    const traced = () => readTrace(readFileSync(trace, "utf8"));
    const agents = () => readdirSync(join(root, "state")).filter(name => name.startsWith("agent-"));

    it("is updated: what that release did is not done again", async () => {
        await run(before, tracedSteps(2, trace, 0));
        assert.equal(agents().length, 1, "or this proves nothing");
        await run(now, tracedSteps(3, trace, 0));
        assert.deepEqual(traced(), eachOnce(3));
    });

    it("is read: a refresh finds its journal", async () => {
        const done = await run(before, tracedSteps(2, trace, 0));
        assert.deepEqual(await readJournal(context, now, "c1", "n1"), { done, running: false });
        assert.equal(await readJournal(context, now, "c2", "n1"), "foreign");
    });

    it("is looked at without a lease, and without an agent of this release", async () => {
        const look = async (cluster: string) =>
            parsePrintedJournal(
                await query(now, journalQuery("n1", join(root, "run"), join(root, "state"))),
                cluster,
                "n1",
            );
        assert.equal(await look("c1"), "blank");
        const done = await run(before, tracedSteps(2, trace, 0));
        assert.deepEqual(await look("c1"), { done, running: {} });
        assert.equal(await look("c2"), "foreign");
        const lease = { cluster: "c1", node: "n1", holder: "somebody", ttlSeconds: 30 };
        assert.equal(agents().length, 1);
        await callAgent(now, { verb: "open", ...lease });
        assert.equal(await look("c1"), "busy");
        await callAgent(now, { verb: "close", holder: "somebody" });
        assert.deepEqual(await look("c1"), { done, running: {} });
    });

    it("is taken out and forgotten, agents of all releases too", async () => {
        await run(before, tracedSteps(2, trace, 0));
        assert.equal(await journalToUndo(now, "c1", "n1", context), "ours");
        await forgetStep(now, "trace.s1");
        const journal = await readJournal(context, now, "c1", "n1");
        assert.ok(typeof journal === "object" && journal.done["trace.s1"] === undefined && journal.done["trace.s0"]);
        await forgetNode(now);
        assert.ok(!existsSync(join(root, "state")), "nothing of ours stays");
        assert.equal(await readJournal(context, now, "c1", "n1"), "blank");
    });

    it("forgets a step although no agent of this release was ever there", async () => {
        await run(before, tracedSteps(2, trace, 0));
        await forgetStep(now, "trace.s0");
        await run(now, tracedSteps(2, trace, 0));
        assert.deepEqual(traced().started, { s0: 2, s1: 1 });
    });

    it("is of another cluster: it is refused, and not even an agent is put there", async () => {
        await run(before, tracedSteps(1, trace, 0), "other");
        await assert.rejects(
            run(now, tracedSteps(1, trace, 0)),
            (error: unknown) => error instanceof StepsFailed && error.code === "FOREIGN_NODE",
        );
        assert.equal(await readJournal(context, now, "c1", "n1"), "foreign");
        assert.equal(agents().length, 1);
    });

    it("has a reset that a former release began beside the agent, and that a killed run left running: it is awaited", async () => {
        await run(before, tracedSteps(1, trace, 0));
        const reset = spawn("sh", ["-c", resetOfFormerRelease], {
            env: { ...process.env, NFV_RUN_DIR: join(root, "run"), TRACE: trace },
        });
        while (!readFileSync(trace, "utf8").includes("start s8")) await sleep(20);
        const { stdout } = await now.exec(["sh", "-s"], { stdin: encodeScript({ run: underWayScript }) });
        assert.equal(stdout, "underWay=node.reset\n");
        const act = { id: "node.reset", title: "reset", target: "self", run: `echo "start s9 1" >>${trace}` } as const;
        await runAct(
            { ...act, timeoutSeconds: 20 },
            { node: "n1", clusterId: "c1", connection: now, report: () => {} },
        );
        assert.equal(readFileSync(trace, "utf8").trim().split("\n").slice(-3).join(), "start s8 1,end s8 1,start s9 1");
        assert.equal(reset.exitCode, 0);
    });

    for (const [title, first, second] of [
        ["the run of that release is waited for by this one", () => before, () => now],
        ["the run of this release is waited for by that one", () => now, () => before],
    ] as const) {
        it(`${title}; nothing runs twice or at once`, async () => {
            const bodies = tracedSteps(3, trace, 0.4);
            const running = run(first(), bodies);
            while (!readFileSync(trace, "utf8").includes("start")) await sleep(20);
            await run(second(), bodies);
            await running;
            assert.deepEqual(traced(), eachOnce(3));
        });

        it(`what an operator left running: ${title.replace("run", "batch")}`, async () => {
            const bodies = tracedSteps(2, trace, { 0: 1.5 });
            const lost = first();
            const running = run(lost, bodies).catch(() => {});
            while (!readFileSync(trace, "utf8").includes("start s0")) await sleep(20);
            lost.cut();
            // like a reboot of the operator's machine: its lease is not renewed and expires
            rmSync(join(root, "run", "lease"));
            await run(second(), bodies);
            lost.restore();
            await running;
            assert.deepEqual(traced(), eachOnce(2));
        });
    }
});
