import assert from "node:assert/strict";
import { printErrorsOnce } from "../../../../provider/adapters/print-once";
import { NfvError } from "../../../../provider/common/errors";
import { StepsFailed } from "../../../../provider/steps";

describe("an error that leaves the host of the resources", () => {
    const hosted = ["node", "/x/@pulumi/pulumi/cmd/dynamic-provider", "127.0.0.1:1234"];
    const printed = (values: unknown[], argv = hosted) => {
        const lines: unknown[][] = [];
        const to = { error: (...texts: unknown[]) => void lines.push(texts) };
        printErrorsOnce(to, argv);
        to.error(...values);
        return lines;
    };
    /** As the SDK's host prints it. */
    const text = (error: Error) => `${error}: ${error.stack}`;
    const refusal = new NfvError({ code: "INVALID_INPUT", node: "w1", cause: "two\nlines" });

    it("is not printed beside the answer to the engine", () => {
        assert.match(text(refusal), /\n\s+at /, "it has a stack");
        assert.deepEqual(printed([text(refusal)]), []);
        const failed = new StepsFailed(refusal, {}, "w1");
        assert.deepEqual(printed([text(failed)]), []);
    });

    it("and is a bug keeps its stack", () => {
        const bug = text(new TypeError("x is undefined"));
        assert.deepEqual(printed([bug]), [[bug]]);
        assert.deepEqual(printed(["a", 1]), [["a", 1]]);
    });

    it("is printed in every other process", () => {
        assert.deepEqual(printed([text(refusal)], ["node", "program.js"]), [[text(refusal)]]);
    });
});
