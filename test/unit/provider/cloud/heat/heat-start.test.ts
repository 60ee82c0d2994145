import assert from "node:assert/strict";
import type { CloudStartInputs, CloudStartState } from "../../../../../provider/cloud/cloud-start-inputs";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, stackIs } from "../../support/cloud";
import { listener } from "../../support/cluster";
import { inputsOf, operationStart, startNode, stateOf } from "../../support/start-inputs";

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

        describe("from Nova where the last change of the stack failed: its parameters say what was wanted", () => {
            beforeEach(() => {
                cloud.routes["GET /compute/flavors/detail"] = {
                    flavors: ["small", "large"].map(name => ({ id: `f-${name}`, name })),
                };
                cloud.routes["GET /image/v2/images"] = { images: [] };
                isOtherwise("w1_server");
                const list = cloud.routes["GET /orchestration/stacks/core/1/resources"] as { resources: object[] };
                list.resources.push({
                    ...list.resources[0],
                    ...{ resource_name: "w1_disk", resource_type: "OS::Cinder::Volume", physical_resource_id: "vol" },
                });
            });
            const wanted = { w1_image: "new", w1_flavor: "f-large" };
            /** What Heat would replace to make it as its own template and parameters say. */
            const isOtherwise = (...names: string[]) => {
                cloud.routes["GET /orchestration/stacks/core/1/template"] = { resources: {} };
                const replaced = names.map(resource_name => ({ resource_name }));
                cloud.routes["PUT /orchestration/stacks/core/1/preview"] = () => ({
                    body: { resource_changes: { replaced } },
                });
            };
            const failed = () => {
                const { resources } = cloud.routes["GET /orchestration/stacks/core/1/resources"] as {
                    resources: object[];
                };
                parametersAre(wanted, "UPDATE_FAILED");
                cloud.routes["GET /orchestration/stacks/core/1/resources"] = { resources };
            };

            it("the image and the flavor with which it was made", async () => {
                serverIs(cloud, "id-w1", "ACTIVE", { image: { id: "its-own" }, flavor: { original_name: "small" } });
                failed();
                const { images, flavors } = (await refreshed(state())).props!;
                assert.deepEqual([images, flavors], [{ m1: "kept", w1: "its-own" }, { w1: "f-small" }]);
            });

            it("the parameters where they say the same in other words", async () => {
                serverIs(cloud, "id-w1", "ACTIVE", { image: { id: "id-new" }, flavor: { original_name: "large" } });
                cloud.routes["GET /image/v2/images"] = { images: [{ id: "id-new", name: "new" }] };
                failed();
                const { images, flavors } = (await refreshed(state())).props!;
                assert.deepEqual([images, flavors], [{ m1: "kept", w1: "new" }, { w1: "f-large" }]);
            });

            it("nothing where Heat has it as the parameters say: somebody has resized or rebuilt it by hand", async () => {
                serverIs(cloud, "id-w1", "ACTIVE", { image: { id: "its-own" }, flavor: { original_name: "small" } });
                isOtherwise();
                failed();
                const { images, flavors } = (await refreshed(state())).props!;
                assert.deepEqual([images, flavors], [{ m1: "kept", w1: "new" }, { w1: "f-large" }]);
            });

            it("the image of its boot volume", async () => {
                const olds = state();
                olds.spec.nodes["w1"]!.stack!.healed = ["w1_server", "w1_disk"];
                serverIs(cloud, "id-w1", "ACTIVE", { image: "", flavor: { original_name: "large" } });
                cloud.routes["GET /block-storage/volumes/vol"] = {
                    volume: { id: "vol", attachments: [], volume_image_metadata: { image_id: "its-own" } },
                };
                failed();
                assert.equal((await refreshed(olds)).props!.images!["w1"], "its-own");
            });
        });

        it("but not while the stack changes, nor where there is none", async () => {
            parametersAre({ w1_image: "new" }, "UPDATE_IN_PROGRESS");
            assert.deepEqual((await refreshed(state())).props!.images, { m1: "kept", w1: "old" });
            delete cloud.routes["GET /orchestration/stacks/core"];
            assert.deepEqual((await refreshed(state())).props!.images, { m1: "kept", w1: "old" });
        });
    });

    describe("has Heat finish a change that failed, which a refresh makes the engine forget", () => {
        const refreshed = async (status: string, olds = stateOf(inputsOf(["m1", "w1"]))) => {
            stackIs(cloud, status, { m1: "10.0.0.1", w1: "10.0.0.2" });
            cloud.routes["GET /compute/flavors/detail"] = { flavors: [] };
            return (await operationStart.read("id", olds, listener())) as { props: CloudStartState };
        };

        it("by a number that grows", async () => {
            for (const status of ["UPDATE_FAILED", "CREATE_FAILED", "ROLLBACK_COMPLETE"]) {
                const { props } = await refreshed(status);
                assert.equal(props.retries, 1, status);
                const { inputs } = operationStart.check(props, inputsOf(["m1", "w1"]));
                assert.equal(inputs.retries, 1);
                assert.ok(operationStart.diff("id", stateOf(inputsOf(["m1", "w1"])), inputs).changes);
                assert.equal((await refreshed(status, props)).props.retries, 2);
            }
        });

        it("also where Heat has rejected the request: the stack has the tag of an earlier one", async () => {
            const olds = { ...stateOf(inputsOf(["m1", "w1"])), stackHash: "b" };
            const retries = async (...tags: string[]) => {
                stackIs(cloud, "UPDATE_COMPLETE", { m1: "10.0.0.1", w1: "10.0.0.2" }, tags);
                return (await operationStart.read("id", olds, listener())).props!.retries;
            };
            assert.equal(await retries("pulumi-nfv.hash=a"), 1);
            assert.equal(await retries("pulumi-nfv.hash=b"), undefined);
            assert.equal(await retries("somebody's tag"), undefined);
        });

        it("also where a check of the stack hides it: something is not there", async () => {
            const hidden = async (changes: object) => {
                stackIs(cloud, "CHECK_COMPLETE", { m1: "10.0.0.1", w1: "10.0.0.2" });
                const { resources } = cloud.routes["GET /orchestration/stacks/core/1/resources"] as {
                    resources: object[];
                };
                Object.assign(resources[1]!, changes);
                const olds = stateOf(inputsOf(["m1", "w1"]));
                return (await operationStart.read("id", olds, listener())).props!.retries;
            };
            assert.equal(await hidden({}), undefined);
            assert.equal(await hidden({ physical_resource_id: "" }), 1);
            assert.equal(await hidden({ resource_status: "UPDATE_FAILED" }), 1);
        });

        it("but not after one that ended, nor because a check of the stack found something", async () => {
            for (const status of ["UPDATE_COMPLETE", "CHECK_FAILED", "UPDATE_IN_PROGRESS"])
                assert.equal((await refreshed(status)).props.retries, undefined, status);
        });
    });

    describe("notes servers whose nodes have left, and what was made for them, by their ids", () => {
        const takenOut = async (olds: CloudStartState, news: CloudStartInputs) =>
            (await operationStart.update("id", olds, operationStart.check(olds, news).inputs, listener())).outs
                .takenOut;
        it("also those of earlier runs, until their servers are gone or the names are used again", async () => {
            const noted = { ...stateOf(inputsOf(["m1"])), takenOut: { w1_server: "id-w1", w2_server: "id-w2" } };
            assert.deepEqual(await takenOut(noted, inputsOf(["m1"])), { w1_server: "id-w1" });
            assert.deepEqual(await takenOut(noted, inputsOf(["m1", "w1"])), {});
            const list = cloud.routes["GET /orchestration/stacks/core/1/resources"] as { resources: object[] };
            list.resources.push({ ...list.resources[0], resource_name: "w1_port", physical_resource_id: "port" });
            const parts = { w1_server: "id-w1", w1_port: "port" };
            assert.deepEqual(await takenOut({ ...noted, takenOut: parts }, inputsOf(["m1"])), parts);
            const other = { ...noted, takenOut: { w1_server: "an-earlier-one" } };
            assert.deepEqual(await takenOut(other, inputsOf(["m1"])), {});
        });
    });
});
