import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withEndHooks } from "../../../../../provider/cluster/hooks/end-hooks";
import { runLastHooks, runTerminateHooks } from "../../../../../provider/cluster/hooks/terminate-hooks";
import { operationEnd } from "../../../../../provider/cluster/operation-end";
import type { OperationEndState } from "../../../../../provider/cluster/operation-end-inputs";
import { runFacts } from "../../../../../provider/contract/run-facts";
import type { OperationStartState } from "../../../../../provider/operation/operation-start-inputs";
import { checked, endRun, listener } from "../../support/cluster";
import { hooksThatNote, operationOf } from "./hook-samples";

const connection = (host: string) => ({ host, user: "root", privateKey: "canary-key" });

describe("hooks of a termination", () => {
    const hooks = hooksThatNote();
    afterEach(endRun);

    const endOf = (change: Partial<OperationEndState> = {}) =>
        ({
            spec: { clusterId: "c0ffee", nodes: { m1: "1.34.4", w2: "1.34.4" } },
            controlPlane: [{ name: "m1", address: "10.0.0.11", connection: connection("192.0.2.11") }],
            workers: [{ name: "w2", connection: connection("192.0.2.22") }],
            done: { step: "1" },
            hooks: hooks.of("a", "b"),
            history: [operationOf("7"), operationOf("8", "heal")],
            ...change,
        }) as OperationEndState;
    const startOf = (change: Partial<OperationStartState> = {}) =>
        ({
            spec: {
                ...{ clusterId: "c0ffee", clusterName: "core", backEnd: "hosts", kubernetesVersion: "1.34.4" },
                nodes: {
                    m1: { role: "controlPlane", machine: "10.0.0.11" },
                    w2: { role: "worker", pool: "workers", machine: "10.0.0.22" },
                },
            },
            hooks: hooks.of("a", "b"),
            operations: 8,
            ...change,
        }) as OperationStartState;

    it("begin with all nodes, as an operation with the next number", async () => {
        await runTerminateHooks(endOf({ endedUpTo: 8 }), listener());
        assert.deepEqual(hooks.order(), ["9 terminate_start a", "9 terminate_start b"]);
        const [{ nodes }] = hooks.told();
        assert.deepEqual([nodes.removed, nodes.after], [["m1", "w2"], []]);
        assert.deepEqual(
            nodes.before.map(({ name }: { name: string }) => name),
            ["m1", "w2"],
        );
    });

    it("at the start are told all nodes, also after a run that was no operation", async () => {
        const made = await withEndHooks("id", endOf(), { endedUpTo: 6 }, listener());
        const later = await withEndHooks("id", endOf({ history: [] }), made, listener());
        await runTerminateHooks(later, listener());
        const [{ nodes }] = hooks.told().slice(-1);
        assert.deepEqual(
            nodes.before.map(({ name, role, pool }: Record<string, string>) => [name, role, pool]),
            [
                ["m1", "controlPlane", undefined],
                ["w2", "worker", "workers"],
            ],
        );
        assert.deepEqual(hooks.order().slice(-1), ["9 terminate_start b"]);
    });

    it("at the start are told all nodes of a state without history", async () => {
        await runTerminateHooks(endOf({ history: undefined }), listener());
        assert.deepEqual(
            hooks.told()[0].nodes.before.map(({ name, role }: Record<string, string>) => [name, role]),
            [
                ["m1", "controlPlane"],
                ["w2", "worker"],
            ],
        );
    });

    it("are none where a node is replaced, and the end of the operation with it", async () => {
        checked(listener(), "OperationStart", { spec: { clusterId: "c0ffee" } } as object);
        const context = listener();
        await operationEnd.delete("id", endOf(), context);
        assert.deepEqual([hooks.order(), context.noted, runFacts(context).isEnding("c0ffee")], [[], [], false]);
        endRun();
        await operationEnd.delete("id", endOf(), listener());
        assert.deepEqual(hooks.order(), ["9 terminate_start a", "9 terminate_start b"]);
    });

    it("of the end come last, with the number of its start, and then the cluster's records go", async () => {
        const context = listener();
        runFacts(context).did.beganToEnd.add("c0ffee");
        await runLastHooks(startOf({ history: [operationOf("1", "instantiate")] }), context);
        assert.deepEqual(hooks.order(), ["9 terminate_end a", "9 terminate_end b"]);
        const [{ nodes, cluster }] = hooks.told();
        assert.deepEqual([nodes.removed, nodes.after], [["m1", "w2"], []]);
        assert.equal(cluster.kubeconfig, undefined);
        assert.deepEqual(readdirSync(join(hooks.folder.path, "records")), []);
    });

    it("are those of a rollback if the instantiation never ended", async () => {
        await runLastHooks(startOf({ operations: 1, history: [operationOf("1", "instantiate")] }), listener());
        assert.deepEqual(hooks.order(), [
            ...["2 instantiate_rollback_start a", "2 instantiate_rollback_start b"],
            ...["2 instantiate_rollback_end a", "2 instantiate_rollback_end b"],
        ]);
        assert.equal(hooks.told()[0].operation.rollbackOf, "1");
    });

    it("keep their records if the last one fails, so that the next destroy goes on", async () => {
        const context = listener();
        runFacts(context).did.beganToEnd.add("c0ffee");
        writeFileSync(join(hooks.folder.path, "fail-b-terminateEnd"), "");
        await assert.rejects(runLastHooks(startOf(), context), /hook b: terminate_end: HOOK_FAILED/);
        assert.deepEqual(readdirSync(join(hooks.folder.path, "records/c0ffee")).sort(), ["9-a.json", "9-b.json"]);
    });
});
