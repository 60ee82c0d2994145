import assert from "node:assert/strict";
import * as door from "../../../../provider";
import { operationStart } from "../../../../provider/cluster/operation-start";
import { unknownValue } from "../../../../provider/contract/values";
import {
    type OperationStartInputs,
    type OperationStartSpec,
    unknownSetting,
} from "../../../../provider/operation/operation-start-inputs";
import { listener } from "../support/cluster";
import { operationStart as cloudStart, inputsOf, stateOf } from "../support/start-inputs";

const host = (machine: string, pool?: string) =>
    ({ role: pool ? "worker" : "controlPlane", ...(pool && { pool }), machine }) as const;
const nodes = { m1: host("10.0.0.11"), w1: host("10.0.0.21", "workers") };
const program = (changes: Partial<OperationStartSpec> = {}): OperationStartInputs => ({
    resourceUrn: "urn:start",
    spec: {
        clusterId: "core-00000001",
        clusterName: "core",
        backEnd: "hosts",
        nodes,
        kubernetesVersion: "1.34.4",
        allowUnsupportedVersion: true,
        endpoint: "vip 10.0.0.10:8443",
        settings: { registries: "r1" },
        ...changes,
    },
});
const check = (before: Partial<OperationStartInputs>, news: OperationStartInputs) => operationStart.check(before, news);
const next = (before: Partial<OperationStartInputs>, changes: Partial<OperationStartSpec>) =>
    check(before, program(changes));
const first = check({}, program()).inputs;

describe("the operation of a run, on machines that exist", () => {
    it("is an input that the next run finds, and a note for the person who watches", () => {
        const { inputs, notes, failures } = next(first, { nodes: { ...nodes, w3: host("10.0.0.23", "workers") } });
        assert.deepEqual(failures, []);
        assert.deepEqual([inputs.operation, inputs.operations], ["scale out workers +1 (w3)", 2]);
        assert.deepEqual(notes, ["operation: scale out workers +1 (w3)"]);
        assert.equal(operationStart.diff("id", first, inputs).changes, true);
    });

    it("stays as it is in runs that change nothing: these are no operation, and need no update", () => {
        assert.equal(first.operation, "instantiate control plane +1 (m1), workers +1 (w1)");
        const { inputs, notes } = next(first, {});
        assert.deepEqual([inputs, notes], [first, undefined]);
        assert.equal(operationStart.diff("id", first, inputs).changes, false);
    });

    it("goes on under its number until the start is done; the next one has another", async () => {
        const changes = { settings: { registries: "r2" } };
        const [once, again] = [next(first, changes).inputs, next(first, changes).inputs];
        assert.deepEqual(once, again);
        const { outs } = await operationStart.update("id", first, once, listener());
        assert.equal(next(outs, changes).inputs.operations, 2);
        assert.equal(next(outs, {}).inputs.operations, 3);
    });

    it("is to heal a node that has another machine", () => {
        const moved = { ...nodes, w1: host("10.0.0.99", "workers") };
        assert.equal(next(first, { nodes: moved }).inputs.operation, "heal w1 (another machine)");
    });

    it("is not guessed from what is not known at preview", () => {
        const open = { ...nodes, w1: host(unknownValue, "workers") };
        for (const changes of [
            { nodes: open },
            { endpoint: unknownValue },
            { settings: { registries: unknownSetting } },
            { settings: unknownValue as never },
        ]) {
            assert.equal(next(first, changes).notes, undefined, JSON.stringify(changes));
        }
        assert.equal(check(first, { ...first, spec: unknownValue as never }).notes, undefined);
        assert.equal(
            check({}, program({ clusterId: unknownValue, settings: unknownValue as never })).inputs.operation,
            first.operation,
        );
    });

    it("is given to the engine without the note", async () => {
        const checked = await door.check("OperationStart", {}, program() as never);
        assert.deepEqual(Object.keys(checked).sort(), ["failures", "inputs"]);
    });

    it("is made, changed, looked at and deleted without any machine or cloud", async () => {
        const { outs } = await operationStart.create(first, listener());
        const context = listener();
        assert.deepEqual(await operationStart.read("id", outs, context), { id: "id", props: outs });
        await operationStart.delete("id", { ...outs, resourceUrn: "urn:gone" }, context);
        assert.deepEqual([context.said, context.warned], [[], []]);
    });

    it("refuses a version that this package does not know, and none that the cluster has", () => {
        const strange = { kubernetesVersion: "1.99.1", allowUnsupportedVersion: false };
        for (const before of [{}, first])
            assert.match(next(before, strange).failures![0]!.reason, /^kubernetes\.version: 1\.99\.1 is newer than/);
        assert.deepEqual(next({}, { kubernetesVersion: "1.99.1" }).failures, []);
        assert.deepEqual(next(program({ kubernetesVersion: "1.99.0" }), strange).failures, []);
    });

    it("refuses an infrastructure that there is not", () => {
        const { failures } = next(first, { backEnd: "vmware" as never });
        assert.match(failures![0]!.reason, /must be one of hosts, nova, heat/);
    });
});

describe("the operation of a run, on a cloud", () => {
    const operation = (before: object, news: object) =>
        cloudStart.check(before as never, news as never).inputs.operation;

    it("takes nodes out first with Heat, last with Nova", () => {
        for (const [backEnd, line] of [
            ["heat", "scale in workers -1 (w1); scale out workers +1 (w2)"],
            ["nova", "scale out workers +1 (w2); scale in workers -1 (w1)"],
        ] as const) {
            const [before, news] = [
                ["m1", "w1"],
                ["m1", "w2"],
            ].map(names => inputsOf(names, { backEnd }));
            assert.equal(operation(stateOf(before!), news!), line);
        }
    });

    it("heals the servers that a refresh found lost, and no others", () => {
        const jump = { name: "core-jump", output: "jump_address", server: "jump_server" };
        const before = { ...stateOf(inputsOf(["m1", "w1", "w2"], { jump })) };
        const missing = { w1: "id-w1", w2: "id-w2", "core-jump": "id-jump" };
        const news = inputsOf(["m1", "w1"], { jump });
        assert.equal(
            operation({ ...before, missing }, news),
            "scale in workers -1 (w2); heal core-jump (its server is gone), w1 (its server is gone)",
        );
        assert.equal(
            operation({ ...before, missing }, inputsOf(["m1", "w1", "w2"])),
            "heal w1 (its server is gone), w2 (its server is gone)",
        );
    });
});
