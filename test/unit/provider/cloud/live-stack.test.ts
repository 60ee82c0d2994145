import assert from "node:assert/strict";
import promises from "node:timers/promises";
import type { CloudStartSpec } from "../../../../provider/cloud/cloud-start-inputs";
import {
    deleteOrphan,
    healedOf,
    serverIds,
    serversThere,
    stackName,
    stackOf,
} from "../../../../provider/cloud/heat/stack-servers";
import { NfvError } from "../../../../provider/common/errors";
import { cloudClient } from "../../../../provider/machine/server";
import type { LiveStack } from "../../../../provider/openstack";
import { type FakeCloud, notFound } from "../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone, stackIs } from "../support/cloud";
import { listener } from "../support/cluster";
import { inputsOf, startNode } from "../support/start-inputs";

const specOf = (names: string[], changes: Partial<CloudStartSpec> = {}): CloudStartSpec =>
    inputsOf(names, changes).spec;
const jump = { name: "core-jump", output: "jump_address", server: "jump_server", image: "debian", flavor: "tiny" };

describe("the servers of a stack", () => {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let stack: LiveStack;
    const context = () => listener();

    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        stackIs(cloud, "CREATE_COMPLETE", { m1: "10.0.0.1", w1: "10.0.0.2", jump: "10.0.0.9" });
        stack = (await stackOf(specOf([]), context()))!;
    });
    afterEach(() => leave());

    const resources = (): Record<string, string>[] =>
        (cloud.routes["GET /orchestration/stacks/core/1/resources"] as { resources: Record<string, string>[] })
            .resources;
    const idsOf = async (spec: Pick<CloudStartSpec, "nodes" | "jump">) =>
        Object.fromEntries(await serverIds(cloudClient(context(), {}), stack, spec));

    it("belong to the stack that the program names, else the cluster's", () => {
        assert.equal(stackName(specOf([], { stackName: "own" })), "own");
        assert.equal(stackName(specOf([], { stackName: undefined })), "core");
    });

    it("are recreated with what hangs on them, each named once; a machine of no stack is not", () => {
        const nodes = {
            m1: startNode("m1"),
            w1: startNode("w1", { stack: { server: "s", address: "a", healed: ["port", "s", "volume"] } }),
            x1: startNode("x1", { stack: undefined }),
        };
        assert.deepEqual(
            [...healedOf({ nodes })],
            [
                ["m1", ["m1_server"]],
                ["w1", ["s", "port", "volume"]],
            ],
        );
        assert.deepEqual([...healedOf({ nodes: {}, jump })], [["core-jump", ["jump_server"]]]);
        assert.deepEqual([...healedOf({ nodes: {}, jump: { ...jump, server: undefined } as never })], []);
    });

    it("have their ids from the stack itself: no port, no server of a nested stack, none that was never created", async () => {
        const { nodes } = specOf(["m1", "w1", "w2"]);
        resources().push(
            { resource_name: "w2_server", resource_type: "OS::Neutron::Port", physical_resource_id: "a-port" },
            {
                ...{ resource_name: "m1_server", resource_type: "OS::Nova::Server", physical_resource_id: "nested" },
                parent_resource: "group",
            },
        );
        assert.deepEqual(await idsOf({ nodes, jump }), { m1: "id-m1", w1: "id-w1", "core-jump": "id-jump" });
        resources().push({ resource_name: "w2_server", resource_type: "OS::Nova::Server", physical_resource_id: "" });
        assert.deepEqual(Object.keys(await idsOf({ nodes })), ["m1", "w1"]);
    });

    it("are there in any state that Nova tells, and gone where it has none; those of no node are not asked for", async () => {
        serverIs(cloud, "id-m1", "ERROR");
        serverIsGone(cloud, "id-w1");
        const there = await serversThere(specOf(["m1", "w1", "w9"], { jump }), stack, context());
        assert.deepEqual(Object.fromEntries(there), { m1: true, w1: false });
        serverIs(cloud, "id-w1", "DELETED");
        assert.equal((await serversThere(specOf(["w1"]), stack, context())).get("w1"), false);
    });
});

describe("a stack that no state has", () => {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    let slept: (number | undefined)[];
    const { setTimeout: realSleep } = promises;
    const { now } = Date;
    const stackRoute = "GET /orchestration/stacks/core";

    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        stackIs(cloud, "CREATE_COMPLETE", { m1: "10.0.0.1" });
        slept = [];
        promises.setTimeout = (async (delay?: number, value?: unknown, options?: { signal?: AbortSignal }) => {
            slept.push(delay);
            options?.signal?.throwIfAborted();
            return value;
        }) as typeof realSleep;
    });
    afterEach(async () => {
        promises.setTimeout = realSleep;
        Date.now = now;
        await leave();
    });

    /** From the DELETE on, the stack has these states, one after another; then it is gone. */
    const afterDeletion = (...states: string[]) => {
        cloud.routes["DELETE /orchestration/stacks/core/1"] = () => {
            // By id: another stack may get the name.
            cloud.routes["GET /orchestration/stacks/1"] = () => {
                const state = states.shift();
                if (state === undefined) return notFound("orchestration");
                const stack = { id: "1", stack_name: "core", stack_status: state, stack_status_reason: "quota" };
                return { body: { stack } };
            };
            return { status: 204 };
        };
    };
    const deleted = () => cloud.count("DELETE /orchestration/stacks/core/1");
    const spec = (changes: Partial<CloudStartSpec> = {}) => specOf(["m1"], changes);

    it("is deleted, and waited for once a second until it is gone", async () => {
        afterDeletion("CREATE_COMPLETE", "UPDATE_FAILED");
        const context = listener();
        await deleteOrphan(spec(), context);
        assert.deepEqual([deleted(), slept], [1, [1000, 1000, 1000]]);
        assert.deepEqual(context.said, ['delete the stack "core", which a killed run left behind']);
        assert.deepEqual(context.warned, []);
    });

    it("is an error where Heat cannot delete it, with Heat's reason", async () => {
        afterDeletion("DELETE_FAILED");
        const error = await deleteOrphan(spec(), listener()).then(
            () => assert.fail("did not fail"),
            thrown => thrown,
        );
        assert.ok(error instanceof NfvError);
        assert.deepEqual([error.code, error.reason], ["STACK_FAILED", 'the stack "core" is DELETE_FAILED\nquota']);
    });

    it("is waited for half an hour", async () => {
        afterDeletion(...Array.from({ length: 9 }, () => "CREATE_COMPLETE"));
        const began = now();
        const looks = () => cloud.count(stackRoute) + cloud.count("GET /orchestration/stacks/1");
        Date.now = () => began + looks() * 900_000;
        await deleteOrphan(spec(), listener());
        assert.equal(slept.length, 2);
    });

    it("is no longer waited for where the run is cancelled", async () => {
        afterDeletion("CREATE_COMPLETE", "CREATE_COMPLETE");
        const stop = new AbortController();
        stop.abort();
        await assert.rejects(deleteOrphan(spec(), { ...listener(), signal: stop.signal }), /abort/i);
    });

    it("stays without our tag, with a warning, also where we have no owner to compare with", async () => {
        const others = [spec({ owner: "other" }), spec({ owner: undefined })];
        stackIs(cloud, "CREATE_COMPLETE", {}, ["pulumi-nfv.owner=abc", "pulumi-nfv.owner=undefined"]);
        for (const each of others) {
            const context = listener();
            await deleteOrphan(each, context);
            assert.match(context.warned.join(), /^the stack "core" is still there; it has no tag of this cluster/);
            assert.deepEqual(context.said, []);
        }
        assert.equal(deleted(), 0);
    });

    it("is usually none: then nothing is said", async () => {
        delete cloud.routes[stackRoute];
        const context = listener();
        await deleteOrphan(spec(), context);
        assert.deepEqual([context.said, context.warned, slept], [[], [], []]);
    });
});
