import assert from "node:assert/strict";
import { runHooks } from "../../../../../provider/cluster/hooks/cluster-hooks";
import { endOfNode } from "../../../../../provider/cluster/hooks/deferred-hooks";
import type { HookMoment } from "../../../../../provider/operation/hooks/events";
import type { RecordedOperation } from "../../../../../provider/operation/hooks/facts";
import type { NodeSelection } from "../../../../../provider/operation/hooks/hook-spec";
import { FakeFleet, newKeyPair } from "../../../../../testing";
import { ownFolder, specOf } from "../../operation/hooks/fixtures";
import { checkAs, checked, checkedBefore, endRun, listener, withGivenUp } from "../../support/cluster";

describe("a hook on nodes, with a node that is dead", () => {
    const folder = ownFolder();
    const names = ["m1", "w1", "w2"];
    let fleet: FakeFleet;
    beforeEach(async () => {
        fleet = await FakeFleet.start({
            nodes: names,
            steps: { "hook.mgmt.healStart.1": () => ({ output: "128 rules\n" }), "hook.mgmt.healEnd.1": () => ({}) },
        });
        folder.put({ "hook.sh": "#!/bin/sh\n" });
        await fleet.node("w1").powerOff();
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    const nodes: RecordedOperation["before"] = {
        m1: { role: "controlPlane" },
        ...Object.fromEntries(["w1", "w2"].map(name => [name, { role: "worker" as const, pool: "workers" }])),
    };
    const heal = (replaced: string[]): RecordedOperation => ({
        ...{ id: "7", kind: "heal", added: [], removed: [], replaced, changed: [], reasons: [] },
        ...{ before: nodes, after: nodes },
    });
    const connectionOf = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const run = async (
        operation: RecordedOperation,
        {
            lost = [],
            moment = "start",
            select = {},
        }: { lost?: string[]; moment?: HookMoment; select?: NodeSelection } = {},
    ) => {
        const context = listener();
        const machines = Object.fromEntries(names.map(name => [name, { connection: connectionOf(name) }]));
        checkedBefore(context, { reach: JSON.stringify({ machines }), lost });
        const hook = specOf({ nodes: select, events: ["healStart", "healEnd"], files: [`${folder.path}/hook.sh`] });
        await runHooks(
            {
                hooks: { clusterName: "core", list: [hook] },
                ...{ operations: [operation], moment, clusterId: "c0ffee" },
                reach: { machines },
                machines: { before: {}, after: {} },
            },
            { ...context, urn: "urn:pulumi:dev::site::pulumi-nodejs:dynamic/nfv:OperationStart::core" },
        );
        const ran = fleet.begun().filter(each => each.includes("hook."));
        const told = context.noted.map(text => text.replace(/\(\d+ s\)/, "(0 s)"));
        return { ran: ran.map(each => each.split(" ")[0]).sort(), warned: context.warned.join("\n"), told };
    };

    it("leaves it out where it is replaced, and says why", async () => {
        const { ran, warned, told } = await run(heal(["w1"]));
        assert.deepEqual(ran, ["m1", "w2"]);
        assert.deepEqual(told, ["hook mgmt (heal_start): done (0 s)\n    m1, w2: 128 rules"]);
        assert.match(warned, /^hook mgmt: left out:\nw1: it is replaced, and \S/);
    });

    it("leaves it out where a refresh found its server lost, without asking it", async () => {
        const { ran, warned } = await run(heal(["w1"]), { lost: ["w1"] });
        assert.deepEqual(ran, ["m1", "w2"]);
        assert.match(warned, /w1: it is lost: its server does not exist any more/);
    });

    it("leaves it out where it was given up by name", async () => {
        await withGivenUp("c0ffee/w1", async () => {
            const { ran, warned } = await run(heal([]));
            assert.deepEqual(ran, ["m1", "w2"]);
            assert.match(warned, /w1: it was given up by name/);
        });
    });

    it("takes the first of those that take part", async () => {
        const { ran } = await run(heal(["w1"]), { select: { pool: "workers", first: true } });
        assert.deepEqual(ran, ["w2"]);
    });

    it("runs on one that is replaced and answers", async () => {
        const { ran, warned } = await run(heal(["w1", "w2"]));
        assert.deepEqual(ran, ["m1", "w2"]);
        assert.doesNotMatch(warned, /w2/);
    });

    it("fails where it stays in the cluster: it may live", async () => {
        await assert.rejects(run(heal(["w2"])), (error: Error) => /w1/.test(error.message));
    });

    it("fails at the end, where its new machine must answer, whatever was given up", async () => {
        await withGivenUp("c0ffee/w1", () =>
            assert.rejects(run(heal(["w1"]), { lost: ["w1"], moment: "end" }), (error: Error) =>
                /w1/.test(error.message),
            ),
        );
    });
});

describe("a hook on nodes at the end of a scale in, which comes when all nodes that leave are gone", () => {
    const folder = ownFolder();
    const next = newKeyPair();
    let fleet: FakeFleet;
    beforeEach(async () => {
        fleet = await FakeFleet.start({
            nodes: ["m1"],
            steps: { "hook.mgmt.scaleEnd.1": () => ({}) },
            overrides: { m1: { authorizedKeys: [next.public] } },
        });
        folder.put({ "hook.sh": "#!/bin/sh\n" });
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("reaches nodes that stay by the login key that a rotation in the same run has left them", async () => {
        const context = { ...listener(), urn: "urn:pulumi:dev::site::pulumi-nodejs:dynamic/nfv:NodeEnd::core-w1" };
        const clusterId = "c0ffee";
        const at = (privateKey: string) => ({
            connection: { ...fleet.target("m1"), privateKey, connectTimeoutSeconds: 3 },
        });
        const former = at(fleet.privateKey);
        const reach = JSON.stringify({ machines: { m1: former, w1: former } });
        const hook = specOf({ nodes: {}, events: ["scaleEnd"], files: [`${folder.path}/hook.sh`] });
        const m1 = { role: "controlPlane" as const };
        const w1 = { role: "worker" as const, pool: "workers" };
        const hooks = { clusterName: "core", list: [hook] };
        const spec = { clusterName: "core", clusterId, backEnd: "hosts", nodes: { m1 } };
        const before = { spec: { ...spec, nodes: { m1, w1 } }, operations: 6 };
        checked(context, "OperationStart", { spec, hooks, before: { reach, ends: ["w1"] } } as object, before);
        const targets = JSON.stringify([{ name: "m1", ...at(next.private) }]);
        checkAs("LoginRotation", {}, { clusterId, word: "a", use: 0, targets } as object, context);
        fleet.node("m1").server["clientKeys"].shift();
        await endOfNode(clusterId, "w1", context);
        assert.deepEqual(fleet.begun(), ["m1 hook.mgmt.scaleEnd.1"]);
    });
});
