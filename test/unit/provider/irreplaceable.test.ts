import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { neverReplaced } from "../../../provider/irreplaceable";
import { withoutHooks } from "../../../provider/own-state";

const urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/nfv:ClusterIdentity::core";

describe("the memory of a cluster", () => {
    /** What the hook says before the resource is made, in a stack that has `known`; undefined: its backend tells nothing. */
    const asked = async (known: Record<string, object> | undefined) => {
        const names: string[] = [];
        await pulumi.runtime.setMocks(
            {
                call: ({ token, inputs }) => {
                    assert.equal(token, "pulumi:pulumi:readStackResourceOutputs");
                    names.push(inputs.stackName);
                    if (known === undefined) throw new Error("no such stack");
                    return { name: inputs.stackName, outputs: known };
                },
                newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
            },
            "test",
            "test",
            false,
            "organization",
        );
        Object.assign(pulumi.runtime.getMonitor()!, {
            registerResourceHook: (_request: unknown, done: (error: null) => void) => done(null),
        });
        let hook: pulumi.ResourceHook;
        // A program of its own: what one has read of its stack is read once.
        await pulumi.runtime.runInPulumiStack(async () => {
            [hook] = neverReplaced("ClusterIdentity", "core")!.beforeCreate as [pulumi.ResourceHook];
            const args = { urn, name: "core", type: "", id: "", newInputs: {} } as unknown as pulumi.ResourceHookArgs;
            const said = await Promise.resolve(hook.callback(args)).then(
                () => undefined,
                error => error as Error,
            );
            names.push(said?.message ?? "made");
        });
        return names;
    };

    it("is refused a second time, with what would come of it and the way out of a taint", async () => {
        const [, message] = await asked({ [urn]: { outputs: {} } });
        assert.match(
            message!,
            /ClusterIdentity core: INVALID_INPUT[\s\S]*cannot be replaced: it holds the cluster's name/,
        );
        assert.ok(message!.includes(`pulumi state untaint '${urn}'`), message);
    });

    it("is made where the stack has none", async () =>
        assert.deepEqual(await asked({ "urn:other": {} }), ["organization/test/test", "made"]));

    it("is made where a backend tells nothing of its stacks, whatever they are called", async () =>
        assert.deepEqual(await asked(undefined), ["organization/test/test", "test", "made"]));

    it("has no hook where the language host passes none on, nor has any other type", () => {
        process.env[withoutHooks] = "yes";
        try {
            assert.equal(neverReplaced("ClusterIdentity", "core"), undefined);
        } finally {
            delete process.env[withoutHooks];
        }
        assert.equal(neverReplaced("Node", "core-m1"), undefined);
    });
});
