import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { programSession } from "../../../../provider/adapters/hooks";
import { ownState } from "../../../../provider/adapters/own-state";
import type { RunSession } from "../../../../provider/common/run-session";

/** Not in the SDK's types. */
const { withLocalStorage } = require("@pulumi/pulumi/runtime/state") as {
    withLocalStorage<T>(program: () => Promise<T>): Promise<T>;
};

/** Runs a program as the Automation API runs an inline program: with a store of its own in this process. */
function runProgram<T>(stack: string, program: () => Promise<T>): Promise<T> {
    return withLocalStorage(async () => {
        await pulumi.runtime.setMocks(
            {
                call: () => ({ outputs: { [`urn:${stack}`]: { outputs: {} } } }),
                newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
            },
            "project",
            stack,
            false,
            "organization",
        );
        let result: T;
        await pulumi.runtime.runInPulumiStack(async () => {
            result = await program();
        });
        return result!;
    });
}

/** What a program sees at its begin, after a while, and in an output. */
async function sessionsSeen(): Promise<RunSession[]> {
    const first = programSession();
    await new Promise(resolve => setTimeout(resolve, 5));
    const late = pulumi.output(new Promise<string>(resolve => setTimeout(() => resolve("late"), 5)));
    const inOutput = await new Promise<RunSession>(resolve => {
        late.apply(() => resolve(programSession()));
    });
    return [first, programSession(), inOutput];
}

describe("programs in one process", () => {
    it("have a session each, side by side and one after another", async () => {
        const pair = await Promise.all(["a", "b"].map(stack => runProgram(stack, sessionsSeen)));
        const all = [...pair, await runProgram("a", sessionsSeen)];
        for (const seen of all) assert.equal(new Set(seen).size, 1);
        assert.equal(new Set(all.flat()).size, 3);
    });

    it("read the state of their own stack", async () => {
        const stateOf = (stack: string) => runProgram(stack, async () => Object.keys(await ownState()));
        assert.deepEqual(await Promise.all([stateOf("a"), stateOf("b")]), [["urn:a"], ["urn:b"]]);
    });
});
