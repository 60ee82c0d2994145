import assert from "node:assert/strict";
import { runFacts } from "../../../../provider/contract/run-facts";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { plannedActs } from "../../../../provider/member/planned-acts";
import { endRun, listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("a machine that knows more to do than the plan", () => {
    const { fleet, of, make } = threeMachines({ durations: {}, probes: {} });
    const planning = (...titles: string[]) => {
        const context = { ...listener(), urn: "urn" };
        runFacts(context).program.plannedSteps.set("urn", title => titles.includes(title));
        return context;
    };
    const refused = (work: Promise<unknown>, step: string) =>
        assert.rejects(work, (error: any) => {
            assert.deepEqual([error.code, error.node, error.step], ["PLAN_CHANGED", "w1", step], error.stack);
            return true;
        });

    it("begins no step where the plan does not name all that are to run", async () => {
        await make("m1");
        const made = await make("w1");
        const { journal } = fleet().node("w1").agent;
        delete journal["host.sysctls"];
        delete journal["host.container-runtime-config"];
        fleet().events.length = 0;
        const update = (...titles: string[]) =>
            host.update(made.host.id, made.host.outs, of("w1").host, planning(...titles));
        await refused(update("set kernel parameters"), "configure the container runtime");
        assert.deepEqual(fleet().begun(), []);
        await endRun();
        await update("set kernel parameters", "configure the container runtime");
        assert.deepEqual(fleet().begun().sort(), ["w1 host.container-runtime-config", "w1 host.sysctls"]);
    });

    it("does not leave its cluster where its notes are gone and the plan has only labels", async () => {
        await make("m1");
        const made = await make("w1");
        const { agent } = fleet().node("w1");
        for (const step of Object.keys(agent.journal)) delete agent.journal[step];
        agent.belongsTo = undefined;
        fleet().events.length = 0;
        await assert.rejects(
            node.update(made.node.id, made.node.outs, of("w1").node, planning("set labels and taints")),
            { code: "PLAN_CHANGED", node: "w1" },
        );
        assert.deepEqual(fleet().begun(), []);
    });

    it("has the same steps in its plan as its update runs", async () => {
        await make("m1");
        const made = await make("w1");
        const inputs = of("w1").host;
        const state = { ...made.host.outs, done: { ...made.host.outs.done, "host.sysctls": "other" } };
        const acts = plannedActs(state as never, inputs as never);
        assert.deepEqual(
            acts.map(({ title }) => title),
            ["set kernel parameters"],
        );
    });
});
