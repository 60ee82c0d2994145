import assert from "node:assert/strict";
import * as door from "../../../../../provider";
import type { CloudStartInputs, CloudStartState } from "../../../../../provider/cloud/cloud-start-inputs";
import { packSecrets } from "../../../../../provider/contract/packed";
import { type FakeCloud, notFound } from "../../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../../support/cloud";
import { checked, listener } from "../../support/cluster";
import { inputsOf, operationStart, stateOf } from "../../support/start-inputs";

describe("the stack that the operation's start looks after", () => {
    const names = ["m1", "m2", "m3", "w1", "w2"];
    // No server listens at these addresses.
    const addresses = Object.fromEntries(names.map((name, i) => [name, `127.79.0.${i + 1}`]));
    const ssh = { user: "nfv", password: "Xy-secret-99", port: 9, connectTimeoutSeconds: 3 };
    const inputs = () => ({ ...inputsOf(names), ssh });
    const state = () => stateOf(inputs());
    let cloud: FakeCloud;
    let leave: () => Promise<void>;

    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        for (const name of names) serverIs(cloud, `id-${name}`, "ACTIVE");
        stackIs(cloud, "CREATE_COMPLETE", addresses);
    });
    afterEach(() => leave());

    it("is refused where a complete stack lists no resource: all servers would seem never to have been there", async () => {
        cloud.routes["GET /orchestration/stacks/core/1/resources"] = { resources: [] };
        const news = operationStart.check(state(), { ...inputsOf(["m1", "m2", "m3"]), ssh }).inputs;
        await assert.rejects(
            operationStart.update("id", state(), news, listener()),
            /Heat lists no resource of the stack "core" \(1\), which is CREATE_COMPLETE/,
        );
        cloud.routes["GET /orchestration/stacks/core/1/resources"] = { resources: [] };
        stackIs(cloud, "CREATE_FAILED", {});
        await operationStart.update("id", state(), news, listener());
    });

    describe("when a server is lost", () => {
        it("is found by a refresh, counted by the next check, told to Heat by the next update", async () => {
            serverIsGone(cloud, "id-w1");
            serverIsGone(cloud, "id-m2");
            const before = state();
            const seen = await operationStart.read("id", before, listener());
            assert.deepEqual(seen.props!.missing, { m2: "id-m2", w1: "id-w1" });
            const checked = operationStart.check(seen.inputs!, inputs()).inputs as CloudStartState;
            assert.deepEqual(checked.generations, { m1: 1, m2: 2, m3: 1, w1: 2, w2: 1 });
            assert.equal(operationStart.diff("id", seen.props!, checked).changes, true);
            for (const name of ["m2", "w1"]) {
                cloud.routes[`PATCH /orchestration/stacks/core/1/resources/${name}_server`] = {};
            }
            const { outs } = await operationStart.update("id", seen.props!, checked, listener());
            const marked = cloud.calls.filter(call => call.method === "PATCH").map(call => [call.path, call.body]);
            assert.deepEqual(
                marked.map(([path]) => path),
                ["m2", "w1"].map(name => `/orchestration/stacks/core/1/resources/${name}_server`),
            );
            assert.equal(marked[0]![1].mark_unhealthy, true);
            assert.equal(outs.missing, undefined);
            const again = operationStart.check(checked, inputs()).inputs;
            assert.deepEqual(again.generations, checked.generations);
            assert.equal(operationStart.diff("id", outs, again).changes, false);
        });

        it("is the jump server: it is healed as the others are", async () => {
            const jump = {
                name: "core-jump",
                output: "jump_address",
                server: "jump_server",
                image: "debian",
                flavor: "tiny",
            };
            const withJump = () => ({ ...inputsOf(["m1"], { jump }), ssh });
            stackIs(cloud, "CREATE_COMPLETE", { m1: "127.79.0.1", jump: "127.79.0.9" });
            serverIs(cloud, "id-jump", "ACTIVE");
            const before = stateOf(withJump());
            assert.deepEqual(await operationStart.read("id", before, listener()), { id: "id", props: before });
            serverIsGone(cloud, "id-jump");
            const seen = await operationStart.read("id", before, listener());
            assert.deepEqual(seen.props!.missing, { "core-jump": "id-jump" });
            const checked = operationStart.check(seen.inputs!, withJump()).inputs as CloudStartState;
            assert.deepEqual(checked.generations, { m1: 1, "core-jump": 2 });
            cloud.routes["PATCH /orchestration/stacks/core/1/resources/jump_server"] = {};
            await operationStart.update("id", seen.props!, checked, listener());
            assert.equal(cloud.count("PATCH /orchestration/stacks/core/1/resources/jump_server"), 1);
        });

        it("is not found where all are there, the stack moves, or the cloud does not answer", async () => {
            const before = state();
            assert.deepEqual(await operationStart.read("id", before, listener()), { id: "id", props: before });
            serverIsGone(cloud, "id-w1");
            stackIs(cloud, "UPDATE_IN_PROGRESS", addresses);
            assert.deepEqual(await operationStart.read("id", before, listener()), { id: "id", props: before });
            cloud.routes["GET /orchestration/stacks/core"] = () => ({ status: 403 });
            const context = listener();
            assert.deepEqual(await operationStart.read("id", before, context), { id: "id", props: before });
            assert.match(context.warned[0], /servers were not looked after/);
        });

        it("travels packed through a refresh, secrets where they were", async () => {
            serverIsGone(cloud, "id-w1");
            const { spec, ssh, ...rest } = state();
            const secrets = packSecrets([[["ssh"], ssh]]);
            const packed = { ...rest, spec: JSON.stringify(spec), secrets };
            const seen = (await door.read("OperationStart", "id", packed)) as unknown as {
                props: CloudStartState;
                inputs: Record<string, unknown>;
            };
            assert.deepEqual(seen.inputs, { ...packed, missing: { w1: "id-w1" } });
            assert.deepEqual(seen.props, seen.inputs);
        });
    });

    it("is never taken for gone, nor deleted, with the credentials of another project", async () => {
        delete cloud.routes["GET /orchestration/stacks/core"];
        const other = { ...state(), project: "p2", missing: { w1: "id-w1" }, resourceUrn: "urn:gone" };
        await assert.rejects(
            operationStart.read("id", other as CloudStartState, listener()),
            /lives in the project p2/,
        );
        await assert.rejects(
            operationStart.delete("id", other as CloudStartState, listener()),
            /lives in the project p2/,
        );
        assert.deepEqual(
            cloud.calls.filter(({ path }) => !path.startsWith("/identity")),
            [],
        );
        const own = { ...state(), project: "p1" };
        assert.deepEqual(await operationStart.read("id", own, listener()), { id: "id", props: own });
    });

    describe("deleted", () => {
        const remove = (changes: Partial<CloudStartInputs> = {}, context = listener()) =>
            operationStart.delete("id", { ...state(), resourceUrn: "urn:gone", ...changes } as never, context);

        it("deletes the stack that a killed run left behind, and waits until it is gone", async () => {
            cloud.routes["DELETE /orchestration/stacks/core/1"] = () => {
                let asked = 0;
                const shrinking = cloud.routes["GET /orchestration/stacks/core"] as object;
                cloud.routes["GET /orchestration/stacks/core"] = () =>
                    ++asked < 2 ? { body: shrinking } : notFound("orchestration");
                return { status: 204 };
            };
            await remove();
            assert.equal(cloud.count("DELETE /orchestration/stacks/core/1"), 1);
        });

        it("does not touch a stack of the same name that is somebody else's", async () => {
            stackIs(cloud, "CREATE_COMPLETE", addresses, ["pulumi-nfv.owner=other"]);
            const context = listener();
            await remove({}, context);
            assert.equal(cloud.calls.filter(call => call.method === "DELETE").length, 0);
            assert.match(context.warned[0], /no tag of this cluster/);
        });

        it("does nothing while the program still has it: then it is only replaced", async () => {
            checked(listener(), "OperationStart", { resourceUrn: "urn:kept" });
            await remove({ resourceUrn: "urn:kept" });
            assert.equal(cloud.calls.length, 0);
        });

        const volume = (id: string, cluster: string) => ({
            id,
            name: id,
            status: "available",
            size: 1,
            metadata: { "cinder.csi.openstack.org/cluster": cluster },
            attachments: [],
        });
        const volumesAre = (volumes: object[]) => {
            delete cloud.routes["GET /orchestration/stacks/core"];
            for (const list of ["floatingips", "ports", "security-groups"]) {
                cloud.routes[`GET /network/v2.0/${list}`] = { [list.replace("-", "_")]: [] };
            }
            cloud.routes["GET /block-storage/volumes/detail"] = { volumes };
            for (const id of ["v1", "v2"]) {
                cloud.routes[`DELETE /block-storage/volumes/${id}`] = () => ({ status: 202 });
            }
        };
        const deleted = () => cloud.calls.filter(call => call.method === "DELETE").map(({ path }) => path);

        it("removes volumes of this cluster's id, once no server has them, and none of another cluster of its name", async () => {
            volumesAre([volume("v1", "core-00000001"), volume("v2", "core")]);
            await remove();
            assert.deepEqual(deleted(), ["/block-storage/volumes/v1"]);
        });

        it("removes its own also where the cluster goes on by another back end, which has another id", async () => {
            const urn = (backEnd: string) =>
                `urn:KubernetesCluster$pulumi-nfv:index:ClusterOn${backEnd}$nfv:Start::core`;
            volumesAre([volume("v1", "core-00000001"), volume("v2", "core-00000002")]);
            operationStart.check({}, { ...inputs(), resourceUrn: urn("Nova") }, listener());
            await remove({ resourceUrn: urn("Heat") });
            assert.deepEqual(deleted(), ["/block-storage/volumes/v1"]);
        });
    });
});
