import assert from "node:assert/strict";
import { type Reached, reach } from "../../../../provider/procedures/reached";
import { carryOut } from "../../../../provider/procedures/stages";
import type { Act } from "../../../../provider/steps/types";
import { FakeFleet } from "../../../../testing";
import { endRun, listener } from "../support/cluster";

describe("the stages of a request", () => {
    let fleet: FakeFleet;
    const names = ["m1", "m2", "m3"];
    const act: Act = { id: "request.test", title: "try it", target: "self", run: "true", timeoutSeconds: 20 };

    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: names });
        for (const name of names) fleet.node(name).agent.belongsTo = { cluster: "core-1", node: name };
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    const carried = async (stage: { independent?: boolean; toleratesUnreachable?: boolean; atOnce: number }) => {
        const context = listener();
        const on: Reached[] = reach(
            names.map(name => ({ name, connection: { ...fleet.target(name), connectTimeoutSeconds: 2 } })),
            context,
        );
        const ended = await carryOut([{ act: () => act, on, ...stage }], {}, { clusterId: "core-1", context }).catch(
            String,
        );
        const did = names.filter(name => fleet.node(name).agent.acts.length > 0);
        return [did, ended] as const;
    };

    it("stop behind a batch in which a node failed", async () => {
        await fleet.node("m1").powerOff();
        const [did, ended] = await carried({ atOnce: 1 });
        assert.deepEqual(did, []);
        assert.match(String(ended), /m1/);
    });

    it("are done on all machines of which none needs another, and fail at the end", async () => {
        await fleet.node("m1").powerOff();
        const [did, ended] = await carried({ atOnce: 1, independent: true });
        assert.deepEqual(did, ["m2", "m3"]);
        assert.match(String(ended), /m1/);
    });

    it("return those that did not answer, where that is tolerated", async () => {
        await fleet.node("m2").powerOff();
        const [did, ended] = await carried({ atOnce: 3, toleratesUnreachable: true });
        assert.deepEqual(did, ["m1", "m3"]);
        assert.deepEqual(
            (ended as { name: string }[]).map(({ name }) => name),
            ["m2"],
        );
    });
});
