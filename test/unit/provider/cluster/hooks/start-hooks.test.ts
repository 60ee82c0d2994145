import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStartHooks, showHooks } from "../../../../../provider/cluster/hooks/start-hooks";
import { operationStart } from "../../../../../provider/cluster/operation-start";
import { NfvError } from "../../../../../provider/common/errors";
import { unknownValue } from "../../../../../provider/contract/values";
import type { RecordedOperation } from "../../../../../provider/operation/hooks/facts";
import { HookRecord } from "../../../../../provider/operation/hooks/record";
import { markOf } from "../../../../../provider/operation/hooks/run-hook";
import type { OperationStartInputs } from "../../../../../provider/operation/operation-start-inputs";
import { checkedBefore, endRun, listener } from "../../support/cluster";
import { hooksThatNote, operationOf } from "./hook-samples";

describe("hooks at the start of an operation", () => {
    const hooks = hooksThatNote();
    afterEach(endRun);

    const spec = {
        ...{ clusterId: "c0ffee", clusterName: "core", backEnd: "hosts", kubernetesVersion: "1.34.4" },
        nodes: {
            m1: { role: "controlPlane", machine: "10.0.0.11" },
            w2: { role: "worker", pool: "workers", machine: "10.0.0.22" },
        },
    } as const;
    const inputsOf = (change: Partial<OperationStartInputs> = {}): OperationStartInputs => ({
        spec: structuredClone(spec) as never,
        hooks: hooks.of("a", "b"),
        ...change,
    });

    const of = (...operations: RecordedOperation[]) => ({ starting: operations, ending: operations, ended: [] });

    it("are shown in their order, none is run", async () => {
        const context = listener();
        assert.equal(await showHooks(of(operationOf("7")), inputsOf(), context), undefined);
        const [note] = context.noted as [string];
        assert.match(
            note,
            /^hooks, in this order:\n1\. scale_start: a \(module .*\n2\. scale_start: b .*\n3\. scale_end: a .*\n4\. /,
        );
        assert.deepEqual(hooks.order(), []);
    });

    it("are not shown if there are none, or no operation", async () => {
        const context = listener();
        await showHooks(of(operationOf("7")), inputsOf({ hooks: undefined }), context);
        await showHooks(of(), inputsOf(), context);
        assert.deepEqual(context.noted, []);
    });

    it("say which ones PULUMI_NFV_SKIP_HOOKS leaves out, and which names are none of theirs", async () => {
        const context = listener();
        process.env["PULUMI_NFV_SKIP_HOOKS"] = "b, dsn";
        try {
            await showHooks(of(operationOf("7")), inputsOf(), context);
        } finally {
            delete process.env["PULUMI_NFV_SKIP_HOOKS"];
        }
        const lines = context.noted.join().split("\n");
        assert.deepEqual(
            lines.map(line => /does not run, PULUMI_NFV_SKIP_HOOKS names it$/.test(line)),
            [false, false, true, false, true],
        );
        assert.deepEqual(context.warned, [
            "PULUMI_NFV_SKIP_HOOKS names dsn, but core has no such hook: its hooks are a, b",
        ]);
    });

    it("are shown without those that have ended, also of an operation that an earlier run has begun", async () => {
        const context = listener();
        const operations = {
            starting: [operationOf("8", "heal")],
            ending: [operationOf("7"), operationOf("8", "heal")],
        };
        await showHooks({ ...operations, ended: ["7 scale_end a"] }, inputsOf(), context);
        assert.deepEqual(context.noted.join().match(/\d\. \w+: \w/g), [
            "1. heal_start: a",
            "2. heal_start: b",
            "3. scale_end: b",
            "4. heal_end: a",
            "5. heal_end: b",
        ]);
    });

    it("say that they are not known yet", async () => {
        const context = listener();
        const list = [hooks.one("a", { parameters: { address: unknownValue } })];
        assert.equal(
            await showHooks(of(operationOf("7")), inputsOf({ hooks: { clusterName: "core", list } }), context),
            undefined,
        );
        assert.match(context.noted.join(), /when their parameters are known/);
    });

    it("that cannot be used are a problem of the inputs", async () => {
        const list = [hooks.one("a", { files: ["/nowhere/driver.js"] })];
        const problem = await showHooks(
            of(operationOf("7")),
            inputsOf({ hooks: { clusterName: "core", list } }),
            listener(),
        );
        assert.match(problem!, /INVALID_INPUT\n +hook a: \/nowhere\/driver\.js cannot be loaded/);
    });

    it("run in their order, and are told the machines that stay and the addresses of new ones", async () => {
        const context = listener();
        const connection = { host: "192.0.2.11", user: "root" };
        const reach = { machines: { m1: { connection, address: "10.0.0.11" } } };
        checkedBefore(context, { reach: JSON.stringify(reach), completed: 6 });
        await runStartHooks([operationOf("7")], inputsOf(), context);
        assert.deepEqual(hooks.order(), ["7 scale_start a", "7 scale_start b"]);
        const [{ nodes, cluster }] = hooks.told();
        const m1 = { name: "m1", role: "controlPlane", sshAddress: "192.0.2.11", address: "10.0.0.11" };
        assert.deepEqual(nodes.before, [m1]);
        assert.deepEqual(nodes.after, [m1, { name: "w2", role: "worker", pool: "workers", address: "10.0.0.22" }]);
        assert.deepEqual([cluster.name, cluster.kubernetesVersion], ["core", "1.34.4"]);
    });

    it("on a cloud know no address of a new node", async () => {
        await runStartHooks([operationOf("7")], inputsOf({ spec: { ...spec, backEnd: "heat" } as never }), listener());
        assert.deepEqual(hooks.told()[0].nodes.after[1], { name: "w2", role: "worker", pool: "workers" });
    });

    it("forget the records of operations whose end the state has", async () => {
        const context = listener();
        checkedBefore(context, { reach: '{"machines":{}}', completed: 6 });
        for (const id of ["6", "7"]) new HookRecord("c0ffee", id, "a").begin("scale_start");
        await runStartHooks([operationOf("7")], inputsOf(), context);
        assert.deepEqual(readdirSync(join(hooks.folder.path, "records/c0ffee")).sort(), ["7-a.json", "7-b.json"]);
    });

    it("keep the records of an operation that waits for the deletion of its nodes", async () => {
        const context = listener();
        checkedBefore(context, { reach: '{"machines":{}}', completed: 6 });
        const waits = { ...operationOf("5"), endsWith: "deletion" as const };
        for (const id of ["4", "5"]) new HookRecord("c0ffee", id, "a").begin("scale_end");
        await runStartHooks([operationOf("7")], inputsOf({ history: [waits, operationOf("7")] }), context);
        assert.deepEqual(readdirSync(join(hooks.folder.path, "records/c0ffee")).sort(), [
            "5-a.json",
            "7-a.json",
            "7-b.json",
        ]);
    });

    it("let the end come again: a state from before the operation may have been restored", async () => {
        const record = () => new HookRecord("c0ffee", "7", "a", undefined, markOf(operationOf("7")));
        record().begin("scale_end");
        record().succeed("scale_end");
        await runStartHooks([operationOf("7")], inputsOf(), listener());
        assert.equal(record().hasSucceeded("scale_end"), false);
        assert.deepEqual(record().begin("scale_end"), { attempt: 2, interrupted: true, errorHandlingData: {} });
    });

    it("fail with the hook's own error", async () => {
        writeFileSync(join(hooks.folder.path, "fail-a-scaleStart"), "");
        await assert.rejects(runStartHooks([operationOf("7")], inputsOf(), listener()), error => {
            assert.ok(error instanceof NfvError);
            assert.deepEqual([error.code, error.step], ["HOOK_FAILED", "hook a: scale_start"]);
            return true;
        });
        assert.deepEqual(hooks.order(), ["7 scale_start a"]);
    });

    it("of an instantiation that fail leave nothing in the state: nothing has changed, so no rollback hook runs later", async () => {
        writeFileSync(join(hooks.folder.path, "fail-b-instantiateStart"), "");
        const first = inputsOf({ history: [operationOf("1", "instantiate")] });
        await assert.rejects(operationStart.create(first, listener()), error => {
            // With these the engine would keep the resource.
            assert.ok(!("id" in (error as object)) && !("properties" in (error as object)));
            return true;
        });
        await assert.rejects(operationStart.create(first, listener()), NfvError);
        const once = ["1 instantiate_start a", "1 instantiate_start b"];
        assert.deepEqual(hooks.order(), [...once, ...once]);
    });

    it("do not run without an operation, or without hooks", async () => {
        await runStartHooks([], inputsOf(), listener());
        await runStartHooks([operationOf("7")], inputsOf({ hooks: undefined }), listener());
        assert.deepEqual(hooks.order(), []);
    });
});
