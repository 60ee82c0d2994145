import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasDueHooks, leftBefore, reachOf, withEndHooks } from "../../../../../provider/cluster/hooks/end-hooks";
import { withoutLogins } from "../../../../../provider/cluster/hooks/start-hooks";
import type { OperationEndState } from "../../../../../provider/cluster/operation-end-inputs";
import { checkedBefore, endRun, listener } from "../../support/cluster";
import { hooksThatNote, operationOf } from "./hook-samples";

const connection = (host: string) => ({ host, user: "root", privateKey: "canary-key" });
const peers = {
    controlPlane: [{ name: "m1", address: "10.0.0.11", connection: connection("192.0.2.11") }],
    workers: [{ name: "w2", connection: connection("192.0.2.22") }],
};

describe("hooks at the end of an operation", () => {
    const hooks = hooksThatNote();
    afterEach(endRun);

    const stateOf = (change: Partial<OperationEndState> = {}) =>
        ({
            spec: { clusterId: "c0ffee", nodes: { m1: "1.34.4", w2: "1.34.4" }, servers: { w2: "server-2" } },
            ...{ ...peers, done: { step: "1" }, hooks: hooks.of("a", "b") },
            history: [operationOf("7"), operationOf("8", "heal")],
            ...change,
        }) as OperationEndState;
    const all = ["7 scale_end a", "7 scale_end b", "8 heal_end a", "8 heal_end b"];

    it("run for each operation whose end the state does not have, and then the state has it", async () => {
        const outs = stateOf();
        const made = await withEndHooks("id", outs, { endedUpTo: 6 }, listener());
        assert.deepEqual(hooks.order(), all);
        assert.deepEqual(made, { ...outs, endedUpTo: 8 });
        assert.deepEqual(await withEndHooks("id", outs, made, listener()), made);
        assert.deepEqual(hooks.order(), all);
    });

    it("that have ended are kept when one fails, and the next run does the rest", async () => {
        const failing = join(hooks.folder.path, "fail-a-healEnd");
        writeFileSync(failing, "");
        const error = await withEndHooks("id", stateOf(), { endedUpTo: 6 }, listener()).then(
            () => assert.fail("it did not fail"),
            (reason: { id: string; properties: OperationEndState; reasons: string[]; message: string }) => reason,
        );
        assert.equal(error.id, "id");
        assert.match(error.message, /hook a: heal_end: HOOK_FAILED/);
        assert.equal(error.reasons.length, 1);
        const { endedUpTo, endedHooks, ...rest } = error.properties;
        assert.deepEqual([endedUpTo, endedHooks], [6, all.slice(0, 2)]);
        assert.deepEqual(rest, stateOf());
        assert.equal(hasDueHooks(error.properties, stateOf()), true);
        rmSync(failing);
        const made = await withEndHooks("id", stateOf(), error.properties, listener());
        assert.deepEqual(hooks.order().slice(3), all.slice(2));
        assert.deepEqual([made.endedUpTo, made.endedHooks], [8, undefined]);
    });

    it("are told the machines of before and of after", async () => {
        const olds = stateOf({ controlPlane: peers.controlPlane, workers: [], endedUpTo: 7 });
        await withEndHooks("id", stateOf(), olds, listener());
        const [{ nodes }] = hooks.told();
        const m1 = { name: "m1", role: "controlPlane", sshAddress: "192.0.2.11", address: "10.0.0.11" };
        assert.deepEqual(nodes.before, [m1]);
        assert.deepEqual(nodes.after, [
            m1,
            { name: "w2", role: "worker", pool: "workers", sshAddress: "192.0.2.22", serverId: "server-2" },
        ]);
    });

    it("are not told a node that a later operation has taken out", async () => {
        const nodes = { ...operationOf("7").after, w3: { role: "worker", pool: "workers" } } as const;
        const out = { ...operationOf("7"), added: ["w2", "w3"], after: nodes };
        const gone = { ...operationOf("8"), added: [], removed: ["w3"], before: nodes, endsWith: "deletion" as const };
        await withEndHooks("id", stateOf({ history: [out, gone] }), { endedUpTo: 6 }, listener());
        assert.deepEqual(hooks.order(), all.slice(0, 2));
        assert.deepEqual(
            hooks.told()[0].nodes.after.map(({ name }: { name: string }) => name),
            ["m1", "w2"],
        );
    });

    it("are none without hooks: the state stays as it is", async () => {
        const outs = stateOf({ hooks: undefined });
        assert.equal(await withEndHooks("id", outs, {}, listener()), outs);
        assert.deepEqual(hooks.order(), []);
    });

    it("go on where they were if the end of the operation is made again", async () => {
        const { machines } = reachOf(stateOf());
        const before = { reach: JSON.stringify({ machines }), completed: 7, endedHooks: ["8 heal_end a"] };
        checkedBefore(listener(), before);
        const made = await withEndHooks("id", stateOf(), leftBefore("c0ffee", listener()), listener());
        assert.deepEqual([hooks.order(), made.endedUpTo], [["8 heal_end b"], 8]);
        assert.equal(hooks.told()[0].nodes.before[0].address, "10.0.0.11");
        const none = await withEndHooks("id", stateOf({ history: [] }), leftBefore("c0ffee", listener()), listener());
        assert.deepEqual([hooks.order(), none.endedUpTo], [["8 heal_end b"], 7]);
    });

    const due: [title: string, ended: number | undefined, change: Partial<OperationEndState>, is: boolean][] = [
        ["an operation after the last one that ended", 7, {}, true],
        ["a cluster that never had an end", undefined, {}, true],
        ["nothing new", 8, {}, false],
        ["no history", 6, { history: [] }, false],
        ["no history at all", undefined, { history: undefined }, false],
        ["no hooks", undefined, { hooks: undefined }, false],
    ];
    for (const [title, endedUpTo, change, is] of due)
        it(`are ${is ? "" : "not "}due: ${title}`, () => {
            assert.equal(hasDueHooks({ endedUpTo }, stateOf(change)), is);
        });

    it("are due for the tenth operation after the ninth", () => {
        assert.equal(hasDueHooks({ endedUpTo: 9 }, stateOf({ history: [operationOf("10")] })), true);
    });

    it("reach each machine, by its address in the cluster and its server", () => {
        const state = stateOf({ hooks: { ...hooks.of("a"), addresses: { m1: "10.1.1.1" } } });
        assert.deepEqual(reachOf(state).machines, {
            m1: { connection: connection("192.0.2.11"), address: "10.1.1.1" },
            w2: { connection: connection("192.0.2.22"), serverId: "server-2" },
        });
        assert.deepEqual(withoutLogins(reachOf(state).machines), {
            m1: { sshAddress: "192.0.2.11", address: "10.1.1.1" },
            w2: { sshAddress: "192.0.2.22", serverId: "server-2" },
        });
        assert.deepEqual(reachOf({ spec: state.spec }), { machines: {} });
    });
});
