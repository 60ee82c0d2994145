import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
    runtimeArgv,
    runtimeRestart,
    runtimeScripts,
} from "../../../../../provider/procedures/container-runtime/restart";
import { rotationStateArgv } from "../../../../../provider/procedures/encryption-key/encryption-acts";
import { requestDeadlines } from "../../../../../provider/procedures/node-by-node/procedure";
import { seenNodesArgv } from "../../../../../provider/procedures/node-by-node/seen-nodes";
import { stateFolder } from "../../../../../provider/shell/folders";
import { FakeFleet } from "../../../../../testing";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";
import { checkAs, endRun, listener } from "../../support/cluster";

const clusterId = "core-12345678";
const [controlPlane, workers] = [
    ["m1", "m2", "m3"],
    ["w1", "w2"],
];
const all = [...controlPlane, ...workers];
const turn = ["request.note-begun", "container-runtime.restart", "node.check-services", "node.until-ready"].concat(
    "request.note-done",
);

describe("a restart of the container runtime", () => {
    const usual = { ...requestDeadlines };
    let fleet: FakeFleet;
    let notes: Record<string, string>;
    let begun: string[];
    let onBegin: (what: string) => void;

    const inputs = () => {
        const targets = all.map(name => ({
            ...{ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 3 }, address: "10.0.0.1" },
            ...{
                role: controlPlane.includes(name) ? "controlPlane" : "worker",
                ...(workers.includes(name) && { pool: "a" }),
            },
            ...{ atOnce: 1, turn: 0, drain: { timeoutSeconds: 5, policy: "fail" } },
        }));
        const stored = { clusterId, requestId: "one", soakSeconds: 0, waiting: [], nodes: { m1: "first" } };
        return { ...stored, targets: JSON.stringify(targets) };
    };
    const create = async (signal?: AbortSignal) => {
        const context = { ...listener(), ...(signal && { signal }) };
        const { inputs: stored, failures } = checkAs("RuntimeRestart", {}, inputs(), context);
        assert.deepEqual(failures, []);
        return (await runtimeRestart.create(stored as never, context)).outs;
    };

    beforeEach(async () => {
        Object.assign(requestDeadlines, { pause: 0.02, ready: 0.3, answer: 0.2, services: 1 });
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
            node.on(seenNodesArgv, () => ({
                stdout: all.map(each => `node ${each} True${each === "w2" ? " ours" : ""}\n`).join(""),
            }));
            node.on(rotationStateArgv, () => ({
                stdout: `member=${clusterId}\nready=yes\nours=\netcd=yes\nmembers=${controlPlane.join(" ")}\n`,
            }));
        }
    });
    afterEach(async () => {
        Object.assign(requestDeadlines, usual);
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
            "3. m3: containerd 1.7.24 restarts; it has run since 2026-11-01T10:00Z",
        ]);
        assert.deepEqual(begun, []);
    });
});

describe("the script that restarts the container runtime", () => {
    let shell: ShellRun;
    const path = (name: string) => join(shell.folder, name);
    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(path("state/requests"), { recursive: true });
        shell.program("ctr", "echo '  Version:  1.7.24'");
    });
    afterEach(() => shell.remove());

    /** `becomes`: the id of containerd's start after the restart. */
    const restarts = (id: string, becomes: string) => {
        shell.program(
            "systemctl",
            `case $1 in show) cat '${path("id")}' ;; *) echo "$*" >> '${path("calls")}'; echo '${becomes}' > '${path("id")}'; [ '${becomes}' != same ] || { echo '0' > '${path("id")}'; echo refused >&2; exit 1; } ;; esac`,
        );
        const here = runtimeScripts
            .restart()
            .replaceAll(stateFolder, path("state"))
            .replaceAll("PATH=/usr/local/sbin", `PATH=${path("bin")}:/usr/local/sbin`);
        const { status, stderr } = shell.run(`: > '${path("calls")}'\nWORD=${id}\n${here}`);
        return [readFileSync(path("calls"), "utf8").trim(), status, stderr.trim()];
    };

    it("restarts it once for an id, also where the run was killed behind the restart", () => {
        writeFileSync(path("id"), "0\n");
        assert.deepEqual(restarts("one", "1"), ["restart containerd.service", 0, ""]);
        assert.deepEqual(restarts("one", "2"), ["", 0, ""]);
        assert.deepEqual(restarts("two", "2"), ["restart containerd.service", 0, ""]);
    });

    it("restarts it where the run was killed before the restart, and one that does not run", () => {
        writeFileSync(path("id"), "0\n");
        writeFileSync(path("state/requests/.container-runtime-before"), "one 0\n");
        assert.deepEqual(restarts("one", "1"), ["restart containerd.service", 0, ""]);
        // A machine that loses its power may leave it empty.
        writeFileSync(path("state/requests/.container-runtime-before"), "");
        assert.deepEqual(restarts("one", "2"), ["restart containerd.service", 0, ""]);
        writeFileSync(path("id"), "\n");
        assert.deepEqual(restarts("two", "2"), ["restart containerd.service", 0, ""]);
    });

    it("fails where systemd refuses and the previous one still answers", () => {
        writeFileSync(path("id"), "0\n");
        const [, status, said] = restarts("one", "same");
        assert.deepEqual([status, said], [1, "systemd did not restart containerd: refused"]);
    });
});
