import assert from "node:assert/strict";
import { operationStart } from "../../../../provider/resources/operation-start";
import type { OperationStartInputs, OperationStartState } from "../../../../provider/resources/operation-start-inputs";
import { unknownValue } from "../../../../provider/resources/values";
import { inputsOf, shape, startNode, stateOf } from "./start-inputs";

describe("what is said before the infrastructure is touched", () => {
    const olds = stateOf(inputsOf(["m1", "w1", "w2"]));
    const checked = (news: OperationStartInputs, before: OperationStartInputs = olds) =>
        operationStart.check(before, news);

    it("names who leaves, and nobody the next time", () => {
        const { inputs } = checked(inputsOf(["m1", "w1"]));
        assert.deepEqual(inputs.leaving, ["w2"]);
        assert.equal(operationStart.diff("id", olds, inputs).changes, true);
        const again = checked(inputsOf(["m1", "w1"]), inputs).inputs;
        assert.deepEqual(again.leaving, []);
        assert.equal(operationStart.diff("id", inputs as OperationStartState, again).changes, false);
    });

    it("counts from one, keeps the count, and begins anew for a node that is new", () => {
        assert.deepEqual(olds.generations, { m1: 1, w1: 1, w2: 1 });
        const { inputs } = checked(inputsOf(["m1", "w1", "w3"]), { ...olds, generations: { m1: 3, w1: 1, w2: 2 } });
        assert.deepEqual(inputs.generations, { m1: 3, w1: 1, w3: 1 });
    });

    it("refuses other servers for nodes that exist, with both values, for either back end", () => {
        for (const backEnd of ["heat", "nova"] as const) {
            const news = inputsOf(["m1", "w1", "w2"], { backEnd });
            news.spec.nodes.w1 = startNode("w1", { shape: { ...shape, flavor: "m1.large" } });
            const { failures } = checked(news);
            assert.equal(failures!.length, 1);
            assert.match(
                failures![0]!.reason,
                /^w1: flavor cannot be changed on an existing server yet: it has m1\.small, m1\.large is asked for/,
            );
        }
    });

    it("lets new nodes be of another shape, and does not ask about what is not known yet", () => {
        const news = inputsOf(["m1", "w1", "w2", "w3"]);
        news.spec.nodes.w3 = startNode("w3", { shape: { image: "other" } });
        news.spec.nodes.w1 = startNode("w1", { shape: { ...shape, image: unknownValue } });
        assert.deepEqual(checked(news).failures, []);
    });

    it("never asks to be replaced: the servers behind it live on", () => {
        const news = inputsOf(["m1"], { clusterId: unknownValue, backEnd: "nova" });
        assert.deepEqual(operationStart.diff("id", olds, news).replaces ?? [], []);
    });
});
