import assert from "node:assert/strict";
import type { CloudStartInputs, CloudStartState } from "../../../../../provider/cloud/cloud-start-inputs";
import { verdictsOnMarks } from "../../../../../provider/cloud/heat/stack-marks";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../../support/cloud";
import { listener } from "../../support/cluster";
import { inputsOf, operationStart, stateOf } from "../../support/start-inputs";

const resource = (name: string, status: string, id = `id-${name}`) => ({
    ...{ resource_name: name, resource_type: "OS::Nova::Server", resource_status: status },
    ...{ resource_status_reason: "", physical_resource_id: id },
});

describe("the mark by which Heat replaces a resource", () => {
    it("is removed from what hangs on a living server, and refused where nobody said that it is lost", () => {
        const resources = [
            resource("a", "CHECK_FAILED"),
            resource("a_disk", "CHECK_FAILED"),
            resource("b", "CHECK_FAILED"),
            resource("b_disk", "CHECK_FAILED", "new-id"),
            resource("back", "CHECK_FAILED"),
            resource("port", "CHECK_FAILED"),
            resource("never_made", "CHECK_FAILED", ""),
            resource("old_port", "CHECK_FAILED"),
            resource("c", "UPDATE_COMPLETE"),
        ];
        const together = [
            ["a", "a_disk"],
            ["b", "b_disk"],
        ];
        const marked = { a: "id-a", b: "id-b", b_disk: "id-b_disk", back: "id-back" };
        const states = { living: new Set(["a"]), lost: new Set(["b"]), leaving: new Set(["old_port"]) };
        assert.deepEqual(verdictsOnMarks(resources, { together, marked, ...states }), {
            remove: ["a", "a_disk"],
            // Whether "back" is still lost is not known.
            refuse: ["b_disk", "back", "port"],
        });
    });

    describe("before a stack changes", () => {
        const names = ["m1", "m2", "m3", "w1"];
        const addresses = Object.fromEntries(names.map((name, i) => [name, `127.79.0.${i + 1}`]));
        const ssh = { user: "nfv", password: "Xy-secret-99", port: 9, connectTimeoutSeconds: 3 };
        const inputs = (wanted = names): CloudStartInputs => ({ ...inputsOf(wanted), ssh });
        let cloud: FakeCloud;
        let leave: () => Promise<void>;

        beforeEach(async () => {
            ({ cloud, leave } = await cloudOfEnvironment());
            for (const name of names) serverIs(cloud, `id-${name}`, "ACTIVE");
            stackIs(cloud, "CREATE_COMPLETE", addresses);
            for (const name of names) cloud.routes[`PATCH /orchestration/stacks/core/1/resources/${name}_server`] = {};
        });
        afterEach(() => leave());

        const checkFailed = (...which: string[]) => {
            const { resources } = cloud.routes["GET /orchestration/stacks/core/1/resources"] as {
                resources: Record<string, string>[];
            };
            for (const each of resources)
                if (which.includes(each["resource_name"]!)) each["resource_status"] = "CHECK_FAILED";
        };
        const patches = () =>
            cloud.calls
                .filter(({ method }) => method === "PATCH")
                .map(({ path, body }) => [path.split("/").at(-1), (body as Record<string, unknown>)["mark_unhealthy"]]);
        const update = (olds: CloudStartState, news: CloudStartInputs) =>
            operationStart.update("id", olds, operationStart.check(olds, news).inputs, listener());

        it("goes from living servers, as `openstack stack check` leaves it while they are off", async () => {
            checkFailed("m1_server", "m2_server");
            serverIs(cloud, "id-m2", "SHUTOFF");
            await update(stateOf(inputs()), inputs([...names, "w2"]));
            assert.deepEqual(patches(), [
                ["m1_server", false],
                ["m2_server", false],
            ]);
        });

        it("stops the run where its server does not live and no refresh has found it lost", async () => {
            checkFailed("m1_server");
            serverIsGone(cloud, "id-m1");
            await assert.rejects(update(stateOf(inputs()), inputs([...names, "w2"])), {
                code: "STACK_FAILED",
                message:
                    /Heat has m1_server of the stack "core" as CHECK_FAILED[\s\S]*openstack stack resource mark unhealthy --reset core m1_server/,
            });
            assert.deepEqual(patches(), []);
        });

        it("is not looked for where the stack stays the same: a cloud that is down stops no change of a label", async () => {
            checkFailed("m1_server");
            const before = { ...stateOf(inputs()), stackHash: "a" };
            await update(before, { ...inputs(), stackHash: "a" });
            assert.deepEqual(
                cloud.calls.filter(({ path }) => path.includes("/stacks")),
                [],
            );
            await update(before, { ...inputs(), stackHash: "b" });
            assert.deepEqual(patches(), [["m1_server", false]]);
        });

        it("stops no node from leaving whose heal was given up", async () => {
            checkFailed("w1_server");
            serverIsGone(cloud, "id-w1");
            const fewer = names.filter(name => name !== "w1");
            await update(stateOf(inputs()), inputs(fewer)).catch(error =>
                assert.doesNotMatch(error.message, /CHECK_FAILED/),
            );
        });

        it("stays allowed in later runs, as long as the same server is lost", async () => {
            checkFailed("w1_server");
            serverIsGone(cloud, "id-w1");
            const olds = { ...stateOf(inputs()), marked: { w1_server: "id-w1" } };
            const { outs } = await update(olds, inputs([...names, "w2"]));
            assert.deepEqual(outs.marked, { w1_server: "id-w1" });
        });

        it("is noted with the id of what is lost", async () => {
            serverIsGone(cloud, "id-w1");
            const { outs } = await update({ ...stateOf(inputs()), missing: { w1: "id-w1" } }, inputs());
            assert.deepEqual(outs.marked, { w1_server: "id-w1" });
            assert.deepEqual(patches(), [["w1_server", true]]);
        });
    });
});
