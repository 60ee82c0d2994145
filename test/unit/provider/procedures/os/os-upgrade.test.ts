import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { podsOnArgv } from "../../../../../provider/member/upgrade/pods-on";
import { rotationStateArgv } from "../../../../../provider/procedures/encryption-key/encryption-acts";
import { stateQuestion, whyNotNext } from "../../../../../provider/procedures/node-by-node/at-risk";
import { type NodeTarget, requestDeadlines } from "../../../../../provider/procedures/node-by-node/procedure";
import { seenNodesArgv } from "../../../../../provider/procedures/node-by-node/seen-nodes";
import { inGroups } from "../../../../../provider/procedures/node-by-node/turns";
import { bootArgv, osStateArgv } from "../../../../../provider/procedures/os/os-state";
import { type OsUpgradeInputs, osUpgrade } from "../../../../../provider/procedures/os/os-upgrade";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { FakeFleet } from "../../../../../testing";
import { checkAs, endRun, listener } from "../../support/cluster";

const clusterId = "core-12345678";
const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2", "w3"];
const all = [...masters, ...workers];

interface Model {
    note: string;
    boot: number;
    reboots: number;
    due: number;
    /** A package asks for a reboot when it is installed. */
    asks: boolean;
    needsReboot: boolean;
    ours: boolean;
    ready: boolean;
}

describe("the upgrade of the nodes' operating system", () => {
    const usual = { ...requestDeadlines };
    let fleet: FakeFleet;
    let model: Record<string, Model>;
    let etcd: Record<string, string>;
    /** A machine that does not come back from its reboot. */
    let lost: string;
    let begun: string[];
    let onBegin: (what: string) => void;

    const inputs = (changes: Partial<OsUpgradeInputs> = {}, ofTargets: Record<string, Partial<NodeTarget>> = {}) => {
        const targets = all.map(name => ({
            ...{ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 3 }, address: "10.0.0.1" },
            role: masters.includes(name) ? "controlPlane" : "worker",
            ...(workers.includes(name) && { pool: "a" }),
            ...{ atOnce: 1, turn: 0, drain: { timeoutSeconds: 5, policy: "fail" } },
            ...ofTargets[name],
        }));
        const waiting = targets.filter(({ waits }: { waits?: boolean }) => waits).map(({ name }) => name);
        return {
            ...{
                clusterId,
                requestId: "one",
                packages: "all",
                reboot: "ifNeeded",
                rebootTimeoutSeconds: 2,
                soakSeconds: 0,
            },
            ...{ waiting, nodes: { m1: "first", w1: "then" }, targets: JSON.stringify(targets) },
            ...changes,
        } as OsUpgradeInputs;
    };
    const create = async (given = inputs(), signal?: AbortSignal) => {
        const context = { ...listener(), ...(signal && { signal }) };
        const { inputs: stored, failures } = checkAs("OsUpgrade", {}, given, context);
        assert.deepEqual(failures, []);
        const { outs } = await osUpgrade.create(stored, context);
        return { outs, context };
    };
    const preview = async (given = inputs()) => {
        const context = listener();
        const { failures } = await osUpgrade.checkInCloud!({}, given, context);
        return { refused: failures.map(({ reason }) => reason).join("\n"), said: context.noted.join("\n") };
    };

    const reboot = async (name: string) => {
        const machine = model[name]!;
        machine.ready = false;
        await sleep(20);
        await fleet.node(name).powerOff();
        machine.boot++;
        machine.reboots++;
        machine.needsReboot = false;
        if (lost === name) return;
        await sleep(60);
        await fleet.node(name).powerOn();
        machine.ready = true;
    };
    const note = (name: string, stage: string) => {
        model[name]!.note = `one ${stage} b${model[name]!.boot}`;
    };
    const cordon = (name: string, ours: boolean) => {
        model[name]!.ours = ours;
    };
    const effects: Record<string, (name: string) => void> = {
        "request.note-begun": name => note(name, "begun"),
        "os.upgrade": name => {
            const machine = model[name]!;
            machine.needsReboot ||= machine.asks && machine.due > 0;
            machine.due = 0;
            note(name, "upgraded");
        },
        "os.reboot": name => void (model[name]!.note.endsWith(` b${model[name]!.boot}`) && reboot(name)),
        "request.note-done": name => note(name, "done"),
        "node.drain": name => cordon(name, true),
        "upgrade.back-in-service": name => cordon(name, false),
    };

    beforeEach(async () => {
        Object.assign(requestDeadlines, { pause: 0.02, ready: 0.3, answer: 0.2, services: 1 });
        model = Object.fromEntries(
            all.map(name => [
                name,
                { note: "", boot: 1, reboots: 0, due: 2, asks: true, needsReboot: false, ours: false, ready: true },
            ]),
        );
        [etcd, lost, begun, onBegin] = [{}, "", [], () => {}];
        fleet = await FakeFleet.start({
            nodes: all,
            onEvent: ({ event, node, step, exitCode }) => {
                if (event !== "begin" && event !== "end") return;
                const act = fleet
                    .node(node)
                    .agent.acts.filter(({ id }) => id === step)
                    .at(-1);
                const name = act?.forNode ?? node;
                if (event === "begin") {
                    begun.push(`${name} ${step}`);
                    onBegin(`${name} ${step}`);
                } else if (exitCode === 0) effects[step!]?.(name);
            },
        });
        for (const name of all) {
            const node = fleet.node(name);
            node.agent.belongsTo = { cluster: clusterId, node: name };
            node.agent.journal["cluster.join"] = "0123456789ab";
            node.on(osStateArgv, () => {
                const { note, boot, due, needsReboot } = model[name]!;
                const packages = Array.from({ length: due }, (_, i) => `package=p${i} 1 2 ${i ? "-" : "security"}\n`);
                const needs = needsReboot ? "reboot=yes 6.2\n" : "";
                return {
                    stdout: `note=${note}\nboot=b${boot}\nkernel=6.1\nlists=2026-11-27\n${needs}${packages.join("")}`,
                };
            });
            node.on(bootArgv, () => ({ stdout: `b${model[name]!.boot}\n` }));
            node.on(podsOnArgv, () => ({ stdout: "node True\npod shop/web False Running\n" }));
            if (!masters.includes(name)) continue;
            node.on(seenNodesArgv, () => ({
                stdout: all
                    .map(
                        each =>
                            `node ${each} ${model[each]!.ready ? "True" : "False"}${model[each]!.ours ? " ours" : ""}\n`,
                    )
                    .join(""),
            }));
            node.on(rotationStateArgv, () => ({
                stdout: `member=${clusterId}\nready=yes\nours=\netcd=${etcd[name] ?? "yes"}\nmembers=${masters.join(" ")}\n`,
            }));
        }
    });
    afterEach(async () => {
        Object.assign(requestDeadlines, usual);
        await endRun();
        await fleet.stop();
    });

    const whole = [
        ...["request.note-begun", "node.drain", "os.upgrade", "os.reboot", "node.check-services"],
        ...["upgrade.back-in-service", "request.note-done"],
    ];
    const downloads = all.map(name => `${name} os.fetch`);
    const afterDownloads = () => begun.filter(each => !downloads.includes(each));
    const isWhole = () => {
        for (const name of all) {
            const { note, reboots, due, ours } = model[name]!;
            assert.deepEqual([note.split(" ")[1], reboots, due, ours], ["done", 1, 0, false], name);
        }
    };

    it("is whole on one node before the next one begins, the control plane first, and downloads before", async () => {
        const { outs, context } = await create();
        assert.deepEqual(begun.slice(0, all.length).sort(), downloads);
        assert.deepEqual(
            afterDownloads(),
            all.flatMap(name => whole.map(act => `${name} ${act}`)),
        );
        isWhole();
        assert.equal(outs.done, "one");
        assert.doesNotMatch(JSON.stringify(outs), /privateKey/, "no login is stored");
        assert.match(context.noted.join("\n"), /^m1: 2 packages upgraded, rebooted \(kernel 6\.1\)$/m);
    });

    it("goes on after a kill at each act; each node reboots once, and nothing is done twice that was noted", async () => {
        // Of one control-plane node all, of a worker the middle: what is left of the others is the same.
        const chosen = [...whole.keys()].map(i => downloads.length + whole.length + i);
        chosen.push(downloads.length + 3 * whole.length + whole.indexOf("os.reboot"));
        for (const moment of [0, ...chosen]) {
            for (const name of all)
                Object.assign(model[name]!, { note: "", reboots: 0, due: 2, needsReboot: false, ours: false });
            begun = [];
            const killed = new AbortController();
            onBegin = () => {
                if (begun.length === moment + 1) killed.abort();
            };
            await assert.rejects(create(inputs(), killed.signal), `moment ${moment}`);
            await endRun();
            onBegin = () => {};
            await create();
            isWhole();
            for (const name of all)
                assert.equal(begun.filter(each => each === `${name} os.reboot`).length, 1, `${moment} ${name}`);
            await endRun();
        }
    });

    it("touches no node where nothing is due and no reboot is needed, and does not repeat what is done", async () => {
        for (const name of all) Object.assign(model[name]!, { due: 0 });
        model["w2"]!.needsReboot = true;
        const { context } = await create();
        assert.deepEqual(
            afterDownloads().filter(each => each.startsWith("w2")),
            whole.map(act => `w2 ${act}`),
        );
        assert.equal(afterDownloads().length, whole.length + all.length - 1);
        assert.match(context.noted.join("\n"), /^m1: nothing was due$/m);
        const before = begun.length;
        await create();
        assert.equal(begun.length, before, "the notes say that all is done");
    });

    it("does not reboot where nothing asks for it, or where the program forbids it, and says then what is left", async () => {
        for (const name of all) model[name]!.asks = name === "m1";
        const { context } = await create(inputs({ reboot: "never" }));
        assert.deepEqual(
            Object.values(model).map(({ reboots }) => reboots),
            all.map(() => 0),
        );
        assert.match(context.warned.join("\n"), /^m1 still asks for a reboot; os\.reboot is never$/);
    });

    it("reboots each one with reboot: always", async () => {
        for (const name of all) Object.assign(model[name]!, { due: 0, asks: false });
        await create(inputs({ reboot: "always" }));
        isWhole();
    });

    it("begins on no control-plane node where etcd or another one is not healthy", async () => {
        etcd["m3"] = "";
        await assert.rejects(create(), /m3[\s\S]*QUORUM_AT_RISK[\s\S]*its etcd is not healthy/);
        assert.deepEqual(afterDownloads(), []);
        assert.match((await preview()).refused, /its etcd is not healthy/);
        etcd = {};
        onBegin = what => {
            if (what === "m1 request.note-done") etcd["m1"] = "";
        };
        await assert.rejects(create(), /m1[\s\S]*QUORUM_AT_RISK/);
        assert.ok(!begun.some(each => /^m2 request\.note/.test(each)), "the next one waits until it is healthy again");
    });

    it("goes on with a control-plane node that a kill left without a healthy etcd", async () => {
        Object.assign(model["m2"]!, { note: "one begun b1", ours: true });
        etcd["m2"] = "";
        onBegin = what => {
            if (what === "m2 upgrade.back-in-service") etcd = {};
        };
        Object.assign(model["m1"]!, { note: "one done b1", reboots: 1, due: 0 });
        await create();
        isWhole();
        assert.equal((await preview()).refused, "");
    });

    it("stops behind a machine that does not come back, says so, and goes on when it is there", async () => {
        lost = "w1";
        await assert.rejects(
            create(),
            /w1[\s\S]*REBOOT_FAILED[\s\S]*not back 2 s after its reboot: it does not answer/,
        );
        assert.ok(!begun.some(each => /^w[23] request\.note/.test(each)));
        await endRun();
        lost = "";
        setTimeout(
            () =>
                void fleet
                    .node("w1")
                    .powerOn()
                    .then(() => (model["w1"]!.ready = true)),
            600,
        );
        await create();
        isWhole();
    });

    it("waits for the only control-plane node, which a stopped run has rebooted", async () => {
        requestDeadlines.ready = 5;
        Object.assign(model["m1"]!, { note: "one upgraded b1", boot: 2, due: 0, ours: true });
        const targets = (JSON.parse(inputs().targets) as NodeTarget[]).filter(({ name }) =>
            ["m1", "w1"].includes(name),
        );
        await fleet.node("m1").powerOff();
        setTimeout(() => void fleet.node("m1").powerOn(), 500);
        await create(inputs({ targets: JSON.stringify(targets) }));
        assert.deepEqual([model["m1"]!.note, model["m1"]!.reboots, model["w1"]!.reboots], ["one done b2", 0, 1]);
    });

    it("refuses before it touches a node: one is silent, one is not Ready, a download fails", async () => {
        await fleet.node("w3").powerOff();
        await assert.rejects(create(), /w3[\s\S]*CONNECT_FAILED[\s\S]*No node was touched in this run/);
        assert.match((await preview()).said, /^6\. w3: it does not say what is due/m);
        await fleet.node("w3").powerOn();
        model["w2"]!.ready = false;
        await assert.rejects(create(), /REQUEST_FAILED[\s\S]*not Ready: w2\. Repair/);
        model["w2"]!.ready = true;
        assert.deepEqual(begun, []);
        const answer = { exitCode: exitCodes.FOREIGN_SOFTWARE, output: "would remove docker-ce\n" };
        fleet.node("w1").agent.failStep("os.fetch", 1, answer);
        await assert.rejects(create(), /w1[\s\S]*FOREIGN_SOFTWARE[\s\S]*docker-ce/);
        assert.deepEqual(afterDownloads(), []);
    });

    it("stops behind a failure, names node and step, and others of the pool do not begin", async () => {
        fleet.node("w1").agent.failStep("os.upgrade", 1);
        await assert.rejects(create(), /w1[\s\S]*REQUEST_FAILED/);
        assert.ok(!begun.some(each => each.startsWith("w2 request.note")));
        await create();
        isWhole();
    });

    it("upgrades so many workers of a pool at once as it allows, and keeps the order", async () => {
        const at = (changes: Partial<NodeTarget>) => ({ atOnce: 2, ...changes });
        await create(inputs({}, { w1: at({ turn: 1 }), w2: at({ turn: 0 }), w3: at({ turn: 1 }) }));
        const notes = begun.filter(each => /^w\d request\.note/.test(each));
        assert.deepEqual(notes.slice(0, 2), ["w2 request.note-begun", "w2 request.note-done"]);
        assert.deepEqual(notes.slice(2, 4).sort(), ["w1 request.note-begun", "w3 request.note-begun"]);
        const groups = inGroups([
            { turn: 1, pool: "a" },
            { turn: 0, pool: "b" },
            { turn: 1, pool: "c" },
        ]);
        assert.deepEqual(
            groups.map(group => group.map(({ pool }) => pool).join()),
            ["b", "a", "c"],
        );
    });

    it("leaves workers behind a pause alone until a later program lets them go", async () => {
        const { outs } = await create(inputs({}, { w3: { waits: true } }));
        assert.equal(model["w3"]!.reboots, 0);
        assert.equal(osUpgrade.diff("", outs, inputs({}, { w3: { waits: true } })).changes, false);
        assert.equal(osUpgrade.diff("", outs, inputs()).changes, true);
        await create();
        isWhole();
        assert.match((await preview(inputs({}, { w3: { waits: true } }))).said, /^6\. w3: stays as it is/m);
    });

    it("ends first what a stopped run has left, also a worker that is waiting now: no other one is away beside it", async () => {
        for (const changes of [{}, { w3: { waits: true } }] as Record<string, Partial<NodeTarget>>[]) {
            Object.assign(model["w3"]!, { note: "one begun b1", ours: true });
            const from = begun.length;
            await create(inputs({}, changes));
            const notes = begun.slice(from).filter(each => /^w\d request\.note/.test(each));
            assert.equal(
                notes.indexOf("w3 request.note-done") < notes.indexOf("w1 request.note-begun"),
                true,
                notes.join(),
            );
            assert.equal(model["w3"]!.ours, false);
            for (const name of ["w1", "w2"]) Object.assign(model[name]!, { note: "", due: 1 });
        }
    });

    it("says at preview that a worker behind the pause goes on which a stopped run has left cordoned", async () => {
        Object.assign(model["w3"]!, { note: "one upgraded b1", ours: true });
        assert.match((await preview(inputs({}, { w3: { waits: true } }))).said, /^6\. w3: its upgrade goes on$/m);
    });

    it("tells of each worker that failed, where several have their turn at once", async () => {
        for (const name of ["w1", "w2"]) fleet.node(name).agent.failStep("os.upgrade", 1);
        const context = listener();
        const two = inputs({}, { w1: { atOnce: 2 }, w2: { atOnce: 2 } });
        const { inputs: stored } = checkAs("OsUpgrade", {}, two, context);
        const thrown = await osUpgrade.create(stored, context).then(String, String);
        const said = `${thrown}\n${context.warned.join("\n")}`;
        for (const name of ["w1", "w2"]) assert.match(said, new RegExp(`${name}[\\s\\S]*REQUEST_FAILED`));
    });

    it("begins on no control-plane node while members of etcd are still to leave", () => {
        const states = ["m1", "m2"].map(node => ({
            ...{ node, member: "core-1", ready: true, ours: true, etcd: true, keys: ["a"], signs: "" },
            members: ["m1", "m2", "m3"],
        })) as never;
        const masters = [{ name: "m1" }, { name: "m2" }];
        const question = stateQuestion({ request: "os.upgrade", step: "upgrade the operating system" });
        assert.match(whyNotNext(question, states, "core-1", masters)?.message ?? "", /QUORUM_AT_RISK[\s\S]*m3/);
    });

    it("watches a worker before those behind it begin", async () => {
        const bad = /w1[\s\S]*REQUEST_FAILED[\s\S]*1 s after its upgrade it does not serve: shop\/web/;
        await assert.rejects(create(inputs({ soakSeconds: 1 })), bad);
        assert.ok(!begun.some(each => each.startsWith("w2 request.note")));
    });

    it("says at preview what is due where, and does nothing for the same id", async () => {
        model["m2"]!.note = "one done b1";
        model["w2"]!.needsReboot = true;
        const { said, refused } = await preview();
        assert.equal(refused, "");
        const rest = "drained within 5 s, or the run stops (lists of 2026-11-27)";
        assert.deepEqual(said.split("\n").slice(1, 3), [
            `1. m1: 2 packages (1 security), reboots if a package asks for it; ${rest}`,
            "2. m2: done already",
        ]);
        assert.match(said, /^5\. w2: 2 packages \(1 security\), kernel 6\.1 to 6\.2, reboots; /m);
        assert.deepEqual(begun, []);
        const { outs } = await create();
        assert.equal(osUpgrade.diff("", outs, inputs()).changes, false);
        const { changes, note } = osUpgrade.diff("", outs, inputs({ requestId: "two" }));
        assert.deepEqual([changes, note], [true, "m1: first\nw1: then"]);
        assert.equal(osUpgrade.needsCheckInCloud!(outs as never, inputs()), false);
        assert.equal(osUpgrade.needsCheckInCloud!(outs as never, inputs({ requestId: "two" })), true);
    });
});
