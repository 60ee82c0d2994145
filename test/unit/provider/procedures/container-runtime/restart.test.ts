import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
    runtimeArgv,
    runtimeRestart,
    runtimeScripts,
} from "../../../../../provider/procedures/container-runtime/restart";
import { rotationStateArgv } from "../../../../../provider/procedures/encryption-key/encryption-acts";
import { requestPatience } from "../../../../../provider/procedures/node-by-node/procedure";
import { seenNodesArgv } from "../../../../../provider/procedures/node-by-node/seen-nodes";
import { stateFolder } from "../../../../../provider/shell/folders";
import { FakeFleet } from "../../../../../testing";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";
import { checkAs, endRun, listener } from "../../support/cluster";

const clusterId = "core-12345678";
const [masters, workers] = [
    ["m1", "m2", "m3"],
    ["w1", "w2"],
];
const all = [...masters, ...workers];
const turn = [
    "request.note-begun",
    "container-runtime.restart",
    "node.check-services",
    "upgrade.back-in-service",
].concat("request.note-done");

describe("a restart of the container runtime", () => {
    const usual = { ...requestPatience };
    let fleet: FakeFleet;
    let notes: Record<string, string>;
    let begun: string[];
    let onBegin: (what: string) => void;

    const inputs = (word = "one") => {
        const targets = all.map(name => ({
            ...{ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 3 }, address: "10.0.0.1" },
            ...{
                role: masters.includes(name) ? "controlPlane" : "worker",
                ...(workers.includes(name) && { pool: "a" }),
            },
            ...{ atOnce: 1, turn: 0, drain: { timeoutSeconds: 5, policy: "fail" } },
        }));
        const stored = { clusterId, word, soakSeconds: 0, held: [], nodes: { m1: "first" } };
        return { ...stored, targets: JSON.stringify(targets) };
    };
    const create = async (signal?: AbortSignal) => {
        const context = { ...listener(), ...(signal && { signal }) };
        const { inputs: stored, failures } = checkAs("RuntimeRestart", {}, inputs(), context);
        assert.deepEqual(failures, []);
        return (await runtimeRestart.create(stored as never, context)).outs;
    };

    beforeEach(async () => {
        Object.assign(requestPatience, { pause: 0.02, ready: 0.3, answer: 0.2, services: 1 });
        [notes, begun, onBegin] = [{}, [], () => {}];
        fleet = await FakeFleet.start({
            nodes: all,
            onEvent: ({ event, node, step }) => {
                if (event !== "begin" && event !== "end") return;
                const name =
                    fleet
                        .node(node)
                        .agent.acts.filter(({ id }) => id === step)
                        .at(-1)?.forNode ?? node;
                if (event === "begin") {
                    begun.push(`${name} ${step}`);
                    onBegin(`${name} ${step}`);
                } else if (step!.startsWith("request.note-"))
                    notes[name] = `one ${step!.slice("request.note-".length)} b`;
            },
        });
        for (const name of all) {
            const node = fleet.node(name);
            node.agent.belongsTo = { cluster: clusterId, node: name };
            node.agent.journal["cluster.join"] = "0123456789ab";
            const said = "boot=b\nversion=1.7.24\nsince=2026-11-01T10:00Z\n";
            node.on(runtimeArgv, () => ({ stdout: `note=${notes[name] ?? ""}\n${said}` }));
            node.on(seenNodesArgv, () => ({ stdout: all.map(each => `node ${each} True\n`).join("") }));
            node.on(rotationStateArgv, () => ({
                stdout: `member=${clusterId}\nready=yes\nours=\netcd=yes\nmembers=${masters.join(" ")}\n`,
            }));
        }
    });
    afterEach(async () => {
        Object.assign(requestPatience, usual);
        await endRun();
        await fleet.stop();
    });

    it("has one node after another restart containerd, the control plane first, without a drain", async () => {
        const { done } = await create();
        assert.deepEqual(
            begun,
            all.flatMap(name => turn.map(act => `${name} ${act}`)),
        );
        assert.equal(done, "one");
    });

    it("goes on after a kill at each act of a node, and leaves those alone that are done", async () => {
        for (const act of turn) {
            [notes, begun] = [{}, []];
            const killed = new AbortController();
            onBegin = what => {
                if (what === `m2 ${act}`) killed.abort();
            };
            await assert.rejects(create(killed.signal));
            await endRun();
            onBegin = () => {};
            begun = [];
            await create();
            assert.ok(!begun.some(each => each.startsWith("m1 ")), `${act}: ${begun.join()}`);
            assert.deepEqual(
                Object.values(notes),
                all.map(() => "one done b"),
            );
            await endRun();
        }
    });

    it("says at preview what restarts where", async () => {
        notes = { m1: "one done b", m2: "one begun b" };
        const context = listener();
        const { failures } = await runtimeRestart.checkInCloud!({}, inputs() as never, context);
        assert.deepEqual(failures, []);
        const lines = context.noted.join("\n").split("\n");
        assert.deepEqual(lines.slice(0, 4), [
            "one control-plane node after another, then the workers; containers go on",
            "1. m1: done already",
            "2. m2: its restart goes on",
            "3. m3: containerd 1.7.24 restarts, which runs since 2026-11-01T10:00Z",
        ]);
        assert.deepEqual(begun, []);
    });
});

describe("the script that restarts the container runtime", () => {
    let shell: ShellRun;
    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(join(shell.folder, "state/requests"), { recursive: true });
        shell.program("ctr", "echo '  Version:  1.7.24'");
    });
    afterEach(() => shell.remove());

    const restarts = (pid: string, restart = "") => {
        const calls = join(shell.folder, "calls");
        shell.program("systemctl", `case $1 in show) echo ${pid} ;; *) echo "$*" >> '${calls}'; ${restart} ;; esac`);
        const here = runtimeScripts
            .restart()
            .replaceAll(stateFolder, join(shell.folder, "state"))
            .replaceAll("PATH=/usr/local/sbin", `PATH=${join(shell.folder, "bin")}:/usr/local/sbin`);
        const { status, stderr } = shell.run(`: > '${calls}'\n${here}\ncat '${calls}' >&2`);
        return { status, said: stderr.trim() };
    };

    it("leaves one that has started since the note that its turn began", async () => {
        const note = join(shell.folder, "state/requests/container-runtime");
        writeFileSync(note, "one begun b\n");
        // ps knows the age of the process that runs the tests, which is older than the file.
        assert.deepEqual(restarts(String(process.pid)), { status: 0, said: "restart containerd.service" });
        assert.deepEqual(restarts("0"), { status: 0, said: "restart containerd.service" });
        await sleep(2200);
        const younger = spawn("sleep", ["60"]);
        assert.deepEqual(restarts(String(younger.pid)), { status: 0, said: "" });
        younger.kill();
    });
});
