import assert from "node:assert/strict";
import type { CloudStartInputs, CloudStartState } from "../../../../provider/resources/cloud-start-inputs";
import type { FakeCloud } from "../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, stackIs } from "./cloud";
import { listener } from "./cluster";
import { inputsOf, operationStart, startNode, stateOf } from "./start-inputs";

describe("the start of an operation on a stack", () => {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        stackIs(cloud, "UPDATE_COMPLETE", { m1: "10.0.0.1", w1: "10.0.0.2" });
        for (const name of ["m1", "w1"]) serverIs(cloud, `id-${name}`, "ACTIVE");
    });
    afterEach(() => leave());

    describe("learns by a refresh what servers are made of: the state may be older than they are", () => {
        const madeOf = { images: "w1_image", flavors: "w1_flavor" };
        const nodes = {
            m1: startNode("m1"),
            w1: startNode("w1", { stack: { server: "w1_server", address: "w1_address", madeOf } }),
        };
        const state = (changes: Partial<CloudStartState> = {}): CloudStartState => ({
            ...stateOf(inputsOf([], { nodes })),
            images: { m1: "kept", w1: "old" },
            flavors: { w1: "small" },
            ...changes,
        });
        const parametersAre = (parameters: Record<string, string>, status = "UPDATE_COMPLETE") => {
            stackIs(cloud, status, { m1: "10.0.0.1", w1: "10.0.0.2" });
            Object.assign((cloud.routes["GET /orchestration/stacks/core"] as { stack: object }).stack, { parameters });
        };
        const refreshed = (olds: CloudStartState) => operationStart.read("id", olds, listener());

        it("from the stack's parameters, as inputs too", async () => {
            parametersAre({ w1_image: "new", w1_flavor: "small", m1_image: "not asked for" });
            const { props, inputs } = await refreshed(state());
            for (const found of [props, inputs]) {
                assert.deepEqual(found!.images, { m1: "kept", w1: "new" });
                assert.deepEqual(found!.flavors, { w1: "small" });
            }
        });

        it("and changes nothing where both agree", async () => {
            parametersAre({ w1_image: "old", w1_flavor: "small" });
            const olds = state();
            assert.equal((await refreshed(olds)).props, olds);
        });

        it("but not while the stack changes, nor where there is none", async () => {
            parametersAre({ w1_image: "new" }, "UPDATE_IN_PROGRESS");
            assert.deepEqual((await refreshed(state())).props!.images, { m1: "kept", w1: "old" });
            delete cloud.routes["GET /orchestration/stacks/core"];
            assert.deepEqual((await refreshed(state())).props!.images, { m1: "kept", w1: "old" });
        });
    });

    describe("notes servers whose nodes have left by their ids", () => {
        const takenOut = async (olds: CloudStartState, news: CloudStartInputs) =>
            (await operationStart.update("id", olds, operationStart.check(olds, news).inputs, listener())).outs
                .takenOut;
        it("also those of earlier runs, until their servers are gone or the names are used again", async () => {
            const noted = { ...stateOf(inputsOf(["m1"])), takenOut: { w1_server: "id-w1", w2_server: "id-w2" } };
            assert.deepEqual(await takenOut(noted, inputsOf(["m1"])), { w1_server: "id-w1" });
            assert.deepEqual(await takenOut(noted, inputsOf(["m1", "w1"])), {});
            const other = { ...noted, takenOut: { w1_server: "an-earlier-one" } };
            assert.deepEqual(await takenOut(other, inputsOf(["m1"])), {});
        });
    });
});
