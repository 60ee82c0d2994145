import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { isEngine } from "../../../../provider/adapters/hooks";
import { outputsOfCluster, ownState, type StateOutputs, stateProblem } from "../../../../provider/adapters/own-state";

describe("the state of a program's own stack", () => {
    /** The stack's name in the requests, and the result. `known` undefined: the backend reports nothing. */
    const asked = async (known: Record<string, object> | undefined) => {
        const names: string[] = [];
        const mocks: pulumi.runtime.Mocks = {
            call: ({ token, inputs }) => {
                assert.equal(token, "pulumi:pulumi:readStackResourceOutputs");
                names.push(inputs.stackName);
                if (known === undefined) throw Object.assign(new Error(), { details: "no such stack" });
                return { name: inputs.stackName, outputs: known };
            },
            newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
        };
        await pulumi.runtime.setMocks(mocks, "test", "test", false, "organization");
        let told: object = {};
        let problem: string | undefined;
        // Each program reads the state once.
        await pulumi.runtime.runInPulumiStack(async () => {
            told = await ownState();
            assert.equal(await ownState(), told);
            problem = await stateProblem();
        });
        return { names, told, problem };
    };

    it("is read once, by the stack's whole name", async () => {
        const known = { "urn:a": { outputs: {} } };
        assert.deepEqual(await asked(known), {
            ...{ names: ["organization/test/test"], told: known },
            problem: undefined,
        });
    });

    it("is empty, and says why, where a backend tells nothing of its stacks, by either name, also when asked again", async () => {
        const names = ["organization/test/test", "test", "organization/test/test", "test"];
        assert.deepEqual(await asked(undefined), { names, told: {}, problem: "no such stack" });
    });

    it("has no hooks beside it in a user's unit test", async () => {
        await asked({});
        assert.equal(isEngine(), false);
        Object.assign(pulumi.runtime.getMonitor()!, { registerResourceHook: () => {} });
        assert.equal(isEngine(), true);
    });
});

describe("a resource of a cluster in a state", () => {
    const type = "pulumi-nodejs:dynamic/nfv:ClusterKeys";
    const urn = (name: string) => `urn:pulumi:dev::site::pulumi-nfv:index:KubernetesCluster$${type}::${name}`;
    const keysOf = (clusterId: string) => ({ outputs: { clusterId } });
    const find = (state: StateOutputs) => outputsOfCluster(state, { urn: urn("site"), type, clusterName: "my-core" });

    it("is the one with its URN, or the one of the cluster's name, which had another URN before a renaming", () => {
        const former = { [urn("core")]: keysOf("my-core-0a1b2c3d"), [urn("other")]: keysOf("core-0a1b2c3d") };
        assert.deepEqual(find(former), { clusterId: "my-core-0a1b2c3d" });
        assert.deepEqual(find({ ...former, [urn("site")]: keysOf("x-1") }), { clusterId: "x-1" });
        assert.deepEqual(find({ [urn("core")]: { outputs: { clusterName: "my-core" } } }), { clusterName: "my-core" });
    });

    it("is none where it could be one of two, or is of another type", () => {
        const two = { [urn("a")]: keysOf("my-core-0a1b2c3d"), [urn("b")]: keysOf("my-core-4e5f6a7b") };
        assert.deepEqual(find(two), undefined);
        assert.deepEqual(find({ [urn("core").replace("Keys", "Id")]: keysOf("my-core-0a1b2c3d") }), undefined);
    });
});
