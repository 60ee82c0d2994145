import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { hasHooks } from "../../../provider/hooks";
import { ownState, stateProblem } from "../../../provider/own-state";
import { withoutHooks } from "../../../provider/without-hooks";

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

    it("has no hooks beside it in a user's unit test, and behind a language host that passes none on", async () => {
        await asked({});
        assert.equal(hasHooks(), false);
        Object.assign(pulumi.runtime.getMonitor()!, { registerResourceHook: () => {} });
        assert.equal(hasHooks(), true);
        process.env[withoutHooks] = "yes";
        try {
            assert.equal(hasHooks(), false);
        } finally {
            delete process.env[withoutHooks];
        }
    });
});
