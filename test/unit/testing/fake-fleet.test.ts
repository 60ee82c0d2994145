import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { machineStatusArgv } from "../../../provider/kubeadm/look";
import { parseMachineStatus } from "../../../provider/kubeadm/machine-status";
import { Connections } from "../../../provider/ssh";
import type { SshTarget } from "../../../provider/ssh/types";
import { agentPath } from "../../../provider/steps/agent";
import { type BatchStep, encodeBatch, encodeStep, formatBegin, formatStepEnd } from "../../../provider/steps/batch";
import type { AgentCall } from "../../../provider/steps/protocol";
import {
    agentExit,
    encodeCall,
    encodeScript,
    parseBusy,
    parseEnd,
    parseForeign,
    parseOpened,
} from "../../../provider/steps/protocol";
import type { FleetEvent, FleetOptions } from "../../../testing";
import { FakeFleet } from "../../../testing";

const connections = new Connections();

describe("the fake fleet", () => {
    let fleet: FakeFleet;
    const start = async (options: Partial<FleetOptions> = {}) => {
        fleet = await FakeFleet.start({ nodes: ["a"], ...options });
        const nodes = [...fleet.nodes.values()];
        for (const node of nodes) {
            node.files.put(agentPath, "agent", 0o755);
        }
        return nodes[0];
    };
    const call = (agentCall: AgentCall, stdin = "") =>
        connections.to(fleet.target("a")).exec(encodeCall(agentCall), { stdin });
    const open = (more: Partial<{ cluster: string; node: string; holder: string; ttlSeconds: number }> = {}) =>
        call({ verb: "open", cluster: "c", node: "a", holder: "me", ttlSeconds: 60, ...more });
    const step = { verb: "run", timeoutSeconds: 60, holder: "me", offset: 0 } as const;
    const script = encodeScript({ run: "true" });
    const batchOf = (...steps: Partial<BatchStep>[]) =>
        encodeBatch(steps.map(each => ({ id: "s", fingerprint: "f", timeoutSeconds: 60, script, ...each })));
    let attempt = 0;
    const runBatch = (stdin: string, more: { id: string; fingerprint: string; attempt: number }) =>
        connections.to(fleet.target("a")).exec(encodeCall({ ...step, ...more, sizeBytes: stdin.length }), {
            stdin,
            keepStdinOpen: true,
        });
    const run = (id: string, fingerprint = "f1", timeoutSeconds = 60) =>
        runBatch(batchOf({ id, fingerprint, timeoutSeconds }), { id, fingerprint, attempt: ++attempt });
    afterEach(async () => {
        await connections.close();
        await fleet.stop();
    });

    it("answers by exact argv, beginning, pattern or function, the last said first, so often as said", async () => {
        const a = await start();
        a.on(/kubectl/, { stdout: "any" })
            .on({ startsWith: ["kubectl", "get"] }, { stdout: "get" })
            .on(["kubectl", "get", "nodes"], seen => ({ stdout: `${seen.user} ${seen.stdin}` }))
            .fail(argv => argv[0] === "kubectl" && argv[1] === "drain", 2);
        const said = async (...argv: string[]) => (await connections.to(a.target).exec(argv, { stdin: "in" })).stdout;
        assert.equal(await said("kubectl", "get", "nodes"), "root in");
        assert.equal(await said("kubectl", "get", "pods"), "get");
        assert.equal(await said("kubectl", "version"), "any");
        const codes = [];
        for (let i = 0; i < 3; i++) {
            codes.push((await connections.to(a.target).exec(["kubectl", "drain"])).code);
        }
        assert.deepEqual(codes, [1, 1, 0]);
        assert.equal(a.seen({ startsWith: ["kubectl", "get"] }).length, 2);
    });

    it("answers 127 to what nobody said, and to an agent that was not put there", async () => {
        const a = await start();
        a.files.remove(agentPath);
        assert.equal((await connections.to(a.target).exec(["unheard-of"])).code, 127);
        assert.equal((await open()).code, 127);
    });

    it("knows which files and folders are there", async () => {
        const { target, files } = await start();
        files.put("/etc/kubernetes/admin.conf", "x");
        const test = async (...words: string[]) => (await connections.to(target).exec(["test", ...words])).code;
        assert.equal(await test("-f", "/etc/kubernetes/admin.conf"), 0);
        assert.equal(await test("-x", agentPath), 0);
        assert.equal(await test("-f", "/etc/kubernetes"), 1);
    });

    it("is a ready member of its cluster once it has joined, as resources ask", async () => {
        const { target } = await start();
        const facts = async () =>
            parseMachineStatus((await connections.to(target).exec(machineStatusArgv, { stdin: script })).stdout);
        assert.equal((await facts()).memberOf, "");
        await open();
        await run("cluster.join");
        const { memberOf, apiReady } = await facts();
        assert.deepEqual({ memberOf, apiReady }, { memberOf: "c", apiReady: true });
    });

    it("waits until its port is free again that another program had while the node was off", async () => {
        const a = (await start())!;
        const { port } = a.target;
        await a.powerOff();
        const other = createServer().listen(port, "127.0.0.1");
        await once(other, "listening");
        const on = a.powerOn();
        await sleep(300);
        other.close();
        await on;
        assert.equal(a.target.port, port);
        await connections.to(a.target).writeFile("/x", "there");
    });

    it("delays answers and refuses connections while a node is off", async () => {
        const a = await start();
        a.on(["slow"], { delaySeconds: 0.1 });
        const begin = Date.now();
        await connections.to(a.target).exec(["slow"]);
        assert.ok(Date.now() - begin >= 95);
        const { target } = a;
        await a.powerOff();
        await assert.rejects(connections.to({ ...target, connectTimeoutSeconds: 0.1 }).exec(["slow"]), {
            code: "CONNECT_FAILED",
        });
    });

    it("keeps a journal of finished steps, not of failed ones", async () => {
        const a = await start({ steps: { bad: { exitCode: 7, output: "why" } } });
        assert.equal((await open()).code, 0);
        assert.equal(parseEnd(await run("good"))?.code, 0);
        const bad = await run("bad");
        assert.equal(parseEnd(bad)?.code, 7);
        assert.equal(bad.stdout, `${formatBegin("bad")}why${formatStepEnd("bad", "f1", 7, 0)}`);
        await call({ verb: "done", id: "files-only", fingerprint: "f2", holder: "me" });
        assert.deepEqual(parseOpened((await open()).stdout), { done: { good: "f1", "files-only": "f2" }, running: {} });
        a.agent.failStep("good");
        assert.equal(parseEnd(await run("good", "f9"))?.code, 1);
        assert.equal(parseEnd(await run("good", "f9"))?.code, 0);
        assert.equal((await call({ verb: "probe", id: "good", timeoutSeconds: 5 })).code, 1);
    });

    it("lets one holder work at a time, and takes a lease away when its time is over", async () => {
        await start();
        await open({ ttlSeconds: 1 });
        const other = await open({ holder: "other" });
        assert.equal(other.code, agentExit.busy);
        assert.equal(parseBusy(other.stdout).holder, "me");
        await sleep(1050);
        assert.equal((await open({ holder: "other" })).code, 0);
        assert.equal((await run("step")).code, agentExit.leaseLost);
        assert.equal((await call({ verb: "renew", holder: "me", ttlSeconds: 5 })).code, agentExit.leaseLost);
    });

    it("is no other cluster's and no other node's", async () => {
        await start();
        await open();
        const foreign = await open({ cluster: "d" });
        assert.equal(foreign.code, agentExit.foreign);
        assert.deepEqual(parseForeign(foreign.stdout), { cluster: "c", node: "a" });
        assert.equal((await open({ node: "b" })).code, agentExit.foreign);
        await call({ verb: "forget", id: "" });
        assert.equal((await open({ cluster: "d" })).code, 127, "the agent itself is gone, too");
        fleet.node("a").files.put(agentPath, "agent", 0o755);
        assert.equal((await open({ cluster: "d" })).code, 0);
    });

    it("goes on with a step while nobody is connected, and lets itself be attached to", async () => {
        const a = await start({ durations: { long: 30 }, timeScale: 0.05 });
        await open();
        const first = run("long");
        const started = attempt;
        await sleep(100);
        a.cut();
        await assert.rejects(first, { code: "CONNECTION_LOST" });
        assert.deepEqual(parseOpened((await open()).stdout).running, { long: "f1" });
        assert.equal((await run("other")).code, agentExit.otherRunning);
        assert.equal(parseEnd(await run("long"))?.code, 0);
        const steps = fleet.events.filter(each => each.step === "long").map(each => each.event);
        assert.deepEqual(steps, ["begin", "attach", "end"]);
        const long = { id: "long", fingerprint: "f1" };
        const again = runBatch(batchOf(long), { ...long, attempt: started });
        assert.equal(parseEnd(await again)?.code, 0, "the same attempt is answered, not repeated");
        assert.equal(fleet.begun().length, 1);
        const late = await call({ verb: "wait", id: "long", offset: 0 });
        assert.equal(parseEnd(late)?.code, 0);
    });

    it("does not start a script of which the end is missing", async () => {
        await start();
        await open();
        const cut = batchOf({}).slice(0, -20);
        assert.equal((await runBatch(cut, { id: "s", fingerprint: "f", attempt: 1 })).code, agentExit.truncated);
    });

    it("ends a step at its deadline", async () => {
        await start({ durations: () => 100, timeScale: 0.001 });
        await open();
        assert.equal(parseEnd(await run("endless", "f1", 50))?.code, 124);
    });

    it("does the steps of a batch one after another, and none behind the one in which the caller goes", async () => {
        const a = await start({ durations: { two: 0.3 } });
        await open();
        const script = encodeStep({ files: [{ path: "/etc/f", content: "it's", mode: 0o600 }] });
        const stdin = batchOf({ id: "one", script }, { id: "two" }, { id: "three" });
        const running = runBatch(stdin, { id: "one", fingerprint: "f", attempt: 1 });
        await sleep(150);
        assert.deepEqual(a.agent.journal, { one: "f" });
        assert.equal(a.files.text("/etc/f"), "it's");
        a.cut();
        await assert.rejects(running, { code: "CONNECTION_LOST" });
        await sleep(300);
        assert.deepEqual(a.agent.journal, { one: "f", two: "f" });
        const again = await runBatch(batchOf({ id: "three" }), { id: "three", fingerprint: "f", attempt: 2 });
        assert.equal(again.stdout, formatBegin("three") + formatStepEnd("three", "f", 0, 0));
    });

    it("forgets what ran, but not what is done, when it is switched off and on", async () => {
        const a = await start({ durations: { long: 100 } });
        await open();
        await run("short");
        void run("long").catch(() => {});
        await sleep(50);
        await a.powerOff();
        await a.powerOn();
        assert.deepEqual(parseOpened((await open()).stdout), { done: { short: "f1" }, running: {} });
        assert.equal((await call({ verb: "wait", id: "long", offset: 0 })).code, agentExit.unknown);
    });

    it("holds sixty nodes with little work", async () => {
        await start({ nodes: 60 });
        const before = process.cpuUsage();
        await Promise.all(
            [...fleet.nodes.values()].map(node => connections.to(node.target).writeFile("/x", node.name)),
        );
        const { user, system } = process.cpuUsage(before);
        const milliseconds = (user + system) / 1000 / 60;
        assert.ok(milliseconds < 60, `${milliseconds.toFixed(1)} ms of CPU for each node, client included`);
        assert.ok([...fleet.nodes.values()].every(node => node.files.text("/x") === node.name));
    });

    it("runs as a process of its own, which ends with its parent's pipe", async () => {
        await start();
        const folder = mkdtempSync(join(tmpdir(), "nfv-fleet-"));
        const events = join(folder, "events");
        const program = join(__dirname, `../../../testing/fleet-process${extname(__filename)}`);
        const args = ["--require", "tsx/cjs", program, "--nodes", "x,y", "--events", events, "--time-scale", "0.1"];
        const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
        const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
        const { nodes } = JSON.parse(line) as { nodes: Record<string, SshTarget> };
        const connection = connections.to(nodes.y);
        await connection.writeFile(agentPath, "agent");
        const opening: AgentCall = { verb: "open", cluster: "c", node: "y", holder: "me", ttlSeconds: 60 };
        await connection.exec(encodeCall(opening));
        const stdin = batchOf({});
        const running = encodeCall({ ...step, id: "s", fingerprint: "f", attempt: 1, sizeBytes: stdin.length });
        assert.equal(parseEnd(await connection.exec(running, { stdin }))?.code, 0);
        child.stdin.write("off x\n");
        await sleep(100);
        await assert.rejects(connections.to({ ...nodes.x, connectTimeoutSeconds: 0.1 }).exec(["true"]), {
            code: "CONNECT_FAILED",
        });
        child.stdin.end();
        assert.deepEqual(await once(child, "exit"), [0, null]);
        const log = readFileSync(events, "utf8")
            .trim()
            .split("\n")
            .map(text => JSON.parse(text) as FleetEvent);
        assert.deepEqual(
            log.map(({ node, event, step }) => [node, event, step].filter(Boolean).join(" ")),
            ["y connect", "y open", "y begin s", "y end s"],
        );
        rmSync(folder, { recursive: true });
    });
});
